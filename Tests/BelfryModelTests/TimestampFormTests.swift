import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

/// PERF-4: the form that we write ourselves is read by a shorter way. It reads no text otherwise than the longer one.
struct TimestampFormTests {
    private static let letters = Array("0123456789-:.TZtz+ x".utf8)

    /// A text of the own form, or nearly; it ends with Z.
    private static func text(_ dice: inout SeededGenerator) -> String {
        let moment = Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &dice)
        var bytes = Array(Timestamp.text(Date(milliseconds: moment)).utf8.dropLast())
        for _ in 0..<Int.random(in: 0...2, using: &dice) {
            let place = Int.random(in: 0..<bytes.count, using: &dice)
            let letter = letters[Int.random(in: 0..<letters.count, using: &dice)]
            switch Int.random(in: 0..<6, using: &dice) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(letter, at: place)
            default: bytes[place] = letter
            }
        }
        return String(decoding: bytes + [UInt8(ascii: "Z")], as: UTF8.self)
    }

    @Test(
        "PERF-4, EVT-8: a text is parsed to the same date by the fast path and by the general one",
        arguments: Endurance.seeds(8, brief: 2))
    func forms(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var dates = 0
        for _ in 0..<5_000 {
            let text = Self.text(&dice)
            let date = Timestamp.date(text)
            // None of these is read by the short way.
            for zone in ["+00:00", "-0000", "z"] {
                #expect(Timestamp.date(String(text.dropLast()) + zone) == date, "\(text)")
            }
            if date != nil { dates += 1 }
        }
        #expect((500..<5_000).contains(dates))
    }

    @Test("PERF-4: the fast path refuses every impossible day, hour and second too")
    func bounds() {
        for (text, isDate) in [
            ("2026-01-31T23:59:59.999Z", true), ("2026-01-32T00:00:00.000Z", false),
            ("2026-04-31T00:00:00.000Z", false),
            ("2024-02-29T00:00:00.000Z", true), ("2026-02-29T00:00:00.000Z", false), ("2000-02-29T00:00:00.000Z", true),
            ("2100-02-29T00:00:00.000Z", false), ("2026-00-01T00:00:00.000Z", false),
            ("2026-13-01T00:00:00.000Z", false),
            ("2026-01-00T00:00:00.000Z", false), ("2026-01-01T24:00:00.000Z", false),
            ("2026-01-01T00:60:00.000Z", false),
            ("2026-01-01T00:00:61.000Z", false), ("2026-01-01T00:00:60.000Z", true),
            ("0000-01-01T00:00:00.000Z", false),
            ("0001-01-01T00:00:00.000Z", true), ("9999-12-31T23:59:59.999Z", true), ("2026-01-01 00:00:00.000Z", false),
            ("2026-01-01T00:00:00,000Z", false), ("2026-01-01T00:00:00.0éZ", false), ("２6-01-01T00:00:00.000Z", false),
        ] {
            #expect((Timestamp.date(text) != nil) == isDate, "\(text)")
        }
        // A leap second is the first of the next minute.
        #expect(Timestamp.date("2016-12-31T23:59:60.250Z") == Timestamp.date("2017-01-01T00:00:00.250Z"))
    }
}
