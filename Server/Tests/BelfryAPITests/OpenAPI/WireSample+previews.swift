import BelfryModel
import BelfryServerModel
import Foundation
import Testing

@testable import BelfryAPI

extension WireSample {
    private static let at = "2026-11-21T12:00:00.000Z"
    private static let device = "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"

    /// With a value in every field, also those that exclude each other.
    static func schedule() throws -> CampaignSchedule {
        CampaignSchedule(
            at: Date(timeIntervalSince1970: 1_795_262_400), localAt: LocalDateTime(secondsInUTC: 1_795_262_400),
            quietHours: QuietHours(
                from: try #require(TimeOfDay("22:00")), to: try #require(TimeOfDay("08:00")), then: .suppress
            ),
            frequencyCap: FrequencyCap(count: 2, within: try ISODuration("P7D")),
            expiresAt: Date(timeIntervalSince1970: 1_795_348_800), ratePerSecond: 500
        )
    }

    static func previews() throws -> [WireSample] {
        let schedule = try schedule()
        let content = PushContent(
            title: "Hi", subtitle: "Now", body: "There", imageUrl: "https://example.com/a.png",
            action: .init(type: .launchApp), buttons: [.init(id: "a", text: "A")], custom: ["sku": "42"],
            badge: BadgeChange(op: .increment)
        )
        let preview = CampaignPreviewResponse.Entry(
            deviceId: device, locale: "fr_FR", variant: "fr", content: content,
            message: MessageCenterContent(subject: "Hi", message: "There"), inApp: InAppContent(title: "Hi"),
            html: "<p>Hi</p>", problem: "There is no value."
        )
        let sample = DryRunResponse.Sample(deviceId: device, outcome: "later", reason: "quietHours", at: at)
        let run = DryRunResponse(
            audience: 3, wouldSend: 1, later: 1, suppressed: ["noToken": 1], samples: [sample],
            warnings: ["It costs subscriptions."]
        )
        let result = TestSendResponse.Result(
            deviceId: device, state: .rejected, reason: "BadDeviceToken", sentence: "It was refused."
        )
        return [
            try WireSample("CampaignSchedule", schedule),
            try WireSample("QuietHours", try #require(schedule.quietHours)),
            try WireSample("FrequencyCap", try #require(schedule.frequencyCap)),
            try WireSample("CampaignPreviewRequest", CampaignPreviewRequest(deviceIds: [device], limit: 5)),
            try WireSample(
                "CampaignPreviewResponse", CampaignPreviewResponse(previews: [preview], warnings: ["It costs."])
            ),
            try WireSample("CampaignPreview", preview),
            try WireSample("DryRunResponse", run), try WireSample("DryRunSample", sample),
            try WireSample("TestSendRequest", TestSendRequest(deviceIds: [device])),
            try WireSample("TestSendResponse", TestSendResponse(results: [result])),
            try WireSample("TestSendResult", result),
        ]
    }
}
