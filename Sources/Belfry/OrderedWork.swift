import Foundation

/// Performs work that no caller waits for, one item after the other, in the order in which it was added.
final class OrderedWork: Sendable {
    private let newest = Locked<Task<Void, Never>?>(nil)

    /// Returns at once.
    func add(_ work: @escaping @Sendable () async -> Void) {
        newest.withLock { newest in
            let before = newest
            newest = Task {
                await before?.value
                await work()
            }
        }
    }

    /// Adds work with a deadline: if it takes longer, it delays neither the following work nor ``finished()``.
    func add(
        until end: Date,
        sleep: @escaping @Sendable (Date) async -> Void,
        _ work: @escaping @Sendable () async -> Void
    ) {
        add {
            let (over, done) = AsyncStream<Void>.makeStream()
            let clock = Task {
                await sleep(end)
                done.finish()
            }
            Task {
                await work()
                done.finish()
            }
            for await _ in over {}
            clock.cancel()
        }
    }

    /// Returns when all work that was added so far is done.
    func finished() async {
        await newest.withLock { $0 }?.value
    }
}
