import Synchronization

/// The browsers that show a phone: each learns that something has changed.
final class Viewers: Sendable {
    /// Pages that show one phone at a time.
    static let maximum = 16

    private let streams = Mutex<(all: [Int: AsyncStream<Void>.Continuation], numbers: Int)>(([:], 0))

    var isEmpty: Bool { streams.withLock { $0.all.isEmpty } }

    /// One browser, until it leaves.
    struct Viewer: Sendable {
        /// An element for the present state, and one whenever it may have changed; several changes may be one.
        let changes: AsyncStream<Void>
        fileprivate let continuation: AsyncStream<Void>.Continuation

        /// Something has changed for this browser alone: the time that it shows.
        func signal() {
            continuation.yield()
        }

        /// The browser is gone.
        func leave() {
            continuation.finish()
        }
    }

    /// - Returns: nil when there are too many already.
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
