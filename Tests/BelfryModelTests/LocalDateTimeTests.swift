import BelfryModel
import Foundation
import Testing

struct LocalDateTimeTests {
    @Test(
        "CAMP-5, ADM-2: a day and a time without an offset",
        arguments: [
            ("2026-12-01T09:00:00", "2026-12-01T09:00:00"), ("2026-12-01T09:00", "2026-12-01T09:00:00"),
            ("2026-12-01", "2026-12-01T00:00:00"), ("2024-02-29T23:59:59", "2024-02-29T23:59:59"),
            ("1969-12-31T23:59:59", "1969-12-31T23:59:59"),
        ]
    )
    func read(text: String, written: String) throws {
        let time = try #require(LocalDateTime(text))
        #expect(time.description == written)
        #expect(LocalDateTime(written) == time)
    }

    @Test(
        "CAMP-5, ADM-2: what no calendar or clock has, or has an offset, is none",
        arguments: [
            "", "2026-12-01T09:00:00Z", "2026-12-01T09:00:00+01:00", "2026-02-30", "2026-12-01T24:00", "2026-12-01T09",
            "2026-12-01T09:60", "2026-12-01T09:00:60", "2026-12-01 09:00", "2026-12-01T09:00:00.5", "tomorrow",
        ]
    )
    func refused(text: String) {
        #expect(LocalDateTime(text) == nil)
    }

    @Test("ADM-2: a date without an offset is in the app's zone, one with an offset is not")
    func zone() throws {
        let paris = try #require(TimeZone(identifier: "Europe/Paris"))
        let noon = Date(timeIntervalSince1970: 1_796_126_400)
        #expect(Timestamp.date("2026-12-01T12:00:00", in: paris) == noon - 3_600)
        #expect(Timestamp.date("2026-12-01T12:00:00Z", in: paris) == noon)
        #expect(Timestamp.date("2026-12-01T12:00:00+05:00", in: paris) == noon - 5 * 3_600)
        #expect(Timestamp.date("2026-12-01", in: paris) == noon - 13 * 3_600)
        #expect(Timestamp.date("noon", in: paris) == nil)
    }

    @Test("CAMP-5: quiet hours contain their first minute and not their last, across midnight too")
    func quietHours() throws {
        func time(_ text: String) throws -> TimeOfDay { try #require(TimeOfDay(text)) }
        func local(_ text: String) throws -> LocalDateTime { try #require(LocalDateTime("2026-12-01T\(text)")) }
        let night = QuietHours(from: try time("22:00"), to: try time("08:00"))
        let noon = QuietHours(from: try time("12:00"), to: try time("13:30"))
        for (text, isNight, isNoon) in [
            ("21:59:59", false, false), ("22:00:00", true, false), ("00:00:00", true, false), ("07:59:59", true, false),
            ("08:00:00", false, false), ("12:00:00", false, true), ("13:29:59", false, true),
            ("13:30:00", false, false),
        ] {
            let clock = try local(text)
            #expect(night.contains(clock) == isNight && noon.contains(clock) == isNoon, "\(text)")
        }
        for wrong in ["24:00", "8:00", "08:00:00", "08:60", "", "0800"] { #expect(TimeOfDay(wrong) == nil) }
        #expect(try time("09:05").description == "09:05")
    }
}
