import BelfryModel
import BelfryRules
import BelfryWire
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

/// What the app shows of the message centers has changed: there are new messages (MC-11), or messages were changed,
/// read or deleted elsewhere, recalled or expired, or a center has another label (MC-17).
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

extension MessageCenterUpdate {
    /// What a response changes of that which the app shows; nil when nothing. What the person did on this device counts
    /// before the server knows it, so it is no news.
    ///
    /// - Parameters:
    ///   - messages: all messages of the response.
    ///   - listed: its centers.
    ///   - step: before the response is stored.
    init?(
        after messages: [StoredMessageCenterMessage],
        in listed: [ListedMessageCenter],
        _ step: DeviceStep
    ) throws(BelfryError) {
        let known = try step.store.centerMessageIDs()
        let former = try step.store.centerMessages(in: nil, step.retention)
        let pending = try step.store.pendingStatesByID()
        let present = messages.filter { message in
            let state = MessageStateMerge.shown(server: message.state, pending: pending[message.id])
            return state != .deleted && message.expiresAt.map { $0 > step.retention.serverTime } ?? true
        }
        let formerByID = Dictionary(former.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let ids = Set(present.map(\.id))
        let removed = former.filter { !ids.contains($0.id) }
        let changed = present.filter { message in
            guard let before = formerByID[message.id] else { return false }
            let state = MessageStateMerge.shown(server: message.state, pending: pending[message.id])
            return state != before.state || !message.body.saysTheSame(as: before.body)
        }
        let new = Set(present.filter { !known.contains($0.id) }.map(\.center))
        let others =
            Set((removed + changed).map(\.center)).union(Self.relabelled(listed, since: step.state.sync.centers))
        guard !new.isEmpty || !others.isEmpty else { return nil }
        self.init(
            centers: new.sorted(), changedCenters: others.sorted(), changedMessages: Set(changed.map(\.id)),
            removedMessages: Set(removed.map(\.id))
        )
    }

    /// The centers that have another label than before, have come or are gone; the first fetch has none before it.
    private static func relabelled(
        _ listed: [ListedMessageCenter],
        since former: MessageCenterSchedule
    ) -> Set<String> {
        guard former.fetchedAt != nil else { return [] }
        let before = former.listed.map { ListedMessageCenter(name: $0, label: former.label(of: $0)) }
        return Set(Set(before).symmetricDifference(listed).map(\.name))
    }
}

extension MessageCenterMessageBody {
    /// Whether it is the same apart from the state.
    fileprivate func saysTheSame(as other: MessageCenterMessageBody) -> Bool {
        var copy = other
        copy.state = state
        return self == copy
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
