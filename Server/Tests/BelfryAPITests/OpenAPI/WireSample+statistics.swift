import BelfryModel
import BelfryServerModel

@testable import BelfryAPI

extension WireSample {
    static func statistics() throws -> [WireSample] {
        let at = "2026-11-21T12:00:00.000Z"
        let days = DayStatisticsResponse(
            days: [
                .init(
                    day: "2026-11-21", accepted: 7, suppressed: 1, rejected: 1, displayed: 3, opened: 2, devices: 9,
                    optedIn: 8
                )
            ],
            unusual: [.init(day: "2026-11-20", measure: "accepted", count: 900, usual: 100)]
        )
        let hours = CampaignHoursResponse(
            hours: [.init(begins: at, accepted: 3, displayed: 2, opened: 1)], summedAt: at
        )
        let calendar = CalendarResponse(
            campaigns: [
                .init(
                    id: "7", name: "Sale", kind: .push, status: .scheduled, begins: at, ends: at,
                    localAt: "2026-12-01T09:00:00",
                    frequencyCap: FrequencyCap(count: 3, within: try ISODuration("P7D"))
                )
            ]
        )
        let pressure = PressureResponse(
            devices: 9, audiences: [.init(campaign: "7", name: "Sale", devices: 9, capped: 1)],
            overlaps: [.init(campaigns: ["7", "8"], devices: 4)], loads: [.init(messages: 2, devices: 4)],
            notCounted: 0
        )
        let recipients = RecipientsResponse(
            recipients: [
                .init(
                    deviceId: "d", contactKey: "anna", state: "accepted", reason: "noToken", updatedAt: at,
                    displayedAt: at, openedAt: at
                )
            ],
            cursor: "7"
        )
        let search = SearchResponse(
            campaigns: [.init(id: "7", name: "Sale", status: .draft)], contacts: ["anna"], devices: ["d"]
        )
        return [
            try WireSample("DayStatisticsResponse", days), try WireSample("CampaignHoursResponse", hours),
            try WireSample("CalendarResponse", calendar), try WireSample("PressureResponse", pressure),
            try WireSample("RecipientsResponse", recipients), try WireSample("SearchResponse", search),
        ]
    }
}
