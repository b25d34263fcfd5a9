import BelfryModel
import BelfryWire

@testable import BelfryAPI

extension WireSample {
    private static let id = "00000000-0001-8c3a-9b7e-0c5a2e0f2a11"
    private static let at = "2026-11-21T12:00:00.000Z"

    static func inbox() throws -> [WireSample] {
        let message = MessageCenterMessageBody(
            id: id, sentAt: at, subject: "Hello", message: "You", deeplinkURL: "app%3A%2F%2Fx",
            richMessageURL: "https%3A%2F%2Fexample.com", iconURL: "https%3A%2F%2Fexample.com%2Fi.png", expiresAt: at,
            center: "news", hasRichContent: true, state: .read, custom: ["sku": "42"]
        )
        let center = MessageCenterSummary(name: "news", label: "What is new", messages: [message])
        let badge = Badge(count: 3, revision: 7)
        let response = MessageCentersResponse(
            messageCenters: [center], disabled: ["offers"], badge: badge,
            registration: RegistrationResult(revision: 11, rejected: [])
        )
        let own = [
            try WireSample("CenterMessage", message),
            try WireSample("MessageCenterSummary", center),
            try WireSample("MessageCentersResponse", response),
            try WireSample("MessageCenterMessagesResponse", MessageCenterMessagesResponse(messages: [message])),
            try WireSample("RichContentResponse", RichContentResponse(id: id, html: "<p>")),
            try WireSample("MessageStateRequest", MessageStateRequest(state: .deleted, contact: "reference")),
            try WireSample("Badge", badge),
            try WireSample("BadgeRequest", BadgeRequest(count: 3, revision: 7)),
        ]
        return try own + version3() + definitions()
    }

    private static func version3() throws -> [WireSample] {
        let message = InboxResponse.Message(
            id: id, campaignId: "7", title: "Hello", body: "You", imageUrl: "https://example.com/i.png", receivedAt: 1,
            updatedAt: 2, expiresAt: 3, tags: ["read"], properties: ["sku": "42"],
            ems: .init(actions: [.init(id: "deeplink", title: "Hello", url: "app://x")])
        )
        return [
            try WireSample("InboxMessage", message),
            try WireSample("InboxResponse", InboxResponse(messages: [message])),
        ]
    }

    private static func definitions() throws -> [WireSample] {
        let center = MessageCenterDefinition(MessageCenter(name: .primary, label: "Inbox", isEnabled: false))
        return [
            try WireSample("MessageCenterChange", MessageCenterChange(label: "Inbox", enabled: true)),
            try WireSample("MessageCenterDefinition", center),
            try WireSample("MessageCenterListResponse", MessageCenterListResponse(messageCenters: [center])),
        ]
    }
}
