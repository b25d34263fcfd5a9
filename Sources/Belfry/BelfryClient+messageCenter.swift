import BelfryModel
import Foundation

// The message centres (MC-1 to MC-14). What is shown comes from the device's own store; what the person does with a
// message is durable when the call returns and reaches the server, and the person's other devices, by itself.
extension BelfryClient {
    /// Turns the message centre on or off; it is off until the app says so, and the choice is stored (MC-1). Turned on,
    /// all centres are fetched as soon as there is a contact, and then at intervals. Turned off, all messages and rich
    /// contents are gone from the device when it returns.
    public func setMessageCenterEnabled(_ isEnabled: Bool) async throws(BelfryError) {
        try await engine.messageCenter.setEnabled(isEnabled)
    }

    /// Whether the message centre is on.
    public var isMessageCenterEnabled: Bool {
        get async throws(BelfryError) { try await engine.messageCenter.isEnabled }
    }

    /// The app's centres as the server listed them at the last fetch, the primary one first (MC-2); those that are
    /// disabled are not among them, and before the first fetch there is none. It never waits for the network.
    public var messageCenters: [ListedMessageCenter] {
        get async throws(BelfryError) { try await engine.messageCenter.listed }
    }

    /// The messages of a centre as the device has them, newest first, with the error of the last fetch if it failed. It
    /// never waits for the network (MC-6).
    ///
    /// - Parameter center: the centre's name, letter by letter; by default the one that every app has.
    public func messages(
        in center: String = MessageCenterName.primary.rawValue
    ) async throws(BelfryError) -> MessageCenterMessages {
        let list = try await engine.messageCenter.messages(in: center)
        return MessageCenterMessages(
            list.messages.map { MessageCenterMessage($0) }, error: list.error, fetchedAt: list.fetchedAt
        )
    }

    /// How many of the messages that the device has are unread (MC-14).
    ///
    /// - Parameter center: the centre's name; nil for all centres.
    public func unreadCount(in center: String? = nil) async throws(BelfryError) -> Int {
        try await engine.messageCenter.unreadCount(in: center)
    }

    /// Fetches all centres now, whether or not they are due, and returns when the answer is stored.
    ///
    /// - Throws: at once when there is no network; the messages stay as they were.
    public func refreshMessageCenters() async throws(MessageCenterError) {
        try await engine.messageCenter.refresh()
    }

    /// The message that was kept with a push, to be shown when the person opens the push: an action `openRichMessage`
    /// without an address leads to it (CAMP-6). It is looked for in all centres on the device; when it is not there,
    /// they are fetched once.
    ///
    /// - Returns: nil when the person has no message of the push's campaign, and for a push that is meant for a person
    ///   who used the device before (ID-4).
    /// - Throws: ``MessageCenterError/Code/notEnabled`` when the message centre is off, and what may go wrong with a
    ///   fetch.
    public func message(for push: ReceivedPush) async throws(MessageCenterError) -> MessageCenterMessage? {
        // What was forwarded of the push is recorded first.
        await forwarded.finished()
        return try await engine.messageCenter.message(for: push).map { MessageCenterMessage($0) }
    }

    /// The rich content of a message, as HTML. The first call fetches it, for the server serves it once to each device;
    /// it is stored before it is handed out, and from then on comes from the device (MC-9). A crash or a lost answer
    /// loses nothing: call it again.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id`` of a message that has rich content.
    /// - Throws: ``MessageCenterError/Code/unknownMessage`` when it has none, and what may go wrong on the way.
    public func richContent(for messageID: String) async throws(MessageCenterError) -> String {
        try await engine.messageCenter.richContent(for: messageID)
    }

    /// The person has read a message. Nothing becomes unread again.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id``.
    /// - Throws: ``MessageCenterError/Code/unknownMessage`` when the device has no such message.
    public func markRead(_ messageID: String) async throws(MessageCenterError) {
        try await engine.messageCenter.setState(.read, of: messageID)
    }

    /// The person deletes a message: it is no longer shown, here at once and on their other devices after their next
    /// fetch.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id``.
    /// - Throws: ``MessageCenterError/Code/unknownMessage`` when the device has no such message.
    public func delete(_ messageID: String) async throws(MessageCenterError) {
        try await engine.messageCenter.setState(.deleted, of: messageID)
    }

    /// Tells which centres have new messages (MC-11). Each access is a listener of its own, and hears what comes from
    /// then on; the stream ends with ``stop()``. On Apple's systems the same is posted to `NotificationCenter`, as
    /// `belfryMessageCenterUpdate`.
    public var messageCenterUpdates: AsyncStream<MessageCenterUpdate> { engine.feeds.centerUpdates.listen() }

    /// The answers of the server to fetches, as they came, with their address (MC-11). Each access is a listener of its
    /// own. On Apple's systems the same is posted to `NotificationCenter`, as `belfryMessageCenterResponse`.
    public var messageCenterResponses: AsyncStream<MessageCenterResponse> { engine.feeds.centerResponses.listen() }
}
