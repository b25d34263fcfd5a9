import BelfryModel
import Foundation
import Testing

struct ISODurationTests {
    @Test(
        "CAMP-5: durations of weeks, days, hours and minutes",
        arguments: [
            ("P7D", 604_800), ("P1W", 604_800), ("PT12H", 43_200), ("PT1M", 60), ("P1DT12H", 129_600),
            ("P1DT30M", 88_200), ("PT1H30M", 5_400), ("P3650D", 315_360_000), ("P0DT5M", 300),
        ] as [(String, TimeInterval)]
    )
    func read(text: String, seconds: TimeInterval) throws {
        let duration = try ISODuration(text)
        #expect(duration.seconds == seconds && duration.description == text)
        let written = try JSONEncoder().encode([duration])
        #expect(String(decoding: written, as: UTF8.self) == #"["\#(text)"]"#)
        #expect(try JSONDecoder().decode([ISODuration].self, from: written) == [duration])
    }

    @Test(
        "CAMP-5: a duration without a fixed length, or an invalid one, is refused",
        arguments: [
            "", "P", "PT", "P1Y", "P1M", "PT1S", "P1DT", "7D", "P7", "P-7D", "-P7D", "P1.5D", "PT1M1H", "P1W1D",
            "P1D2D",
            "p7d", "P7D ", "P٧D", "P999999999D", "PT99999999999999999999M", "P1H", "PT1D",
        ]
    )
    func rejected(text: String) {
        #expect(throws: ValueError.self) { try ISODuration(text) }
    }

    @Test("CAMP-5: a duration is a minute to ten years", arguments: ["P0D", "PT0M", "P3651D", "P522W", "PT99999999H"])
    func bounds(text: String) {
        let error = #expect(throws: ValueError.self) { try ISODuration(text) }
        #expect(error?.code == "outOfRange")
    }
}
