import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryModel

@Suite("Texts with many combining marks")
struct StreamSafeTextTests {
    private static let joiner: Unicode.Scalar = "\u{34F}"
    /// Marks of two bytes to four, some that only decompose to marks, and letters.
    private static let marks: [Unicode.Scalar] = [
        "\u{300}", "\u{316}", "\u{344}", "\u{5b0}", "\u{f73}", "\u{f75}", "\u{f81}", "\u{e38}", "\u{302a}",
        "\u{1d165}",
        "\u{1e8d0}",
    ]
    private static let letters: [Unicode.Scalar] = [
        "a", " ", "\"", "\\", "\n", "é", "\u{600}", "\u{200d}", "\u{20e3}", "가", "😀",
    ]

    /// The longest run of marks in the order in which Swift compares, counted by other means than the code's.
    private static func longestRun(in text: String) -> Int {
        var longest = 0
        var run = 0
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
            run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
            longest = max(longest, run)
        }
        return longest
    }

    private static func text(_ dice: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...6, using: &dice) {
            for _ in 0..<Int.random(in: 0...20, using: &dice) {
                text.append(letters.randomElement(using: &dice) ?? "a")
            }
            for _ in 0..<Int.random(in: 0...70, using: &dice) {
                text.append(marks.randomElement(using: &dice) ?? "\u{301}")
            }
        }
        return String(text)
    }

    /// Byte for byte: to compare them is what is bounded here.
    private static func equal(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }

    @Test(
        "SEC-7: no run of marks is longer than Unicode's limit; only joiners are added",
        arguments: Endurance.seeds(200, brief: 40))
    func texts(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let text = Self.text(&dice)
        let safe = StreamSafeText.make(of: text)
        // A letter may bring up to three marks of its own.
        #expect(Self.longestRun(in: safe) <= StreamSafeText.longestRun + 3)
        #expect(StreamSafeText.isSafe(safe) && Self.equal(StreamSafeText.make(of: safe), safe))
        #expect(StreamSafeText.isSafe(text) == Self.equal(text, safe))
        let rest = safe.unicodeScalars.filter { $0 != Self.joiner }
        #expect(Self.equal(String(String.UnicodeScalarView(rest)), text))
    }

    @Test("SEC-7: marks up to the limit stay unchanged, one more gets a joiner before it", arguments: marks)
    func bound(mark: Unicode.Scalar) {
        let width = ["\u{344}", "\u{f73}", "\u{f75}", "\u{f81}"].contains(mark) ? 2 : 1
        let marks = String(repeating: Character(mark), count: StreamSafeText.longestRun / width)
        #expect(StreamSafeText.isSafe("a" + marks))
        let longer = "a" + marks + String(mark)
        #expect(!StreamSafeText.isSafe(longer))
        #expect(Self.equal(StreamSafeText.make(of: longer), "a" + marks + String(Self.joiner) + String(mark)))
    }

    @Test(
        "SEC-7: JSON is read into safe texts, whether it contains marks or escapes",
        arguments: Endurance.seeds(100, brief: 20))
    func json(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let texts = (0..<3).map { _ in Self.text(&dice) }
        let plain = try JSONEncoder().encode(texts)
        let escaped = Data(
            ("["
                + texts.map { text in
                    "\"" + text.utf16.map { "\\u" + String(0x1_0000 + UInt32($0), radix: 16).dropFirst() }.joined()
                        + "\""
                }.joined(separator: ",") + "]").utf8
        )
        let expected = texts.map { StreamSafeText.make(of: $0) }
        for data in [plain, escaped] {
            let read = try CheckedJSON.decode([String].self, from: data)
            #expect(read.count == expected.count)
            for (one, other) in zip(read, expected) { #expect(Self.equal(one, other)) }
        }
    }

    @Test("SEC-7: the keys of JSON are safe too; half of a surrogate pair and plain text stay unchanged")
    func edges() throws {
        let marks = String(repeating: "\u{301}\u{316}", count: 40)
        let keys = try CheckedJSON.decode([String: Int].self, from: Data(#"{"a\#(marks)":1}"#.utf8)).keys
        #expect(keys.allSatisfy(StreamSafeText.isSafe))
        for text in [#""\ud834\u0041""#, #""\udd65""#, #""a\\u0301""#, "\"é\u{301}\"", "\"\"", "[]"] {
            let data = Data(text.utf8)
            #expect(StreamSafeText.make(ofJSON: data) == data, "\(text)")
        }
    }
}
