import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryAPI

extension WireSample {
    private static let at = "2026-11-21T12:00:00.000Z"
    private static let device = "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"

    static func rehearsals() throws -> [WireSample] {
        try figures() + comparison()
    }

    private static func figures() throws -> [WireSample] {
        var entry = RehearsalListResponse.Entry(try rehearsal())
        entry.endedAt = at
        let outcome = RehearsalResponse.Outcome(state: .suppressed, reason: "noToken", count: 3)
        let hour = RehearsalResponse.Hour(from: at, count: 3)
        let group = RehearsalResponse.Group(name: "ios", audience: 4, reached: 3)
        let sample = RehearsalResponse.Sample(deviceId: device, state: .suppressed, reason: "noToken", at: at)
        let change = RehearsalResponse.Change(state: .suppressed, reason: "noToken", before: 2, now: 3)
        var whole = RehearsalResponse(try rehearsal(), samples: [], former: nil)
        whole.startedAt = at
        whole.endedAt = at
        whole.launchAt = at
        whole.problem = "It was interrupted."
        whole.reached = 1
        whole.placed = 1
        whole.crowded = 1
        whole.firstAt = at
        whole.lastAt = at
        whole.outcomes = [outcome]
        whole.byHour = [hour]
        whole.byZone = [group]
        whole.byPlatform = [group]
        whole.byLocale = [group]
        whole.samples = [sample]
        whole.warnings = ["It costs."]
        whole.former = "1"
        whole.changes = [change]
        return [
            try WireSample("RehearsalStatusResponse", RehearsalStatusResponse(id: "1", status: .waiting)),
            try WireSample("RehearsalListResponse", RehearsalListResponse(rehearsals: [entry])),
            try WireSample("RehearsalEntry", entry), try WireSample("RehearsalResponse", whole),
            try WireSample("RehearsedOutcome", outcome), try WireSample("RehearsedHour", hour),
            try WireSample("RehearsedGroup", group), try WireSample("RehearsedDevice", sample),
            try WireSample("RehearsalChange", change),
            try WireSample("RehearsedDevicesResponse", RehearsedDevicesResponse(devices: [sample], cursor: "7")),
        ]
    }

    private static func comparison() throws -> [WireSample] {
        let end = RehearsalComparisonResponse.End(state: .suppressed, reason: "noToken")
        let difference = RehearsalComparisonResponse.Difference(
            rehearsed: end, came: end, cause: .token, count: 1, devices: [device]
        )
        let line = RehearsalComparisonResponse.Line(state: .suppressed, reason: "noToken", rehearsed: 1, came: 2)
        let whole = RehearsalComparisonResponse(
            equal: 1, different: 1, unexplained: 0, isFinal: true, comparedAt: at, lines: [line],
            differences: [difference]
        )
        return [
            try WireSample("RehearsalComparisonResponse", whole), try WireSample("ComparedOutcome", end),
            try WireSample("RehearsalDifference", difference), try WireSample("RehearsalLine", line),
        ]
    }

    private static func rehearsal() throws -> Rehearsal {
        Rehearsal(
            id: 2, campaign: try #require(CampaignID(1)), version: "v1", status: .done,
            requestedAt: Date(timeIntervalSince1970: 1_795_262_400)
        )
    }
}
