import BelfryModel
import BelfryWire
import Foundation
import Testing

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

    static func trials() throws -> [WireSample] {
        let schedule = try schedule()
        let content = PushContent(
            title: "Hi", subtitle: "Now", body: "There", imageUrl: "https://example.com/a.png",
            action: .init(type: .launchApp), buttons: [.init(id: "a", text: "A")], custom: ["sku": "42"],
            badge: BadgeChange(op: .increment)
        )
        let preview = CampaignPreviewAnswer.Entry(
            deviceId: device, locale: "fr_FR", variant: "fr", content: content,
            message: MessageCenterContent(subject: "Hi", message: "There"), inApp: InAppContent(title: "Hi"),
            html: "<p>Hi</p>", problem: "There is no value."
        )
        let sample = DryRunAnswer.Sample(deviceId: device, outcome: "later", reason: "quietHours", at: at)
        let run = DryRunAnswer(
            audience: 3, wouldSend: 1, later: 1, suppressed: ["noToken": 1], samples: [sample]
        )
        let result = TestSendAnswer.Result(
            deviceId: device, state: .rejected, reason: "BadDeviceToken", sentence: "It was refused."
        )
        return [
            try WireSample("CampaignSchedule", schedule),
            try WireSample("QuietHours", try #require(schedule.quietHours)),
            try WireSample("FrequencyCap", try #require(schedule.frequencyCap)),
            try WireSample("CampaignPreviewRequest", CampaignPreviewRequest(deviceIds: [device], limit: 5)),
            try WireSample("CampaignPreviewAnswer", CampaignPreviewAnswer(previews: [preview])),
            try WireSample("CampaignPreview", preview),
            try WireSample("DryRunAnswer", run), try WireSample("DryRunSample", sample),
            try WireSample("TestSendRequest", TestSendRequest(deviceIds: [device])),
            try WireSample("TestSendAnswer", TestSendAnswer(results: [result])),
            try WireSample("TestSendResult", result),
        ]
    }
}
