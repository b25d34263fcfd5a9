import BelfryModel
import BelfryServerModel
import Foundation
import Testing

struct CampaignScheduleJSONTests {
    @Test("CAMP-5: a schedule is written as it was read")
    func roundTrip() throws {
        let json = #"""
            {"at":"2026-12-01T09:00:00.000Z","expiresAt":"2026-12-02T09:00:00.000Z",
            "frequencyCap":{"count":2,"within":"P7D"},"localAt":"2026-12-01T09:00:00",
            "quietHours":{"from":"22:00","then":"suppress","to":"08:00"},"ratePerSecond":500}
            """#.replacing("\n", with: "")
        let schedule = try JSONDecoder().decode(CampaignSchedule.self, from: Data(json.utf8))
        #expect(schedule.at == Timestamp.date("2026-12-01T09:00:00Z"))
        #expect(schedule.quietHours?.then == .suppress && schedule.frequencyCap?.within.seconds == 604_800)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(schedule), as: UTF8.self) == json)
    }

    @Test("CAMP-5: quiet hours delay by default")
    func standard() throws {
        let json = #"{"quietHours":{"from":"22:00","to":"08:00"}}"#
        let schedule = try JSONDecoder().decode(CampaignSchedule.self, from: Data(json.utf8))
        #expect(schedule.quietHours?.then == .delay && schedule.at == nil)
    }

    @Test(
        "CAMP-5: an invalid time is refused",
        arguments: [
            #"{"at":"2026-12-01T09:00:00"}"#, #"{"localAt":"2026-12-01T09:00:00Z"}"#, #"{"expiresAt":5}"#,
            #"{"quietHours":{"from":"22","to":"08:00"}}"#, #"{"quietHours":{"from":"22:00","to":"08:00","then":"x"}}"#,
            #"{"frequencyCap":{"count":2,"within":"P1M"}}"#, #"{"frequencyCap":{"count":2}}"#,
            #"{"ratePerSecond":1.5}"#,
        ]
    )
    func rejected(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CampaignSchedule.self, from: Data(json.utf8))
        }
    }
}
