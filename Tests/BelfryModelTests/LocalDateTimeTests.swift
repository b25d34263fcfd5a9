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
        "CAMP-5, ADM-2: an impossible day or time, or one with an offset, is nil",
        arguments: [
            "", "2026-12-01T09:00:00Z", "2026-12-01T09:00:00+01:00", "2026-02-30", "2026-12-01T24:00", "2026-12-01T09",
            "2026-12-01T09:60", "2026-12-01T09:00:60", "2026-12-01 09:00", "2026-12-01T09:00:00.5", "tomorrow",
        ]
    )
    func rejected(text: String) {
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
}
