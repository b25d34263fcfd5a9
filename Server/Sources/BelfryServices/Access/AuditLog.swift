import BelfryModel
import BelfryStore
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The audit log (ADM-1). If the database cannot take a line now, for example because its disk is full, the call does
/// not fail: its work is done, and operators need the server just then. The line is held in memory and written later.
/// Beyond a limit of held lines calls are refused, so that no action goes unrecorded.
package final class AuditLog: Sendable {
    /// If so many lines are held, no new call begins; calls in progress still add theirs. A line takes about 200 bytes.
    package static let maximumHeld = 10_000
    /// Lines that are written in one transaction.
    static let batch = 500

    /// Something that waits to be written.
    private enum Held: Sendable {
        case line(AuditEntry)
        /// The final entry for the line of this number, which the transaction of the change has written.
        case end(Int64, AuditEntry)

        func write(in connection: any SQLConnection) throws {
            switch self {
            case .line(let entry): try connection.audit.append(entry)
            case .end(let number, let entry): try connection.audit.complete(number, as: entry)
            }
        }
    }

    private let database: any SQLDatabase
    private let held = Mutex<[Held]>([])

    init(database: any SQLDatabase) {
        self.database = database
    }

    /// How many lines, and ends of lines, wait to be written.
    package var heldCount: Int { held.withLock { $0.count } }

    /// Throws when the limit of held lines is reached.
    package func rejectIfFull() throws(StoreError) {
        guard heldCount < Self.maximumHeld else {
            throw .full(reason: "\(Self.maximumHeld) audit log entries are waiting to be written.")
        }
    }

    /// An audit log entry, for the layers above.
    package typealias Entry = AuditEntry
    package typealias Search = AuditSearch

    /// The highest number of lines that one page of a search reads.
    package static let searchWindow = 20_000

    /// One page of a search, newest first.
    package struct Found: Sendable {
        package let entries: [AuditEntry]
        /// The search continues before this number. Nil at the end of the log.
        package let next: Int64?
    }

    /// The lines that match a search, without the lines that are held. A page that is not full may have a successor: it
    /// ends where the search has stopped reading.
    package func list(matching search: AuditSearch, before cursor: Int64?, limit: Int) async throws -> Found {
        try await database.read { connection in
            // One row more than the page shows whether there is a next page.
            let found = try connection.audit.list(
                search, before: cursor, window: Self.searchWindow, limit: limit + 1
            )
            let end =
                found.count > limit
                ? found[limit - 1].id
                : try connection.audit.end(of: search, before: cursor, window: Self.searchWindow)
            return Found(entries: found.prefix(limit).map(\.entry), next: end)
        }
    }

    func append(_ entry: AuditEntry) async throws {
        try await writeOrHold(.line(entry))
    }

    private func writeOrHold(_ held: Held) async throws {
        // If others wait already, the line waits behind them. One writer finds out for all of them whether the database
        // takes lines again.
        guard heldCount == 0 else { return hold(held) }
        do {
            try await database.write { try held.write(in: $0) }
        } catch let error where error.meansTryAgain {
            hold(held)
        }
    }

    /// Writes a line about work that has not begun. It is never held: if the process died, the work would have happened
    /// without a trace.
    func announce(_ entry: AuditEntry) async throws {
        try await database.write { try $0.audit.append(entry) }
    }

    /// Completes a line that the transaction of a change has written. What makes a change fail after its first write,
    /// such as a full disk, fails this, too; then the entry is held.
    func complete(_ number: Int64, as entry: AuditEntry) async throws {
        try await writeOrHold(.end(number, entry))
    }

    /// Never refuses an entry: its work is done, and a caller who got an error would repeat it.
    private func hold(_ held: Held) {
        self.held.withLock { $0.append(held) }
    }

    /// Writes the held lines, as far as the database takes them. Only one caller at a time may do so.
    ///
    /// - Parameter logger: logs a line that the database will never take. The line is dropped, so that the others are
    ///   written.
    package func writeHeld(logger: Logger) async {
        while true {
            let entries = held.withLock { Array($0.prefix(Self.batch)) }
            guard !entries.isEmpty else { return }
            do {
                try await write(entries)
                held.withLock { $0.removeFirst(entries.count) }
            } catch StoreError.rejected {
                guard await writeEach(entries, logger: logger) else { return }
            } catch {
                return
            }
        }
    }

    /// - Returns: whether all entries are written or dropped.
    private func writeEach(_ entries: [Held], logger: Logger) async -> Bool {
        for entry in entries {
            do {
                try await write([entry])
            } catch StoreError.rejected {
                // The reason of a database error may contain values of the row, so it is not logged.
                logger.error("an audit log entry was dropped: the database rejected it")
            } catch {
                return false
            }
            held.withLock { $0.removeFirst(1) }
        }
        return true
    }

    private func write(_ entries: [Held]) async throws {
        let body: @Sendable (any SQLConnection) throws -> Void = { connection in
            for entry in entries { try entry.write(in: connection) }
        }
        try await database.write(body)
    }
}

/// Writes the lines that the audit log holds, as long as the server runs.
package struct AuditLogWriter: Service {
    /// How often it looks for held lines, in seconds.
    static let interval: TimeInterval = 1

    private let log: AuditLog
    private let environment: ServerEnvironment
    private let metrics: Metrics
    private let logger: Logger

    package init(_ log: AuditLog, environment: ServerEnvironment, metrics: Metrics, logger: Logger) {
        self.log = log
        self.environment = environment
        self.metrics = metrics
        self.logger = logger
    }

    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval, after: Self.interval) { await turn() }
        await log.writeHeld(logger: logger)
        let lost = log.heldCount
        if lost > 0 {
            logger.error(
                "audit log entries were lost: the database accepted no writes until shutdown",
                metadata: ["count": "\(lost)"]
            )
        }
    }

    func turn() async {
        if log.heldCount > 0 { await log.writeHeld(logger: logger) }
        metrics.set(log.heldCount, "belfry_audit_lines_held")
    }
}
