import ServiceLifecycle
import Synchronization

/// Whether the browser that a page is told to live is still there (CON-7).
final class Departure: Sendable {
    private struct State {
        var hasHappened = false
        /// Ends what is being waited for.
        var cancel: (@Sendable () -> Void)?
        var endWatch: (@Sendable () -> Void)?
        /// Gives back what the page holds.
        var release: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The browser is gone: nobody waits for what is being waited for.
    func happen() {
        let cancel = state.withLock { state in
            state.hasHappened = true
            return state.cancel
        }
        cancel?()
        // There may never be a response that would: the browser is gone before its first byte.
        endWatch()
    }

    /// - Parameter end: ends whatever would call ``happen()``.
    func watched(by end: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.hasHappened { state.endWatch = end }
            return state.hasHappened
        }
        if isOver { end() }
    }

    /// - Parameter release: gives back what the page holds; called once, when it is over.
    func holds(_ release: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.hasHappened { state.release = release }
            return state.hasHappened
        }
        if isOver { release() }
    }

    /// The response is over, or there is none.
    func endWatch() {
        let (endWatch, release) = state.withLock { ($0.endWatch.take(), $0.release.take()) }
        endWatch?()
        release?()
    }

    /// Waits for something as long as the browser does and the server does not end.
    ///
    /// - Returns: nil when it was given up.
    func whileThere<Output: Sendable>(_ work: @escaping @Sendable () async -> Output?) async -> Output? {
        let task = Task { await work() }
        let isGone = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.hasHappened
        }
        defer { state.withLock { $0.cancel = nil } }
        if isGone { task.cancel() }
        let output = await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await task.value
            } onGracefulShutdown: {
                task.cancel()
            }
        } onCancel: {
            task.cancel()
        }
        return task.isCancelled ? nil : output
    }
}
