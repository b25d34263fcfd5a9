import Synchronization

/// The browsers that show a phone. Each gets a signal when something has changed.
final class Viewers: Sendable {
    /// The number of browser pages that can show a phone at the same time.
    static let maximum = 16

    private let streams = Mutex<(all: [Int: AsyncStream<Void>.Continuation], numbers: Int)>(([:], 0))

    var isEmpty: Bool { streams.withLock { $0.all.isEmpty } }

    /// One browser, until it disconnects.
    struct Viewer: Sendable {
        /// One element for the present state, and one after each change. Several changes may give one element.
        let changes: AsyncStream<Void>
        fileprivate let continuation: AsyncStream<Void>.Continuation

        /// Signals a change to this browser alone, such as of the displayed times.
        func signal() {
            continuation.yield()
        }

        /// The browser has disconnected.
        func leave() {
            continuation.finish()
        }
    }

    /// - Returns: nil when too many browsers show the phone.
    func watch() -> Viewer? {
        let made = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number: Int? = streams.withLock { streams in
            guard streams.all.count < Self.maximum else { return nil }
            streams.numbers += 1
            streams.all[streams.numbers] = made.continuation
            return streams.numbers
        }
        guard let number else { return nil }
        made.continuation.onTermination = { [weak self] _ in
            self?.streams.withLock { _ = $0.all.removeValue(forKey: number) }
        }
        made.continuation.yield()
        return Viewer(changes: made.stream, continuation: made.continuation)
    }

    func signal() {
        for stream in streams.withLock({ Array($0.all.values) }) { stream.yield() }
    }
}
