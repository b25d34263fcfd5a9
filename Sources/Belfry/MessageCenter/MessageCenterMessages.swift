import Foundation

/// What a centre holds on the device, newest first, and how the last fetch went (MC-6).
///
/// ```swift
/// let inbox = try await client.messages()
/// for message in inbox { print(message.subject) }
/// if let error = inbox.error { print("The list may be old: \(error)") }
/// ```
public struct MessageCenterMessages: RandomAccessCollection, Hashable, Sendable {
    /// The messages, newest first.
    public let messages: [MessageCenterMessage]
    /// Why the last fetch failed; nil when it succeeded, or there was none yet. The messages are those of the last one
    /// that succeeded.
    public let error: MessageCenterError?
    /// When the messages were fetched; nil when they never were for this person.
    public let fetchedAt: Date?

    /// Makes a list by hand, for previews and tests.
    public init(_ messages: [MessageCenterMessage], error: MessageCenterError? = nil, fetchedAt: Date? = nil) {
        self.messages = messages
        self.error = error
        self.fetchedAt = fetchedAt
    }

    /// 0.
    public var startIndex: Int { messages.startIndex }
    /// The number of messages.
    public var endIndex: Int { messages.endIndex }

    /// The message at a place, the newest one first.
    public subscript(position: Int) -> MessageCenterMessage { messages[position] }
}

/// Centres have new messages (MC-11).
public struct MessageCenterUpdate: Hashable, Sendable {
    /// The names of the centres that have messages which this device did not have before, in alphabetical order.
    public let centers: [String]

    /// Names the centres.
    public init(centers: [String]) {
        self.centers = centers
    }
}

/// A fetch of messages as it was answered (MC-11).
public struct MessageCenterResponse: Hashable, Sendable {
    /// The body of the answer, JSON in UTF-8.
    public let json: Data
    /// The address that was asked.
    public let url: URL

    /// Takes the answer's body and the address that was asked.
    public init(json: Data, url: URL) {
        self.json = json
        self.url = url
    }
}
