import Foundation

/// A message that the simulated service accepted, as the device gets it.
public struct SimulatedFCMMessage: MailboxItem, Sendable, Equatable {
    /// Numbers the messages of one device from 1, with gaps for messages that never reached the device.
    public let sequence: Int
    /// `projects/…/messages/…`, as the sender got it.
    public let name: String
    /// The sender's own id of the message, if it has one.
    public let messageID: String?
    /// `android.collapse_key`: this message has replaced an undelivered one with the same key.
    public let collapseKey: String?
    /// Whether the message has high priority: explicitly, or because it shows a notification.
    public let isHighPriority: Bool
    /// How many seconds the service may store the message; 0: not to be stored.
    public let timeToLive: Int
    /// The JSON of the request, as the sender sent it.
    public let request: [UInt8]
    /// When the service accepted it.
    public let acceptedAt: Date

    init(_ push: FCMPush, sequence: Int, name: String, acceptedAt: Date) {
        self.sequence = sequence
        self.name = name
        messageID = push.messageID
        collapseKey = push.collapseKey
        isHighPriority = push.priority == .high
        timeToLive = push.timeToLive
        request = push.body
        self.acceptedAt = acceptedAt
    }

    /// `message.data`, overridden by `message.android.data`, as the app gets it.
    public var data: [String: String] {
        let all = message.object("data").members + message.object("android").object("data").members
        return all.reduce(into: [:]) { data, member in
            if case .string(let text) = member.value { data[member.name] = text }
        }
    }

    /// The title of the notification; Android's own overrides the common one.
    public var title: String? { notificationText("title") }
    /// The text of the notification.
    public var body: String? { notificationText("body") }
    /// The image of the notification.
    public var image: String? { notificationText("image") }
    /// `android.notification.notification_count`: the number of things that the notification stands for, which a
    /// launcher may show on the app's icon. 0 and nil: the launcher counts notifications.
    public var notificationCount: Int? { message.object("android").object("notification")["notification_count"]?.count }
    /// The notification channel.
    public var channelID: String? { notificationText("channel_id") }

    var collapseID: String? { collapseKey }

    /// In seconds since 1970.
    var expiration: Int? {
        timeToLive == 0 ? 0 : Int(acceptedAt.timeIntervalSince1970) + timeToLive
    }

    private var message: FCMFields {
        FCMFields(JSONValue.object(from: request) ?? []).object("message")
    }

    private func notificationText(_ name: String) -> String? {
        let message = message
        return message.object("android").object("notification").text(name) ?? message.object("notification").text(name)
    }
}
