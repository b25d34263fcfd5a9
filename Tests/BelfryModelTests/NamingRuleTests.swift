import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

/// PERF-4: what is seen from its bytes to keep to the rule, keeps to it.
struct NamingRuleTests {
    private static let pieces = [
        "a", "Z", "0", "~", "!", "_", ":", " ", "  ", "\t", "\n", "\r\n", "\u{0}", "\u{1f}", "\u{7f}", "é", "e\u{301}",
        "\u{a0}", "\u{2028}", "\u{200b}", "\u{feff}", "😀", "👨‍👩‍👧", String(repeating: "\u{301}", count: 200),
    ]

    private static func text(_ dice: inout SeededGenerator) -> String {
        // Most are of letters alone.
        let choices = Int.random(in: 0..<3, using: &dice) == 0 ? pieces.count : 8
        return (0..<Int.random(in: 0...14, using: &dice))
            .map { _ in pieces[Int.random(in: 0..<choices, using: &dice)] }.joined()
    }

    /// The rule, spelled out; nil if the name is rejected.
    private static func ruled(_ raw: String, maximumLength: Int) -> String? {
        let trimmed = raw.trimmingCharacters(in: .whitespacesAndNewlines)
        let isLong = trimmed.count > maximumLength || trimmed.utf8.count > NamingRule.maximumBytes
        return trimmed.isEmpty || isLong || trimmed.utf8.contains(0) ? nil : trimmed
    }

    @Test(
        "PERF-4, REG-9, EVT-8: a plain name is one that the rule leaves unchanged",
        arguments: Endurance.seeds(8, brief: 2))
    func plain(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var plain = 0
        for _ in 0..<3_000 {
            let text = Self.text(&dice)
            let length = Int.random(in: 1...14, using: &dice)
            let ruled = Self.ruled(text, maximumLength: length)
            let what: Comment = "\(text.debugDescription) of \(length)"
            if NamingRule.isPlain(text, maximumLength: length) {
                plain += 1
                #expect(ruled == text, what)
            }
            #expect((try? NamingRule.parse(text, "A name", maximumLength: length)) == ruled, what)
            #expect((try? EventName(text))?.rawValue == Self.ruled(text, maximumLength: 128), what)
        }
        #expect((300..<3_000).contains(plain))
    }

    @Test("PERF-4: printable ASCII within its length and without blanks at its ends is plain")
    func printable() {
        for byte in UInt8(0)...255 {
            let isPrintable = (0x20...0x7e).contains(byte)
            let inside = String(decoding: [0x61, byte, 0x62], as: UTF8.self)
            #expect(NamingRule.isPlain(inside, maximumLength: 3) == isPrintable, "\(byte)")
            #expect(!NamingRule.isPlain(inside, maximumLength: 2))
            for end in [[byte, 0x61], [0x61, byte]] {
                let text = String(decoding: end, as: UTF8.self)
                #expect(NamingRule.isPlain(text, maximumLength: 9) == (isPrintable && byte != 0x20), "\(byte)")
            }
        }
        #expect(!NamingRule.isPlain("", maximumLength: 9))
        let long = String(repeating: "x", count: NamingRule.maximumBytes)
        #expect(NamingRule.isPlain(long, maximumLength: 5_000))
        #expect(!NamingRule.isPlain(long + "x", maximumLength: 5_000))
    }
}
