import BelfryModel
import BelfryServerModel
import Foundation

@testable import BelfryAPI

extension WireSample {
    private static let at = "2026-11-21T12:00:00.000Z"
    private static let moment = Date(timeIntervalSince1970: 1_795_262_400)

    static func push() throws -> [WireSample] {
        let action = NotificationAction(type: .openUrl, url: "app://x")
        let button = NotificationButton(id: "a", text: "A", action: action)
        return [
            try WireSample("NotificationAction", action), try WireSample("NotificationButton", button),
            try WireSample("PushContent", content), try WireSample("PushVariant", variant),
            try WireSample("BadgeChange", BadgeChange(op: .set, value: 3)),
            try WireSample("MessageCenterContent", message),
            try WireSample("MessageCenterVariant", messageVariant),
        ]
    }

    private static let content = PushContent(
        title: "Hi", subtitle: "Now", body: "There", imageUrl: "https://example.com/a.png", sound: "default",
        action: .init(type: .launchApp), buttons: [.init(id: "a", text: "A")], collapseId: "sale", ttlSeconds: 60,
        priority: 5, custom: ["sku": "42", "count": 3], category: "offers", threadId: "sale",
        interruptionLevel: .active, relevanceScore: 0.25, targetContentId: "sale", filterCriteria: "shopping",
        androidChannel: "news", androidVisibility: .everything, analyticsLabel: "winter-sale", browsers: true,
        badge: BadgeChange(op: .increment),
        variants: ["fr": variant], defaults: ["city": "you"]
    )

    private static let variant = PushVariant(
        title: "Salut", subtitle: "Ici", body: "Là", imageUrl: "https://example.com/b.png",
        action: .init(type: .launchApp), buttons: [.init(id: "b", text: "B")]
    )

    /// With a value in every field, also those that exclude each other.
    private static let message = MessageCenterContent(
        center: "news", subject: "Hi", message: "There", iconUrl: "https://example.com/a.png", deeplinkUrl: "app://x",
        richUrl: "https://example.com", richHtml: "<p>Hi</p>", expiresAt: moment, badge: BadgeChange(op: .clear),
        custom: ["sku": "42"], variants: ["fr": messageVariant], defaults: ["city": "you"]
    )

    private static let messageVariant = MessageCenterVariant(
        subject: "Salut", message: "Là", iconUrl: "https://example.com/b.png", deeplinkUrl: "app://y",
        richUrl: "https://example.com/fr", richHtml: "<p>Salut</p>"
    )

    static func campaigns() throws -> [WireSample] {
        let schedule = try schedule()
        let request = CampaignRequest(
            name: "Sale", kind: .push, audience: .everyone, push: content,
            messageCenter: MessageCenterContent(subject: "Hi", message: "There", expiresAt: moment),
            inApp: inAppRequest, schedule: schedule
        )
        var campaign = Campaign(
            id: try id(7), app: try AppCode("shop"),
            draft: CampaignDraft(
                name: "Sale", kind: .inApp, audience: .known(true), push: content, messageCenter: message,
                inApp: inAppDraft, schedule: schedule
            ),
            status: .completed, createdAt: moment
        )
        campaign.statusReason = "Paused by an operator."
        campaign.scheduledAt = moment
        campaign.launchedAt = moment
        campaign.endedAt = moment
        campaign.deletedAt = moment
        campaign.recalledAt = moment
        let figures = MessageCenterCounts(displays: 3, displayedBy: 2, opens: 1, openedBy: 1)
        let response = CampaignResponse(
            campaign: campaign, counts: CampaignCounts(), messageCenterCounts: figures, inAppCounts: InAppCounts()
        )
        let entry = CampaignListResponse.Entry(id: "7", name: "Sale", kind: .push, status: .draft)
        return [
            try WireSample("CampaignRequest", request),
            try WireSample("CampaignResponse", response), try WireSample("MessageCenterCounts", figures),
            try WireSample("CampaignCounts", CampaignCounts()),
            try WireSample("CampaignStatusResponse", CampaignStatusResponse(id: "7", status: .paused, reason: "Why.")),
            try WireSample("CampaignListResponse", CampaignListResponse(campaigns: [entry], cursor: "7")),
            try WireSample("AudienceCountRequest", AudienceCountRequest(audience: .known(true))),
            try WireSample("AudienceCountResponse", AudienceCountResponse(devices: 3)),
        ]
    }

    private static func id(_ number: Int64) throws -> CampaignID {
        guard let id = CampaignID(number) else { throw CancellationError() }
        return id
    }

    static func people() throws -> [WireSample] {
        let registration = DeviceResponse.Registration(
            revision: 3, status: .partlyRejected, processedAt: at,
            rejected: [RejectedField(field: "attributes.shoe", reason: "undefinedAttribute", message: "It is not.")]
        )
        let device = DeviceResponse(
            deviceId: "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11", contactKey: "anna", push: EligibilityResponse(.eligible),
            inApp: EligibilityResponse(.eligible), optOut: .init(reason: .tokenInvalid, at: at), pushToken: "apns:…",
            pushProvider: .apns, pushEnvironment: .production, pushTokenMovedAt: at, pushEnabled: true,
            osPushEnabled: false, revision: 3, registration: registration, system: SystemProperties(platform: "ios"),
            badge: Badge(count: 3, revision: 7), lastOpenedAt: at, createdAt: at, updatedAt: at, v3Client: "3.10.2",
            installation: "3",
            otherInstallations: [.init(installation: "4", contactKey: "ann", createdAt: at, lastOpenedAt: at)]
        )
        let contact = ContactResponse(
            contactKey: "anna", aliases: ["ann"], known: true,
            partyIdentifier: PartyIdentifier(type: "email", name: "primary", number: "a@example.com"),
            attributes: ["city": "Paris"], tags: ["sports"], devices: ["6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"],
            deviceCount: 1, lastOpenedAt: at, createdAt: at,
            attributeSources: ["city": .init(setAt: at, devices: ["6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"])]
        )
        let event = DeviceEventsResponse.Entry(
            id: "e1", name: "purchase", timestamp: at, correctedTimestamp: at, attributes: ["price": 12.5]
        )
        let entry = ContactListResponse.Entry(contactKey: "anna", known: true, createdAt: at, lastOpenedAt: at)
        let explanation = ExplainResponse(
            state: "rejected", reason: "BadDeviceToken", sentence: "It was refused.",
            history: [.init(at: at, what: "rejected", detail: "BadDeviceToken")],
            audience: [.init(condition: .tag("vip"), holds: false)], contactKey: "anna",
            devices: [
                .init(
                    deviceId: "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11", isPresent: true, state: "rejected",
                    reason: "BadDeviceToken", sentence: "It was refused.", history: [],
                    audience: [.init(condition: .tag("vip"), holds: true)]
                )
            ],
            deviceCount: 51, omission: "50 more devices are not listed.",
            messageCenter: .init(center: "Primary", state: .read, sentence: "It is there.")
        )
        let message = DeviceMessagesResponse.Entry(
            campaign: "7", name: "Sale", kind: .push, state: "rejected", reason: "BadDeviceToken",
            sentence: "It was refused.", at: at
        )
        return [
            try WireSample("DeviceResponse", device), try WireSample("ContactResponse", contact),
            try WireSample("EligibilityResponse", EligibilityResponse(.ineligible(reason: "noToken"))),
            try WireSample("DeviceEventsResponse", DeviceEventsResponse(events: [event], cursor: "1.1")),
            try WireSample("DeviceMessagesResponse", DeviceMessagesResponse(messages: [message], cursor: "7")),
            try WireSample("ContactListResponse", ContactListResponse(contacts: [entry], cursor: "1")),
            try WireSample(
                "ContactErasureResponse",
                ContactErasureResponse(contactKey: "anna", receipt: "r", devices: 1, events: 2)
            ),
            try WireSample("ExplainResponse", explanation),
        ]
    }
}
