import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

@Suite("Texts in one spelling")
struct ComposedTextTests {
    @Test("SEC-7: a text is composed, and what cannot be composed is left equal to what it was")
    func composed() {
        func scalars(_ text: String) -> [Unicode.Scalar] { Array(ComposedText.make(of: text).unicodeScalars) }
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
            let composed = ComposedText.make(of: text)
            if composed != text || !ComposedText.make(of: composed).utf8.elementsEqual(composed.utf8) {
                wrong.append(String(value, radix: 16))
            }
        }
        #expect(wrong == [])
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
