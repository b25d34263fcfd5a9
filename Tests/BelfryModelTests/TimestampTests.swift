import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct TimestampTests {
    private static let firstYear: Int64 = -62_135_596_800_000
    private static let lastMoment: Int64 = 253_402_300_799_999

    @Test("REG-28: every millisecond of the years 1 to 9999 survives writing and reading", arguments: 1...4)
    func roundTrip(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let milliseconds = Int64.random(in: Self.firstYear...Self.lastMoment, using: &dice)
            let text = Timestamp.text(Date(milliseconds: milliseconds))
            #expect(text.utf8.count == 24)
            #expect(Timestamp.date(text)?.milliseconds == milliseconds, "\(text)")
        }
    }

    @Test("REG-28: each millisecond of a second is written exactly")
    func everyMillisecond() {
        for millisecond in 0..<1_000 {
            let digits = String(1_000 + millisecond).dropFirst()
            let date = Date(milliseconds: 1_795_262_400_000 + Int64(millisecond))
            #expect(Timestamp.text(date) == "2026-11-21T12:00:00.\(digits)Z")
        }
    }

    @Test("CAMP-3: the order of dates is the order of their texts", arguments: 1...2)
    func order(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let left = Int64.random(in: Self.firstYear...Self.lastMoment, using: &dice)
            let right = left + Int64.random(in: -86_400_000...86_400_000, using: &dice)
            guard right >= Self.firstYear, right <= Self.lastMoment else { continue }
            let texts = (Timestamp.text(Date(milliseconds: left)), Timestamp.text(Date(milliseconds: right)))
            #expect((left < right) == (texts.0 < texts.1))
        }
    }

    @Test("REG-25: a date is ISO 8601 with a zone, with or without a fraction")
    func reading() throws {
        let noon: TimeInterval = 1_795_262_400
        let table: [(String, TimeInterval)] = [
            ("2026-11-21T12:00:00Z", noon), ("2026-11-21T12:00:00.5Z", noon + 0.5),
            ("2026-11-21T12:00:00.123Z", noon + 0.123), ("2026-11-21T12:00:00.123456789Z", noon + 0.123456789),
            ("2026-11-21T13:00:00+01:00", noon), ("2026-11-21T13:00:00+0100", noon),
            ("2026-11-21T11:30:00-00:30", noon), ("2026-11-21t12:00:00z", noon),
            ("1970-01-01T00:00:00Z", 0), ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ]
        for (text, seconds) in table {
            let read = try #require(Timestamp.date(text), "\(text)")
            #expect(abs(read.timeIntervalSince1970 - seconds) < 0.000_001, "\(text)")
        }
    }

    @Test(
        "REG-25: an impossible day or time is not a date",
        arguments: [
            "", "2026-11-21", "2026-11-21T12:00:00", "2026-11-21 12:00:00Z", "2026-11-21T12:00Z",
            "2026-02-29T12:00:00Z",
            "1900-02-29T12:00:00Z", "2026-04-31T12:00:00Z", "2026-13-01T12:00:00Z", "2026-00-01T12:00:00Z",
            "2026-01-00T12:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T12:60:00Z", "2026-11-21T12:00:61Z",
            "2026-11-21T12:00:00Zulu", "x2026-11-21T12:00:00Z", "2026-11-21T12:00:00.Z", "2026-11-21T12:00:00,5Z",
            "2026-11-21T12:00:00.1234567890Z", "26-11-21T12:00:00Z", "0000-01-01T00:00:00Z", "12026-11-21T12:00:00Z",
            "-001-11-21T12:00:00Z", "2026-11-21T12:00:00+25:00", "2026-11-21T12:00:00+01:60", "2026-11-21T12:00:00+1",
            "+026-11-21T12:00:00Z", "1795262400000",
        ]
    )
    func rejection(_ text: String) {
        #expect(Timestamp.date(text) == nil)
    }

    @Test("WIRE-23: a date out of range becomes the farthest one and does not crash")
    func extremes() {
        for far in [Date(timeIntervalSince1970: 1e30), Date(timeIntervalSince1970: .infinity)] {
            #expect(far.milliseconds == .max)
            #expect(Timestamp.text(far) == "9999-12-31T23:59:59.999Z")
        }
        #expect(Date(timeIntervalSince1970: -.infinity).milliseconds == .min)
        #expect(Timestamp.text(.distantPast) == "0001-01-01T00:00:00.000Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: 1e13)) == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: 0.9996)) == "1970-01-01T00:00:01.000Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: -0.001)) == "1969-12-31T23:59:59.999Z")
    }
}
