import Foundation

/// A message that the simulated service accepted, as the device gets it.
public struct SimulatedFCMMessage: MailboxItem, Sendable, Equatable {
    /// Numbers the messages of one device from 1, gaps where messages never reached the device.
    public let sequence: Int
    /// `projects/…/messages/…`, as the sender got it.
    public let name: String
    /// The sender's own id of the message, if it has one.
    public let messageID: String?
    /// `android.collapse_key`: an undelivered message with the same one was replaced by this.
    public let collapseKey: String?
    /// Whether the sender asked for high priority, by itself or by what it showed.
    public let isHighPriority: Bool
    /// Seconds that the service may keep it; 0: it was not to be stored.
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

    /// `message.data`, and over it `message.android.data`, as the app gets it.
    public var data: [String: String] {
        let all = message.object("data").members + message.object("android").object("data").members
        return all.reduce(into: [:]) { data, member in
            if case .string(let text) = member.value { data[member.name] = text }
        }
    }

    /// The title that the notification shows; Android's own goes before the common one.
    public var title: String? { notificationText("title") }
    /// The text that the notification shows.
    public var body: String? { notificationText("body") }
    /// The picture that the notification shows.
    public var image: String? { notificationText("image") }
    /// `android.notification.notification_count`: how many things the notification stands for, which a launcher may show
    /// on the app's icon; 0 and nil: it counts notifications.
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
