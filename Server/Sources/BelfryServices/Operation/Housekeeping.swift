import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Removes what has outlived its use: at the start and every hour, events and messages once a day, in writes so small
/// that none holds the others up (EVT-7, MC-5). Erased devices are remembered for good.
package struct Housekeeping: Service {
    /// In seconds.
    static let interval: TimeInterval = 3_600
    /// Events, messages and silent pushes are looked through in every so many rounds: for that, all of them are read.
    static let roundsPerDay = 24
    static let dailyTables: Set = ["events", "center_messages", "rich_servings", "silent_pushes", "contacts"]
    /// Rows that are read or removed at once.
    static let batch = 1_000
    /// Devices whose events are looked through at once.
    static let devices = 100
    /// Contacts whose messages are looked through at once.
    static let contacts = 100
    /// How long processed registrations, answers to repeated writes, the audit log, and messages that have expired or
    /// were deleted are kept, in seconds.
    static let registrationAge: TimeInterval = 30 * 86_400
    static let answerAge: TimeInterval = 86_400
    static let auditAge: TimeInterval = 400 * 86_400
    static let messageAge: TimeInterval = 30 * 86_400
    /// How long an anonymous contact stays that nothing is known of and no device has, in seconds: an installation that has
    /// left it may still have events of its time.
    static let emptyContactAge: TimeInterval = 90 * 86_400
    /// How long it is remembered when a device got its last silent push, in seconds: well beyond what the budget asks.
    static let silentPushAge: TimeInterval = 86_400

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let logger: Logger

    package init(database: any SQLDatabase, environment: ServerEnvironment, logger: Logger) {
        self.database = database
        self.environment = environment
        self.logger = logger
    }

    package func run() async throws {
        // Only its end wakes it early.
        try? await cancelWhenGracefulShutdown {
            var round = 0
            while true {
                await tidy(daily: round.isMultiple(of: Self.roundsPerDay))
                round += 1
                try await environment.sleepUntil(environment.now().addingTimeInterval(Self.interval))
            }
        }
    }

    /// Removes all that is too old by now; what fails is tried again the next time.
    ///
    /// - Parameter daily: whether what is looked through once a day is, too.
    package func tidy(daily: Bool = true) async {
        let now = environment.now()
        let rules: [(table: String, remove: @Sendable () async throws -> Int)] = [
            ("events", { try await removeEvents(now: now) }),
            ("registrations", { try await removeRegistrations(now: now) }),
            ("idempotent_answers", { try await removeAnswers(now: now) }),
            ("audit_log", { try await removeAuditLines(now: now) }),
            ("center_messages", { try await removeMessages(now: now) }),
            // Behind the messages that they are of.
            ("rich_servings", { try await removeServings() }),
            ("silent_pushes", { try await removeSilentPushes(now: now) }),
            // Last: what was removed before may have been all that held them.
            ("contacts", { try await removeEmptyContacts(now: now) }),
        ]
        for rule in rules where daily || !Self.dailyTables.contains(rule.table) {
            do {
                let count = try await rule.remove()
                guard count > 0 else { continue }
                logger.debug("old rows were removed", metadata: ["table": "\(rule.table)", "count": "\(count)"])
            } catch is CancellationError {
                return
            } catch {
                logger.error(
                    "old rows cannot be removed",
                    metadata: ["table": "\(rule.table)", "error": "\(LoggedError(error))"]
                )
            }
        }
    }

    private func removeEvents(now: Date) async throws -> Int {
        let limits = try await database.read { connection in
            try connection.apps.all().reduce(into: [Int64: Date]()) { limits, app in
                guard let days = app.settings.eventRetentionDays else { return }
                limits[app.id] = now.addingTimeInterval(-Double(days) * 86_400)
            }
        }
        guard !limits.isEmpty else { return 0 }
        let last = try await database.read { try $0.devices.highestID() }
        var count = 0
        for first in stride(from: 1, through: last, by: Self.devices) {
            let devices = first...(first + Int64(Self.devices) - 1)
            guard try await database.read({ try $0.housekeeping.haveExpiredEvents(devices, before: limits) }) else {
                continue
            }
            count += try await repeated {
                try $0.housekeeping.deleteEvents(of: devices, before: limits, limit: Self.batch)
            }
        }
        return count
    }

    private func removeRegistrations(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.registrationAge)
        return try await walk {
            try $0.housekeeping.expiredRegistrations(before: moment, after: $1, limit: Self.batch)
        } remove: {
            try $0.housekeeping.deleteRegistrations($1)
        }
    }

    private func removeAnswers(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.answerAge)
        return try await repeated { try $0.housekeeping.deleteAnswers(before: moment, limit: Self.batch) }
    }

    private func removeAuditLines(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.auditAge)
        return try await repeated { try $0.housekeeping.deleteAuditLines(before: moment, limit: Self.batch) }
    }

    /// Walks over a table, page by page; only what goes is written.
    func walk(
        _ page: @escaping @Sendable (any SQLConnection, Int64) throws -> AgedRows,
        remove: @escaping @Sendable (any SQLConnection, [Int64]) throws -> Void
    ) async throws -> Int {
        var count = 0
        var position: Int64? = 0
        while let after = position {
            let rows = try await database.read { try page($0, after) }
            if !rows.expired.isEmpty { try await database.write(turn: .patient) { try remove($0, rows.expired) } }
            count += rows.expired.count
            position = rows.next
        }
        return count
    }

    func repeated(_ remove: @escaping @Sendable (any SQLConnection) throws -> Int) async throws -> Int {
        var count = 0
        while true {
            let removed = try await database.write(turn: .patient, remove)
            count += removed
            guard removed == Self.batch else { return count }
        }
    }
}
