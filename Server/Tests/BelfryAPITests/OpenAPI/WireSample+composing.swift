import BelfryModel
import BelfryServerModel
import Foundation

@testable import BelfryAPI

/// What helps to compose (CON-5, CON-8).
extension WireSample {
    private static let at = "2026-11-21T12:00:00.000Z"
    private static let device = "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"

    static func composing() throws -> [WireSample] {
        let person = AudienceSampleResponse.Person(
            contactId: 1, contactKey: "ann", deviceId: device, attributes: ["city": "Paris"]
        )
        let zone = AudienceSampleResponse.Zone(timeZone: "Europe/Paris", devices: 2)
        let campaign = CampaignRequest(
            name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "Hi", body: "There")
        )
        let message = ContactInboxResponse.Message(
            campaign: "1", subject: "Hi", message: "There", sentAt: at, expiresAt: at, state: .unread
        )
        let center = ContactInboxResponse.Center(center: "Offers", label: "Shop", enabled: true, messages: [message])
        let badge = ContactInboxResponse.DeviceBadge(deviceId: device, platform: "ios", count: 2)
        return [
            try WireSample(
                "AudienceSampleRequest", AudienceSampleRequest(audience: .everyone, attributes: ["city"])
            ),
            try WireSample("AudienceSampleResponse", AudienceSampleResponse(people: [person], timeZones: [zone])),
            try WireSample("AudiencePerson", person), try WireSample("AudienceTimeZone", zone),
            try WireSample(
                "DraftPreviewRequest",
                DraftPreviewRequest(
                    campaign: campaign, contactKey: "ann", values: ["city": "Rome"], onlyValues: true, locale: "de"
                )
            ),
            try WireSample(
                "DraftPreviewResponse",
                DraftPreviewResponse(
                    values: ["city": "Rome"], missing: ["shoe"], variant: "de", push: campaign.push,
                    messageCenter: MessageCenterContent(subject: "Hi", message: "There"),
                    inApp: InAppContent(title: "Hi"),
                    problem: "There is no value."
                )
            ),
            try WireSample(
                "ContactInboxResponse",
                ContactInboxResponse(contactKey: "ann", centers: [center], hasMore: false, badges: [badge])
            ),
            try WireSample("ContactInboxCenter", center), try WireSample("ContactInboxMessage", message),
            try WireSample("DeviceBadge", badge),
        ]
    }
}
