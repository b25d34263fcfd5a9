import Foundation

/// The messages of a center on the device, newest first, and the result of the last fetch (MC-6).
///
/// ```swift
/// let inbox = try await client.messages()
/// for message in inbox { print(message.subject) }
/// if let error = inbox.error { print("The list may be old: \(error)") }
/// ```
public struct MessageCenterMessages: RandomAccessCollection, Hashable, Sendable {
    /// The messages, newest first.
    public let messages: [MessageCenterMessage]
    /// Why the last fetch failed; nil when it succeeded, or there was none yet. The messages are those of the last
    /// successful fetch.
    public let error: MessageCenterError?
    /// When the messages were fetched; nil if that has not happened for this person yet.
    public let fetchedAt: Date?

    /// Creates a list for previews and tests.
    public init(_ messages: [MessageCenterMessage], error: MessageCenterError? = nil, fetchedAt: Date? = nil) {
        self.messages = messages
        self.error = error
        self.fetchedAt = fetchedAt
    }

    /// 0.
    public var startIndex: Int { messages.startIndex }
    /// The number of messages.
    public var endIndex: Int { messages.endIndex }

    /// The message at a position, the newest one first.
    public subscript(position: Int) -> MessageCenterMessage { messages[position] }
}

/// A change of the message centers that the app shows: there are new messages (MC-11), or messages were changed, read
/// or deleted elsewhere, recalled or expired, or a center has another label (MC-17).
public struct MessageCenterUpdate: Hashable, Sendable {
    /// The names of the centers with messages that this device did not have before, in alphabetical order.
    public let centers: [String]
    /// The names of the centers in which anything else has changed: messages in ``changedMessages`` or
    /// ``removedMessages``, the label, or whether the center is shown. In alphabetical order.
    public let changedCenters: [String]
    /// The ids of messages with another content or state than before.
    public let changedMessages: Set<String>
    /// The ids of messages that are no longer shown: deleted on another device, recalled, expired or no longer among the
    /// newest.
    public let removedMessages: Set<String>

    /// Creates an update; the SDK creates those of its fetches.
    public init(
        centers: [String],
        changedCenters: [String] = [],
        changedMessages: Set<String> = [],
        removedMessages: Set<String> = []
    ) {
        self.centers = centers
        self.changedCenters = changedCenters
        self.changedMessages = changedMessages
        self.removedMessages = removedMessages
    }
}

/// The raw response to a fetch of messages (MC-11).
public struct MessageCenterResponse: Hashable, Sendable {
    /// The body of the response, JSON in UTF-8.
    public let json: Data
    /// The address of the request.
    public let url: URL

    /// Creates a response; the SDK creates those of its fetches.
    public init(json: Data, url: URL) {
        self.json = json
        self.url = url
    }
}
