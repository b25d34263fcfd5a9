import BelfryInAppRenderer
import BelfryModel
import Foundation

// In-app messages (IAM-1 to IAM-14). They are downloaded in advance and shown by themselves when their trigger matches.
// No call here waits for the network, except the one that says so. Calls for views have two variants, as in the message
// center: with `await`, and without it; the latter are performed in the order of the calls.
extension BelfryClient {
    /// Shows no new message from now on, for example during a payment or a video. A message on the screen stays, and
    /// messages that become due wait. It is not stored: a new process shows messages.
    public func pauseInAppMessages() async throws(BelfryError) {
        await forwarded.finished()
        try await engine.inApp.setPaused(true)
    }

    /// Shows messages again, beginning with the next one that is due.
    public func resumeInAppMessages() async throws(BelfryError) {
        await forwarded.finished()
        try await engine.inApp.setPaused(false)
    }

    /// Whether messages are held back by ``pauseInAppMessages()``.
    public var isInAppPaused: Bool {
        get async throws(BelfryError) { try await engine.inApp.isPaused }
    }

    /// Sets the delegate that decides about messages and is informed about them; nil removes it. The client keeps a
    /// strong reference to it, so it should not have one to the client.
    public func setInAppDelegate(_ delegate: (any InAppMessageDelegate)?) async {
        await engine.inApp.setDelegate(delegate)
    }

    /// The messages that the device has for this person, including those that have not started yet, in the order in
    /// which they are shown: by priority, then newest first. It never waits for the network.
    public var inAppMessages: [InAppMessage] {
        get async throws(BelfryError) { try await engine.inApp.messages() }
    }

    /// Shows a message now, and returns once it is on the screen. Its trigger, its delay, the gap to the last message
    /// and the caps are ignored. Its start and end, its display limit, a pause, a message on the screen, and the app's
    /// decision (``InAppMessageDelegate/shouldShow(_:)``) are respected.
    ///
    /// - Parameter id: the ``InAppMessage/id``, for an app that has deferred a message or shows a list of them.
    /// - Throws: ``InAppError/Code/notShown`` with the ``InAppError/reason``.
    public func showInAppMessage(id: String) async throws(InAppError) {
        try await engine.inApp.show(id)
    }

    /// Syncs the messages now, and returns when they are stored.
    ///
    /// - Throws: at once when there is no network; the messages stay as they were.
    public func refreshInAppMessages() async throws(InAppError) {
        try await engine.inApp.refresh()
    }

    /// Records that a screen of the app is shown: the internal event `screen` with its name, which can trigger messages
    /// (IAM-5).
    ///
    /// - Parameters:
    ///   - name: trimmed, 1 to 128 characters.
    ///   - attributes: at most 63 more, as of ``track(_:attributes:)``; `name` is the screen's.
    /// - Throws: ``BelfryError/Code/invalidEvent`` with the limit that is exceeded; then nothing is recorded.
    public func trackScreen(_ name: String, attributes: [String: AttributeValue] = [:]) async throws(BelfryError) {
        await forwarded.finished()
        try recorder.trackScreen(name, attributes: attributes)
    }

    /// The decisions about messages, with reasons: "not shown: another message was shown 12 s ago". Each access creates
    /// a stream of its own for decisions from then on; it ends with ``stop()``.
    public var inAppDecisions: AsyncStream<InAppDecisionReport> { engine.feeds.inAppDecisions.listen() }

    /// The actions of buttons that were pressed, and of messages of the type `action`, each with its message. Each
    /// access creates a stream of its own; it ends with ``stop()``.
    ///
    /// A listener does not perform actions: the SDK opens an address, unless ``InAppMessageDelegate/handle(_:of:)``
    /// returns that the app did it.
    public var inAppActions: AsyncStream<InAppActionReport> { engine.feeds.inAppActions.listen() }
}

extension BelfryClient {
    /// Holds messages back, without waiting for it.
    public func pauseInAppMessages() {
        forward { client throws(BelfryError) in try await client.engine.inApp.setPaused(true) }
    }

    /// Shows messages again, without waiting for it.
    public func resumeInAppMessages() {
        forward { client throws(BelfryError) in try await client.engine.inApp.setPaused(false) }
    }

    /// Records that a screen is shown, without waiting for it.
    ///
    /// - Parameters:
    ///   - name: trimmed, 1 to 128 characters.
    ///   - attributes: at most 63 more.
    public func trackScreen(_ name: String, attributes: [String: AttributeValue] = [:]) {
        forward { client throws(BelfryError) in try client.recorder.trackScreen(name, attributes: attributes) }
    }
}

// MARK: - Inline messages

extension BelfryClient {
    /// The message for a view of the app: of several, the one with the lowest priority number, then the newest. It
    /// counts as shown with ``inlineMessageShown(_:)``, once per session, even if several views show it.
    ///
    /// On iOS `BelfryInlineMessage` and `BelfryInlineMessageView` do all of this.
    ///
    /// - Parameter viewID: the id of the view, compared without case.
    /// - Returns: nil when there is nothing to show there.
    public func inlineMessage(viewID: String) async throws(InAppError) -> InlineMessage? {
        try await engine.inApp.inlineMessage(viewID)
    }

    /// Signals that views may get another message: one was downloaded or changed, has started, or a session has begun.
    /// An empty view should ask again then. Each access creates a stream of its own; it ends with ``stop()``.
    public var inlineMessageUpdates: AsyncStream<Void> { engine.feeds.inlineOffers.listen() }

    /// An inline message is visible on the screen. It counts once per session, even if this is called more often. If it
    /// stays there, it counts again by itself when the next session begins.
    public func inlineMessageShown(_ inline: InlineMessage) async throws(BelfryError) {
        try await engine.inApp.inlineShown(inline.inlineID)
    }

    /// The page of an inline message has sent a command (``InAppDisplay/command(posted:)``): it is counted and
    /// performed.
    ///
    /// - Returns: whether the message has ended, so that its view should become empty.
    public func inlineMessage(
        _ inline: InlineMessage,
        said command: InAppBridgeCommand
    ) async throws(BelfryError) -> Bool {
        try await engine.inApp.inlineSaid(command, inline.inlineID)
    }

    /// Waits until an inline message must be removed: it was recalled (IAM-10), the person has changed (IAM-11), a
    /// session has begun and its display limit is reached (IAM-8), or it was closed. It also returns when its task is
    /// cancelled, and with ``stop()``.
    public func inlineMessageEnded(_ inline: InlineMessage) async {
        await engine.inApp.inlineEnded(inline.inlineID)
    }

    /// An inline message has left the screen; the time for which it was visible is reported (IAM-9).
    public func inlineMessageClosed(_ inline: InlineMessage) async throws(BelfryError) {
        try await engine.inApp.inlineClosed(inline.inlineID)
    }
}
