import BelfryModel
import Foundation

// The message centers (MC-1 to MC-14). Messages are read from the device's own store. Changes by the person are durable
// when the call returns; the client sends them to the server, which sends them to the person's other devices.
extension BelfryClient {
    /// Turns the message center on or off. It is off by default, and the choice is stored (MC-1). When it is turned on,
    /// all message centers are fetched as soon as there is a contact, and then at intervals. When it is turned off, all
    /// messages and rich contents are removed from the device before the call returns.
    public func setMessageCenterEnabled(_ isEnabled: Bool) async throws(BelfryError) {
        try await engine.messageCenter.setEnabled(isEnabled)
    }

    /// Whether the message center is on.
    public var isMessageCenterEnabled: Bool {
        get async throws(BelfryError) { try await engine.messageCenter.isEnabled }
    }

    /// The app's message centers according to the last fetch, the primary one first (MC-2), without disabled ones.
    /// Before the first fetch there are none. It never waits for the network.
    public var messageCenters: [ListedMessageCenter] {
        get async throws(BelfryError) { try await engine.messageCenter.listed }
    }

    /// The messages of a center as the device has them, newest first, with the error of the last fetch if it failed. It
    /// never waits for the network (MC-6).
    ///
    /// - Parameter center: the message center's exact name; default: the primary one, which every app has.
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
    /// - Parameter center: the center's name; nil for all centers.
    public func unreadCount(in center: String? = nil) async throws(BelfryError) -> Int {
        try await engine.messageCenter.unreadCount(in: center)
    }

    /// Fetches all message centers now, and returns when the response is stored.
    ///
    /// - Throws: at once when there is no network; the messages stay as they were.
    public func refreshMessageCenters() async throws(MessageCenterError) {
        try await engine.messageCenter.refresh()
    }

    /// The message center message of a push, to be shown when the person opens the push with an action
    /// `openRichMessage` without an address (CAMP-6). If no message center on the device has it, they are fetched once.
    /// A push that came while nobody was logged in opens after a login, too (MC-15).
    ///
    /// - Returns: nil when the person has no message of the push's campaign, and for a push that is meant for a person
    ///   who used the device before (ID-4).
    /// - Throws: ``MessageCenterError/Code/notEnabled`` when the message center is off, and the errors of a fetch.
    public func message(for push: ReceivedPush) async throws(MessageCenterError) -> MessageCenterMessage? {
        // Pending calls about the push are recorded first.
        await forwarded.finished()
        return try await engine.messageCenter.message(for: push).map { MessageCenterMessage($0) }
    }

    /// The rich content of a message, as HTML. The first call fetches and stores it, and the server hears that it is
    /// stored; later calls read it from the device (MC-9). Nothing loses it for good: after a crash, a lost response, or
    /// when the device has removed it since, call it again.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id`` of a message that has rich content.
    /// - Throws: ``MessageCenterError/Code/unknownMessage`` when it has none, and the errors of a fetch.
    public func richContent(for messageID: String) async throws(MessageCenterError) -> String {
        try await engine.messageCenter.richContent(for: messageID)
    }

    /// Marks a message as read. It cannot become unread again.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id``.
    /// - Throws: ``MessageCenterError/Code/unknownMessage`` when the device has no such message.
    public func markRead(_ messageID: String) async throws(MessageCenterError) {
        try await engine.messageCenter.setState(.read, of: messageID)
    }

    /// Deletes a message: it is no longer shown, here at once and on the person's other devices after their next fetch.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id``.
    /// - Throws: ``MessageCenterError/Code/unknownMessage`` when the device has no such message.
    public func delete(_ messageID: String) async throws(MessageCenterError) {
        try await engine.messageCenter.setState(.deleted, of: messageID)
    }

    /// The changes in the message centers: new messages (MC-11), and messages that were changed, read or deleted
    /// elsewhere, recalled or expired, and other labels (MC-17). Each access creates its own stream of the updates from
    /// then on; it ends with ``stop()``. On Apple's systems the same is posted to `NotificationCenter`, as
    /// `belfryMessageCenterUpdate`.
    public var messageCenterUpdates: AsyncStream<MessageCenterUpdate> { engine.feeds.centerUpdates.listen() }

    /// The server's unchanged responses to fetches, with their URL (MC-11). Each access creates a stream of its own. On
    /// Apple's systems the same is posted to `NotificationCenter`, as `belfryMessageCenterResponse`.
    public var messageCenterResponses: AsyncStream<MessageCenterResponse> { engine.feeds.centerResponses.listen() }
}
