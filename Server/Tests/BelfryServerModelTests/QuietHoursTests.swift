import BelfryModel
import BelfryServerModel
import Testing

struct QuietHoursTests {
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
