import Synchronization

/// The browsers that show a phone: each learns that something has changed.
final class Viewers: Sendable {
    private let streams = Mutex<(all: [Int: AsyncStream<Void>.Continuation], numbers: Int)>(([:], 0))

    var isEmpty: Bool { streams.withLock { $0.all.isEmpty } }

    /// An element for the present state, and one whenever it may have changed; several changes may be one.
    func watch() -> AsyncStream<Void> {
        let made = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = streams.withLock { streams in
            streams.numbers += 1
            streams.all[streams.numbers] = made.continuation
            return streams.numbers
        }
        made.continuation.onTermination = { [weak self] _ in
            self?.streams.withLock { _ = $0.all.removeValue(forKey: number) }
        }
        made.continuation.yield()
        return made.stream
    }

    func signal() {
        for stream in streams.withLock({ Array($0.all.values) }) { stream.yield() }
    }
}
