import BelfryStore
import GRDB
import Synchronization

/// A few readers, and the reads that wait for them. A reader takes one read after the other as long as any wait: to
/// wake a thread costs more than most reads.
final class ReadLane: Sendable {
    private let pool: DatabasePool
    private let waiting: Mutex<WaitingReads>

    /// - Parameter readers: the most readers; the pool has connections for all lanes together.
    init(_ pool: DatabasePool, readers: Int) {
        self.pool = pool
        waiting = Mutex(WaitingReads(readers: readers))
    }

    func add<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        _ completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        let read: WaitingReads.Read = { access in
            let result = Result { try access.get().reading(body) }
            return { completion(result) }
        }
        guard waiting.withLock({ $0.add(read) }) else { return }
        pool.asyncUnsafeRead { access in
            while let read = self.waiting.withLock({ $0.take() }) { Self.run(read, access) }
        }
    }

    /// Runs one read, which sees what was committed before it began.
    private static func run(_ read: WaitingReads.Read, _ access: Result<GRDB.Database, any Error>) {
        read(access.map { SQLiteConnection(database: $0) })()
    }
}
