import BelfryInAppRenderer
import BelfryModel
import Foundation

// In-app messages (IAM-1 to IAM-14). They are downloaded ahead and shown by themselves, when what the app tracks is what
// they wait for; no call here waits for the network but the one that says so. What views call comes in two kinds, as in
// the message centre: awaited, and without `await`, worked off in the order of the calls.
extension BelfryClient {
    /// Shows no message from now on, such as during a payment or a video; what is on the screen stays. What is due
    /// meanwhile waits. It is not stored: a new process shows messages.
    public func pauseInAppMessages() async throws(BelfryError) {
        await forwarded.finished()
        try await engine.inApp.setPaused(true)
    }

    /// Shows messages again, the one that is due first.
    public func resumeInAppMessages() async throws(BelfryError) {
        await forwarded.finished()
        try await engine.inApp.setPaused(false)
    }

    /// Whether messages are held back by ``pauseInAppMessages()``.
    public var isInAppPaused: Bool {
        get async throws(BelfryError) { try await engine.inApp.isPaused }
    }

    /// Who decides about messages and hears of them; nil for nobody. It is kept until another one is set, so it should
    /// not keep the client.
    public func setInAppDelegate(_ delegate: (any InAppMessageDelegate)?) async {
        await engine.inApp.setDelegate(delegate)
    }

    /// The messages that the device has for this person, those that have not begun among them; the next to be shown
    /// first: by priority, then the newest. It never waits for the network.
    public var inAppMessages: [InAppMessage] {
        get async throws(BelfryError) { try await engine.inApp.messages() }
    }

    /// Shows a message now, and returns once it is on the screen. Its trigger and its delay, the gap to the last message
    /// and the caps do not matter; its time and its display limit do, a pause, what is on the screen, and the app's own
    /// word (``InAppMessageDelegate/shouldShow(_:)``).
    ///
    /// - Parameter id: the ``InAppMessage/id``; for an app that has let a message wait, or has a list of them.
    /// - Throws: ``InAppError/Code/notShown`` with the ``InAppError/reason``.
    public func showInAppMessage(id: String) async throws(InAppError) {
        try await engine.inApp.show(id)
    }

    /// Fetches what is new now, whether or not it is due, and returns when it is stored.
    ///
    /// - Throws: at once when there is no network; the messages stay as they were.
    public func refreshInAppMessages() async throws(InAppError) {
        try await engine.inApp.refresh()
    }

    /// Records that a screen of the app is shown: the internal event `screen` with its name, which messages may wait for
    /// (IAM-5).
    ///
    /// - Parameters:
    ///   - name: trimmed, 1 to 128 characters.
    ///   - attributes: at most 63 more, as of ``track(_:attributes:)``; `name` is the screen's.
    /// - Throws: ``BelfryError/Code/invalidEvent`` naming the limit that it breaks; nothing is recorded then.
    public func trackScreen(_ name: String, attributes: [String: AttributeValue] = [:]) async throws(BelfryError) {
        await forwarded.finished()
        try recorder.trackScreen(name, attributes: attributes)
    }

    /// Tells what was decided about messages, and why: "not shown: another message was shown 12 s ago". Each access is a
    /// listener of its own, and hears what comes from then on; the stream ends with ``stop()``.
    public var inAppDecisions: AsyncStream<InAppDecisionReport> { engine.feeds.inAppDecisions.listen() }

    /// Tells what persons press in messages, and the actions of messages without a screen: an event, an address, each
    /// with its message. Each access is a listener of its own; the stream ends with ``stop()``.
    ///
    /// To listen is not to do: an address is opened by the SDK unless ``InAppMessageDelegate/handle(_:of:)`` says that
    /// the app did it.
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
    /// The message for a place in the app's own views: of several, the one with the lowest priority number, then the
    /// newest. It counts as shown when ``inlineMessageShown(_:)`` says so, once in a session, however many views
    /// show it.
    ///
    /// On iOS `BelfryInlineMessage` and `BelfryInlineMessageView` do all of this.
    ///
    /// - Parameter viewID: the place's name, compared without case.
    /// - Returns: nil when there is nothing to show there.
    public func inlineMessage(viewID: String) async throws(InAppError) -> InlineMessage? {
        try await engine.inApp.inlineMessage(viewID)
    }

    /// Tells that the places in the app's own views may have another message: one has come or changed, its time has
    /// begun, or a session has. A place that is empty asks again then. Each access is a listener of its own; the stream
    /// ends with ``stop()``.
    public var inlineMessageUpdates: AsyncStream<Void> { engine.feeds.inlineOffers.listen() }

    /// An inline message is really on the screen. It counts once in a session, however often it is said; one that stays
    /// there counts again by itself when the next one begins.
    public func inlineMessageShown(_ inline: InlineMessage) async throws(BelfryError) {
        try await engine.inApp.inlineShown(inline.ticket)
    }

    /// The page of an inline message has said something (``InAppDisplay/command(posted:)``): it is counted and done.
    ///
    /// - Returns: whether the message is over, and its place is to be empty.
    public func inlineMessage(
        _ inline: InlineMessage,
        said command: InAppBridgeCommand
    ) async throws(BelfryError) -> Bool {
        try await engine.inApp.inlineSaid(command, inline.ticket)
    }

    /// Waits until an inline message is not to be seen any more: it was recalled (IAM-10), its person has left (IAM-11),
    /// a session has begun for which its limit leaves no display (IAM-8), or it was closed. It
    /// returns as well when its task is cancelled, and with ``stop()``.
    public func inlineMessageEnded(_ inline: InlineMessage) async {
        await engine.inApp.inlineEnded(inline.ticket)
    }

    /// An inline message has left the screen; the time for which it was there is told (IAM-9).
    public func inlineMessageClosed(_ inline: InlineMessage) async throws(BelfryError) {
        try await engine.inApp.inlineClosed(inline.ticket)
    }
}
