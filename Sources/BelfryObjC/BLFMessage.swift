import Belfry
import BelfryModel
import Foundation

/// A message of a message center, for Objective-C (MC-8). See `MessageCenterMessage`.
#if canImport(ObjectiveC)
    @objc(BLFMessage)
    @objcMembers
#endif
public final class BLFMessage: NSObject, Sendable {
    /// The same on all devices of the contact.
    public let messageID: String
    /// The headline.
    public let subject: String
    /// The text.
    public let message: String
    /// An image next to the message.
    public let iconURL: String?
    /// The center of the message.
    public let messageCenterName: String
    /// The address to open for the message.
    public let deeplinkURL: String?
    /// The rich message itself, once it was fetched.
    public let richMessageHTML: String?
    /// A page that shows the rich message.
    public let richMessageURL: String?
    /// Whether there is rich content to fetch.
    public let hasRichContent: Bool
    /// When the message was sent to the person.
    public let sentTimestamp: Date
    /// The message is no longer shown from then on; nil if it does not expire.
    public let expiryTimestamp: Date?
    /// Whether the person has neither read nor deleted it.
    public let isUnread: Bool

    init(_ message: MessageCenterMessage) {
        messageID = message.id
        subject = message.subject
        self.message = message.message
        iconURL = message.iconURL?.absoluteString
        messageCenterName = message.messageCenterName
        deeplinkURL = message.deeplinkURL?.absoluteString
        richMessageHTML = message.richMessageHTML
        richMessageURL = message.richMessageURL?.absoluteString
        hasRichContent = message.hasRichContent
        sentTimestamp = message.sentTimestamp
        expiryTimestamp = message.expiryTimestamp
        isUnread = message.isUnread
        super.init()
    }
}

/// A push of Belfry's, for Objective-C. See `ReceivedPush`.
#if canImport(ObjectiveC)
    @objc(BLFPush)
    @objcMembers
#endif
public final class BLFPush: NSObject, Sendable {
    let push: ReceivedPush

    /// Reads what the system delivered.
    ///
    /// - Returns: nil when the push comes from another sender.
    public init?(userInfo: [AnyHashable: Any]) {
        guard let push = ReceivedPush(userInfo: userInfo) else { return nil }
        self.push = push
        super.init()
    }

    /// The title to show.
    public var title: String? { push.title }
    /// The text to show.
    public var body: String? { push.body }

    /// The type of the action when the push is opened, or a button is pressed: `launchApp`, `openUrl` or
    /// `openRichMessage`.
    ///
    /// - Parameter button: the id of the button; nil for the push itself.
    public func actionType(button: String?) -> String? { push.action(button: button)?.type.rawValue }

    /// The address of the action.
    ///
    /// - Parameter button: the id of the button; nil for the push itself.
    public func actionURL(button: String?) -> String? { push.action(button: button)?.url }
}
