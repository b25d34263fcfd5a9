import BelfryModel
import BelfryServices
import BelfryWire
import Foundation

extension InboxResponse {
    /// The response for clients of version 3 (WIRE-13), from the messages that our own SDK also gets.
    init(_ messages: [InboxMessage]) throws {
        let response = try JSONDecoder().decode(
            MessageCenterMessagesResponse.self, from: Data(InboxText.messages(messages)))
        self.init(messages: zip(messages, response.messages).map { Message($0, $1) })
    }
}

extension InboxResponse.Message {
    fileprivate init(_ message: InboxMessage, _ body: MessageCenterMessageBody) {
        let sentAt = message.sentAt.seconds
        let custom = body.custom.map { $0.mapValues(\.textRead) }
        self.init(
            id: body.id, campaignId: message.campaign.description, title: body.subject, body: body.message,
            imageUrl: body.iconURL.flatMap(WireURL.decoded), receivedAt: sentAt, updatedAt: sentAt,
            expiresAt: message.expiresAt?.seconds, tags: message.state.v3Tags,
            properties: custom, ems: InboxResponse.Actions(body)
        )
    }
}

extension InboxResponse.Actions {
    /// Nil when opening the message has no action. Each action must have a title: the message's is used.
    fileprivate init?(_ body: MessageCenterMessageBody) {
        let addresses = [("deeplink", body.deeplinkURL), ("richMessage", body.richMessageURL)]
        let actions = addresses.compactMap { id, url in
            url.flatMap(WireURL.decoded).map { InboxResponse.Action(id: id, title: body.subject, url: $0) }
        }
        guard !actions.isEmpty else { return nil }
        self.init(actions: actions)
    }
}

extension Date {
    /// The time in whole seconds since 1970.
    fileprivate var seconds: Int64 { milliseconds / 1_000 }
}
