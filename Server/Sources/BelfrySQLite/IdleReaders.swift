import BelfryStore
import GRDB
import GRDBSQLite
import Synchronization

/// Connections for quick reads, used on the caller's thread: changing threads costs more than such a read.
///
/// The caller is an event loop with other connections to serve. So a read here waits for no lock, and has a limited
/// budget; a longer one goes to a reader's thread. These connections are not part of the pool, whose readers are handed
/// out under a lock that all callers share.
final class IdleReaders: Sendable {
    private struct Reader: Sendable {
        let connection: DatabaseQueue
        let budget: ReadBudget
    }

    private let readers: [Reader]
    /// The indexes of the connections that are not in use.
    private let idle: Mutex<[Int]>

    /// - Parameters:
    ///   - path: the path of a file that another connection has opened for writing.
    ///   - count: the most reads at the same time.
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

    /// Reads immediately if a connection is idle.
    ///
    /// - Returns: nil when all connections are in use, or when the read exceeds its budget; the caller then repeats it
    ///   on a reader's thread.
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

/// Limits the cost of one read on a caller's thread. A fetch of all message centers takes a tenth of it.
final class ReadBudget: Sendable {
    /// Steps of SQLite's virtual machine between two checks.
    private static let steps: Int32 = 1_000
    /// Checks until the budget is spent: some 100,000 steps, a few milliseconds.
    private static let looks = 100

    private let left = Atomic(ReadBudget.looks)

    func renew() {
        left.store(Self.looks, ordering: .relaxed)
    }

    /// Interrupts the connection's statement once the budget is spent. The connection must not outlive this object.
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
