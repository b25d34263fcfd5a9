import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

@Suite("Texts in one spelling")
struct ComposedTextTests {
    /// Nothing here is longer.
    private static func spelled(_ text: String) -> String? { ComposedText.make(of: text, within: 256) }

    @Test("SEC-7: a text is composed, and what cannot be composed is left equal to what it was")
    func composed() {
        func scalars(_ text: String) -> [Unicode.Scalar] { Array((Self.spelled(text) ?? "").unicodeScalars) }
        #expect(scalars("cafe\u{301}") == ["c", "a", "f", "\u{e9}"])
        #expect(scalars("caf\u{e9}") == ["c", "a", "f", "\u{e9}"])
        #expect(scalars("\u{11099}\u{110ba}") == ["\u{1109a}"])
        // A letter of Linear B and a tag are no letters of ours, and old Korean is no number that nobody has assigned.
        #expect(scalars("\u{10041}\u{301}e\u{301}") == ["\u{10041}", "\u{301}", "\u{e9}"])
        #expect(scalars("\u{301}\u{e0061}\u{301}") == ["\u{301}", "\u{e0061}", "\u{301}"])
        #expect(scalars("\u{1113}\u{1161}") == ["\u{1113}", "\u{1161}"])
    }

    @Test("SEC-7: behind any scalar a mark makes no other text of it, and what was composed stays as it is")
    func everyScalar() {
        let marks: [Unicode.Scalar] = ["\u{301}", "\u{338}", "\u{1161}", "\u{110ba}"]
        var wrong: [String] = []
        // All planes that have anything but private use.
        for value in [UInt32(0x80)...0x3FFFF, 0xE0000...0xE0FFF].joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            var view = String.UnicodeScalarView()
            for mark in marks { view.append(contentsOf: [scalar, mark]) }
            let text = String(view)
            let composed = Self.spelled(text)
            let again = composed.flatMap(Self.spelled)
            if composed != text || again.map({ Array($0.utf8) }) != composed.map({ Array($0.utf8) }) {
                wrong.append(String(value, radix: 16))
            }
        }
        #expect(wrong == [])
    }

    @Test("SEC-6, SEC-7: a text is measured as it comes, and one that is too long is not composed")
    func measured() {
        #expect(ComposedText.make(of: "e\u{301}", within: 3)?.utf8.count == 2)
        // It would be short enough then.
        #expect(ComposedText.make(of: "e\u{301}", within: 2) == nil)
        #expect(ComposedText.make(of: "", within: 0)?.isEmpty == true)
    }

    @Test("SEC-6, SEC-7: a name in an address is composed within what a name can have been before, and stays else")
    func names() throws {
        // Nine bytes each, and three when they are composed.
        let syllable = "\u{1100}\u{1161}\u{11a8}"
        let name = String(repeating: syllable, count: 341)
        #expect(NamingRule.composed(name).utf8.elementsEqual(String(repeating: "\u{ac01}", count: 341).utf8))
        let long = String(repeating: syllable, count: 456)
        #expect(NamingRule.composed(long).utf8.elementsEqual(long.utf8))
        #expect(throws: ValueError.self) { try ContactKey(long) }
        // Two bytes of what had seven: whatever is longer than four times a name becomes none.
        let iota: [Unicode.Scalar] = Array(NamingRule.composed("\u{1fbe}\u{308}\u{301}").unicodeScalars)
        #expect(iota == ["\u{390}"])
    }

    @Test("SEC-7: a name that was taken is taken again, also where its characters are composed of others")
    func again() throws {
        let letters = String(repeating: "8", count: 123)
        let key = try AttributeKey(letters + "\u{301}\u{e0061}\u{301}\u{301}z0")
        #expect(try AttributeKey(key.rawValue) == key)
        #expect(key.rawValue.utf8.count == letters.utf8.count + 12)
        // Each of these notes becomes three scalars, of twelve bytes instead of four.
        let long = String(repeating: "\u{1d160}", count: 128)
        #expect(throws: ValueError.self) { try AttributeKey(long) }
    }
}
