import BelfryModel
import Foundation

// What a person sees of the message centre (ENG-1 to ENG-4). Each call comes in two kinds. Awaited, it returns when its
// effect is durable. Called without `await`, as from `viewWillAppear`, it returns at once and is worked off in the order
// of the calls, off the calling thread; `reports` tells when it fails there.
extension BelfryClient {
    /// The view of the message centre appears: a display session begins, in which each message is counted once. One
    /// that never ended, because the process was killed, goes on when the app comes back within the session time-out
    /// (``BelfryConfiguration/sessionTimeout``).
    public func messageCenterViewWillAppear() async throws(BelfryError) {
        await forwarded.finished()
        try await engine.messageCenter.viewAppeared()
    }

    /// The view of the message centre disappears: the display session ends, and what was counted leaves at once.
    public func messageCenterViewWillDisappear() async throws(BelfryError) {
        await forwarded.finished()
        try await engine.messageCenter.viewDisappeared()
    }

    /// A message is shown in short, as a row of a list. However often it is called, it counts once per message and
    /// display session, also over a kill of the process. Without a session one begins.
    ///
    /// - Parameter messageID: the ``MessageCenterMessage/id``, 1 to 128 characters.
    /// - Throws: ``BelfryError/Code/invalidEvent`` for another length.
    public func trackMessageCenterDisplay(_ messageID: String) async throws(BelfryError) {
        await forwarded.finished()
        try await engine.messageCenter.trackDisplay(of: messageID)
    }

    /// A message is shown in full. It counts each time, whether or not there is a display session.
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

    /// Nobody waits for the work, so nobody else would hear of its fault.
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
