import BelfryStore
import GRDB
import Synchronization

/// Connections for what is read in a moment, each used where the caller stands: to change threads costs more than such a
/// read does.
///
/// They are queues of their own and none of the pool's, whose readers are lent under a lock that all lenders share.
final class IdleReaders: Sendable {
    private let connections: [DatabaseQueue]
    /// The numbers of those that nobody uses.
    private let idle: Mutex<[Int]>

    /// - Parameters:
    ///   - path: of a file that another connection has opened to write.
    ///   - count: how many read at the same time at most.
    init(path: String, count: Int) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        configuration.allowsUnsafeTransactions = true
        connections = try (0..<count).map { _ in try DatabaseQueue(path: path, configuration: configuration) }
        idle = Mutex(Array(0..<count))
    }

    func close() throws {
        for connection in connections { try connection.close() }
    }

    /// Reads at once, if a connection is idle.
    ///
    /// - Returns: nil when all are at work, and nothing was read.
    func read<Output>(_ body: (any SQLConnection) throws -> Output) -> Result<Output, any Error>? {
        guard let number = idle.withLock({ $0.popLast() }) else { return nil }
        defer { idle.withLock { $0.append(number) } }
        return Result {
            try connections[number].unsafeRead { database in
                try SQLiteConnection(database: database).reading(body)
            }
        }
    }
}
