import BelfryModel
import BelfryStore
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The audit log (ADM-1). A line that the database cannot take now, for its disk is full, ends no call: what was done is
/// done, and operators look at a server just then. It is held and written when it can be. Beyond a bound calls are
/// refused, so that nobody goes unseen.
package final class AuditLog: Sendable {
    /// With so many lines held no call begins; those under way add theirs. One takes some 200 bytes.
    package static let maximumHeld = 10_000
    /// Lines that are written at once.
    static let batch = 500

    /// What waits to be written.
    private enum Held: Sendable {
        case line(AuditEntry)
        /// What became of the change that has carried the line of this number.
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

    /// Throws when no more can be held.
    package func refuseIfFull() throws(StoreError) {
        guard heldCount < Self.maximumHeld else {
            throw .full(reason: "\(Self.maximumHeld) audit log entries are waiting to be written.")
        }
    }

    /// A line as the layers above hand it on.
    package typealias Entry = AuditEntry
    package typealias Search = AuditSearch

    /// So many lines are looked through for one page of a search.
    package static let searchWindow = 20_000

    /// What a search has found, newest first.
    package struct Found: Sendable {
        package let entries: [AuditEntry]
        /// The number before which the search goes on; nil at the end of the log.
        package let next: Int64?
    }

    /// The lines that a search asks for; lines that wait are not among them. Behind a page that is not full there may be
    /// more: it ends where the search has looked.
    package func list(matching search: AuditSearch, before cursor: Int64?, limit: Int) async throws -> Found {
        try await database.read { connection in
            // One more than is shown tells whether there is a next page.
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
        // Behind others that wait; whether it can be written is found out once for all of them.
        guard heldCount == 0 else { return hold(held) }
        do {
            try await database.write { try held.write(in: $0) }
        } catch let error where error.meansTryAgain {
            hold(held)
        }
    }

    /// Writes a line of what is not done yet. It is never held: what must not happen unseen would, if the process died.
    func announce(_ entry: AuditEntry) async throws {
        try await database.write { try $0.audit.append(entry) }
    }

    /// Says of a line that a change has carried what was done. What makes a change fail after its first write, such as a
    /// full disk, fails this, too: it is held like a line.
    func complete(_ number: Int64, as entry: AuditEntry) async throws {
        try await writeOrHold(.end(number, entry))
    }

    /// Refuses none: what it tells of is done, and whoever heard otherwise would do it again.
    private func hold(_ held: Held) {
        self.held.withLock { $0.append(held) }
    }

    /// Writes what is held, as far as the database takes it. One caller at a time.
    ///
    /// - Parameter logger: is told of a line that the database will never take: it is dropped, so that the others get
    ///   on.
    package func writeHeld(logger: Logger) async {
        while true {
            let entries = held.withLock { Array($0.prefix(Self.batch)) }
            guard !entries.isEmpty else { return }
            do {
                try await write(entries)
                held.withLock { $0.removeFirst(entries.count) }
            } catch StoreError.refused {
                guard await writeEach(entries, logger: logger) else { return }
            } catch {
                return
            }
        }
    }

    /// - Returns: whether all of them are done with.
    private func writeEach(_ entries: [Held], logger: Logger) async -> Bool {
        for entry in entries {
            do {
                try await write([entry])
            } catch StoreError.refused {
                // The reason names no value, but what an engine says of a row may.
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

/// Writes the lines that the audit log holds, as long as the server lives.
package struct AuditLogWriter: Service {
    /// How often it looks whether there are any, in seconds.
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
