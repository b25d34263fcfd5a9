import BelfryModel
import Foundation

// Engagement with the message center (ENG-1 to ENG-4). Each call has two variants. With `await`, it returns when its
// effect is durable. Without `await`, as in `viewWillAppear`, it returns at once, and the calls are performed in their
// order on another thread; errors are in `reports`.
extension BelfryClient {
    /// The view of the message center appears: a display session begins, in which each message is counted once. If the
    /// process was killed during a display session, that one continues when the app comes back within the session
    /// time-out (``BelfryConfiguration/sessionTimeout``).
    public func messageCenterViewWillAppear() async throws(BelfryError) {
        await forwarded.finished()
        try await engine.messageCenter.viewAppeared()
    }

    /// The view of the message center disappears: the display session ends, and its counts are sent at once.
    public func messageCenterViewWillDisappear() async throws(BelfryError) {
        await forwarded.finished()
        try await engine.messageCenter.viewDisappeared()
    }

    /// A message is shown in a list. It counts once per message and display session, even if it is called more often or
    /// the process was killed in between. Without a display session, one begins.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id``, 1 to 128 characters.
    /// - Throws: ``BelfryError/Code/invalidEvent`` for another length.
    public func trackMessageCenterDisplay(_ messageID: String) async throws(BelfryError) {
        await forwarded.finished()
        try await engine.messageCenter.trackDisplay(of: messageID)
    }

    /// A message is opened. It counts each time, also without a display session.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id``, 1 to 128 characters.
    /// - Throws: ``BelfryError/Code/invalidEvent`` for another length.
    public func trackMessageCenterOpen(_ messageID: String) async throws(BelfryError) {
        await forwarded.finished()
        try recorder.trackOpen(of: messageID)
    }
}

extension BelfryClient {
    /// Begins a display session without waiting for it.
    public func messageCenterViewWillAppear() {
        forward { client throws(BelfryError) in try await client.engine.messageCenter.viewAppeared() }
    }

    /// Ends the display session without waiting for it.
    public func messageCenterViewWillDisappear() {
        forward { client throws(BelfryError) in try await client.engine.messageCenter.viewDisappeared() }
    }

    /// Counts a display without waiting for it.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id``, 1 to 128 characters.
    public func trackMessageCenterDisplay(_ messageID: String) {
        forward { client throws(BelfryError) in try await client.engine.messageCenter.trackDisplay(of: messageID) }
    }

    /// Counts an opening without waiting for it.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id``, 1 to 128 characters.
    public func trackMessageCenterOpen(_ messageID: String) {
        forward { client throws(BelfryError) in try client.recorder.trackOpen(of: messageID) }
    }

    /// Performs a call that the app does not wait for, and reports its error.
    func forward(_ work: @escaping @Sendable (BelfryClient) async throws(BelfryError) -> Void) {
        forwarded.add { [self] in
            do throws(BelfryError) {
                try await work(self)
            } catch {
                engine.reporter.failed(error)
            }
        }
    }
}
