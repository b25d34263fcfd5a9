import BelfryStore
import GRDB
import GRDBSQLite
import Synchronization

/// Connections for what is read in a moment, each used where the caller stands: to change threads costs more than such a
/// read does.
///
/// The caller is an event loop, with other connections to serve. So a read here waits for no lock, and does so much work
/// at most; what is more goes to a reader's thread. They are queues of their own and none of the pool's, whose readers
/// are lent under a lock that all lenders share.
final class IdleReaders: Sendable {
    private struct Reader: Sendable {
        let connection: DatabaseQueue
        let budget: ReadBudget
    }

    private let readers: [Reader]
    /// The numbers of those that nobody uses.
    private let idle: Mutex<[Int]>

    /// - Parameters:
    ///   - path: of a file that another connection has opened to write.
    ///   - count: how many read at the same time at most.
    init(path: String, count: Int) throws {
        readers = try (0..<count).map { _ in
            let budget = ReadBudget()
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .immediateError
            configuration.allowsUnsafeTransactions = true
            configuration.prepareDatabase { budget.watch($0) }
            return Reader(connection: try DatabaseQueue(path: path, configuration: configuration), budget: budget)
        }
        idle = Mutex(Array(0..<count))
    }

    func close() throws {
        for reader in readers { try reader.connection.close() }
    }

    /// Reads at once, if a connection is idle.
    ///
    /// - Returns: nil when all are at work, or when it takes longer than the caller can wait: then the same is to be
    ///   read elsewhere.
    func read<Output>(_ body: (any SQLConnection) throws -> Output) -> Result<Output, any Error>? {
        guard let number = idle.withLock({ $0.popLast() }) else { return nil }
        defer { idle.withLock { $0.append(number) } }
        let reader = readers[number]
        reader.budget.renew()
        let result = Result {
            try reader.connection.unsafeRead { database in
                try SQLiteConnection(database: database).reading(body)
            }
        }
        guard case .failure(let error as DatabaseError) = result else { return result }
        switch error.resultCode {
        case .SQLITE_INTERRUPT, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: return nil
        default: return result
        }
    }
}

/// What one read may cost where somebody waits: a fetch of all message centers takes a tenth of it.
final class ReadBudget: Sendable {
    /// Steps of SQLite's machine between two looks at it.
    private static let steps: Int32 = 1_000
    /// Looks until it is spent: some 100,000 steps, a few milliseconds.
    private static let looks = 100

    private let left = Atomic(ReadBudget.looks)

    func renew() {
        left.store(Self.looks, ordering: .relaxed)
    }

    /// Interrupts what the connection does once the budget is spent. The connection must not outlive it.
    func watch(_ database: GRDB.Database) {
        sqlite3_progress_handler(
            database.sqliteConnection, Self.steps,
            { budget in
                guard let budget else { return 0 }
                return Unmanaged<ReadBudget>.fromOpaque(budget).takeUnretainedValue().isSpent ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private var isSpent: Bool { left.wrappingSubtract(1, ordering: .relaxed).newValue < 0 }
}
