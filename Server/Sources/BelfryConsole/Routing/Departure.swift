import ServiceLifecycle
import Synchronization

/// Notices when the browser of a live page disconnects, and then ends the response's work (CON-7).
final class Departure: Sendable {
    private struct State {
        var hasHappened = false
        /// Cancels the work for which ``whileThere(_:)`` waits.
        var cancel: (@Sendable () -> Void)?
        var endWatch: (@Sendable () -> Void)?
        /// Releases the live page's place.
        var release: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The browser has disconnected: cancels the work.
    func happen() {
        let cancel = state.withLock { state in
            state.hasHappened = true
            return state.cancel
        }
        cancel?()
        // If the browser disconnects before the first byte, no response is ever written that would end the watch.
        endWatch()
    }

    /// - Parameter end: stops the watch that would call ``happen()``.
    func watched(by end: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.hasHappened { state.endWatch = end }
            return state.hasHappened
        }
        if isOver { end() }
    }

    /// - Parameter release: releases the live page's place; called once, at the end.
    func holds(_ release: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.hasHappened { state.release = release }
            return state.hasHappened
        }
        if isOver { release() }
    }

    /// Ends the watch and releases the place: the response has ended, or there is none.
    func endWatch() {
        let (endWatch, release) = state.withLock { ($0.endWatch.take(), $0.release.take()) }
        endWatch?()
        release?()
    }

    /// Waits for work until it ends, the browser disconnects, or the server shuts down.
    ///
    /// - Returns: nil when the work was cancelled.
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
