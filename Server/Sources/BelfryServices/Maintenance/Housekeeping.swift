import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Removes old data: at the start and every hour; events, messages and ledgers once a day. Its writes are so small that
/// none delays other writes (EVT-7, MC-5, LED-3). Erased devices are remembered for good, and dead ones are moved to
/// tables of their own (FLEET-2).
package struct Housekeeping: Service {
    /// The pause between two rounds, in seconds.
    static let interval: TimeInterval = 3_600
    /// How long a step belongs to one process after it was begun or made progress, in seconds: longer than a page
    /// takes, but short, because a dead process's step waits for it.
    static let lease: TimeInterval = 30
    /// Events, messages, silent pushes and openings are checked only once in this many rounds, because that reads all
    /// of them.
    static let roundsPerDay = 24
    static let dailySteps: Set<UpkeepStep> = [
        .events, .centerMessages, .richConfirmations, .silentPushes, .dormantDevices, .ledgers, .contacts,
        .deviceOpenings, .contactOpenings,
    ]
    /// Rows that are read or removed in one transaction. Of those that may be long it removes fewer.
    static let batch = 1_000
    /// Rows that may be long, and are removed between two checks of the time.
    static let takenAtOnce = 20
    /// Devices that are checked, or whose events are searched, in one transaction.
    static let devices = 100
    /// Campaigns whose ledgers are marked in one transaction, and those of one app that are summed up for it in a day.
    static let campaigns = 100
    /// The highest age of a ledger's last sums when it is removed, in seconds: the upkeep of the next day, or of the
    /// one after that, removes it.
    static let ageOfSums: TimeInterval = 3 * 86_400
    /// Contacts whose messages are searched in one transaction.
    static let contacts = 100
    /// How long the server keeps processed registrations, responses to repeated writes, the audit log, and messages
    /// that have expired or were deleted, in seconds.
    static let registrationAge: TimeInterval = 30 * 86_400
    static let answerAge: TimeInterval = 86_400
    static let auditAge: TimeInterval = 400 * 86_400
    static let messageAge: TimeInterval = 30 * 86_400
    /// How long the server keeps an anonymous contact without data and without a device, in seconds: an installation
    /// that has left it may still have events of that time.
    static let emptyContactAge: TimeInterval = 90 * 86_400
    /// How long the server keeps the time of a device's last silent push, in seconds: much longer than the budget
    /// needs.
    static let silentPushAge: TimeInterval = 86_400

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let attempts: WorkAttempts
    let logger: Logger

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts, logger: Logger
    ) {
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.logger = logger
    }

    package func run() async {
        let start = (rhythm: UpkeepRhythm(), owed: Set<UpkeepStep>())
        await environment.repeatUntilShutdown(remembering: start) { memory in
            switch memory.rhythm.begin(at: environment.now()) {
            case .hourly: memory.owed = await tidy(daily: false, and: memory.owed)
            case .daily: memory.owed = await tidy(and: memory.owed)
            case .held(sinceNow: false): break
            case .held(sinceNow: true):
                logger.warning("the clock was set ahead by more than a day: for a day nothing is removed for its age")
            }
            memory.rhythm.pause(at: environment.now())
            return Self.interval
        }
    }

    /// Removes all data that is too old. A step that fails is tried again next time. A step that fails or crashes the
    /// process every time is quarantined, and the others continue (SEC-8).
    ///
    /// - Parameters:
    ///   - daily: whether to do the steps that run once a day, too.
    ///   - owed: daily steps to do in any case.
    /// - Returns: the steps that another process has taken. It may be dead, so they are tried again in the next round.
    @discardableResult
    package func tidy(daily: Bool = true, and owed: Set<UpkeepStep> = []) async -> Set<UpkeepStep> {
        let now = environment.now()
        // Runs before the step that deletes the remaining events row by row.
        await keepEventPartitions(at: now)
        guard !Task.isCancelled else { return owed }
        let rules: [(step: UpkeepStep, remove: @Sendable () async throws -> Int)] = [
            (.events, { try await removeEvents(now: now) }),
            (.registrations, { try await removeRegistrations(now: now) }),
            (.idempotentAnswers, { try await removeAnswers(now: now) }),
            (.auditLog, { try await removeAuditLines(now: now) }),
            (.centerMessages, { try await removeMessages(now: now) }),
            // Runs after the step that removes the messages of the confirmations.
            (.richConfirmations, { try await removeConfirmations() }),
            (.silentPushes, { try await removeSilentPushes(now: now) }),
            (.dormantDevices, { try await moveDeadDevices(now: now) }),
            (.ledgers, { try await removeLedgers(now: now) }),
            // Runs after the steps that may remove a contact's last data.
            (.contacts, { try await removeEmptyContacts(now: now) }),
            (.deviceOpenings, { try await removeOpenings(of: .device, .deviceOpenings) }),
            (.contactOpenings, { try await removeOpenings(of: .contact, .contactOpenings) }),
        ]
        var left: Set<UpkeepStep> = []
        for rule in rules where daily || owed.contains(rule.step) || !Self.dailySteps.contains(rule.step) {
            do {
                guard let count = try await run(rule.step, rule.remove) else {
                    left.insert(rule.step)
                    continue
                }
                guard count > 0 else { continue }
                logger.debug("old rows were removed", metadata: ["step": "\(rule.step)", "count": "\(count)"])
            } catch is CancellationError {
                return left
            } catch {
                logger.failed("old rows cannot be removed", error, ["step": "\(rule.step)"])
            }
        }
        return left
    }

    /// - Returns: the number of removed rows. Nil when another process has taken the step.
    private func run(_ step: UpkeepStep, _ remove: @Sendable () async throws -> Int) async throws -> Int? {
        // Of the processes that share the database, one at a time is enough for a step.
        guard try await attempts.begin(.upkeep(step), lease: Self.lease) else {
            let known = try await database.read { try $0.workAttempts.find(.upkeep(step)) }
            return known?.status == .quarantined ? 0 : nil
        }
        do {
            let count = try await remove()
            try await database.write(turn: .unsynced) { try $0.workAttempts.end(.upkeep(step)) }
            return count
        } catch {
            await attempts.ended(.upkeep(step), by: error)
            throw error
        }
    }

    private func removeEvents(now: Date) async throws -> Int {
        let partitions = try await database.read { try $0.partitions(of: .events) }
        let limits = try await eventTerms(at: now).byRows(beside: partitions)
        guard !limits.isEmpty else { return 0 }
        let last = try await database.read { try $0.devices.highestID() }
        return try await walk(.events, through: last, by: Self.devices) { devices in
            guard try await database.read({ try $0.housekeeping.haveExpiredEvents(devices, before: limits) }) else {
                return 0
            }
            return try await repeated(.events) {
                try $0.housekeeping.deleteEvents(of: devices, before: limits, limit: Self.batch)
            }
        }
    }

    private func removeRegistrations(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.registrationAge)
        return try await walk(.registrations) {
            try $0.housekeeping.expiredRegistrations(before: moment, after: $1, limit: Self.batch)
        } remove: {
            try $0.housekeeping.deleteRegistrations($1)
        }
    }

    private func removeAnswers(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.answerAge)
        return try await repeated(.idempotentAnswers, by: Self.takenAtOnce) {
            try $0.housekeeping.deleteAnswers(before: moment, limit: $1)
        }
    }

    private func removeAuditLines(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.auditAge)
        await keepPartitions(of: .auditLog, at: now) { moment }
        return try await repeatedInBatches(.auditLog) {
            try $0.housekeeping.deleteAuditLines(before: moment, limit: $1)
        }
    }
}
