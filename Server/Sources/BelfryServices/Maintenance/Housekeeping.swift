import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Removes what has outlived its use: at the start and every hour, events, messages and ledgers once a day, in writes so
/// small that none holds the others up (EVT-7, MC-5, LED-3). Erased devices are remembered for good, and dead ones are
/// moved out of the way (FLEET-2).
package struct Housekeeping: Service {
    /// In seconds.
    static let interval: TimeInterval = 3_600
    /// How long a step is one process's once it was begun or got on, in seconds: longer than a page takes, and short,
    /// since a dead process's step waits for it.
    static let lease: TimeInterval = 30
    /// Events, messages, silent pushes and openings are looked through in every so many rounds: for that, all of them are
    /// read.
    static let roundsPerDay = 24
    static let dailySteps: Set<UpkeepStep> = [
        .events, .centerMessages, .richConfirmations, .silentPushes, .dormantDevices, .ledgers, .contacts,
        .deviceOpenings, .contactOpenings,
    ]
    /// Rows that are read or removed at once.
    static let batch = 1_000
    /// Of those that may be long, as many as are taken between two looks at the time.
    static let takenAtOnce = 20
    /// Devices that are looked at, or whose events are looked through, at once.
    static let devices = 100
    /// Campaigns whose ledgers are marked at once, and of one app those that are summed up for it in a day.
    static let campaigns = 100
    /// How old the last sums of a ledger that goes are at most, in seconds: the upkeep of the next day, or of the one after
    /// that, takes it.
    static let ageOfSums: TimeInterval = 3 * 86_400
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

    /// Removes all that is too old by now. A step that fails is tried again the next time; one that fails, or ends the
    /// process, each time is set aside, and the others go on (SEC-8).
    ///
    /// - Parameters:
    ///   - daily: whether what is looked through once a day is, too.
    ///   - owed: what of that is looked through in any case.
    /// - Returns: the steps that were left to another process. It may be dead, so they are looked at again in the next
    ///   round.
    @discardableResult
    package func tidy(daily: Bool = true, and owed: Set<UpkeepStep> = []) async -> Set<UpkeepStep> {
        let now = environment.now()
        // Before the step that removes by rows what is left.
        await keepEventPartitions(at: now)
        guard !Task.isCancelled else { return owed }
        let rules: [(step: UpkeepStep, remove: @Sendable () async throws -> Int)] = [
            (.events, { try await removeEvents(now: now) }),
            (.registrations, { try await removeRegistrations(now: now) }),
            (.idempotentAnswers, { try await removeAnswers(now: now) }),
            (.auditLog, { try await removeAuditLines(now: now) }),
            (.centerMessages, { try await removeMessages(now: now) }),
            // Behind the messages that they are of.
            (.richConfirmations, { try await removeConfirmations() }),
            (.silentPushes, { try await removeSilentPushes(now: now) }),
            (.dormantDevices, { try await moveDeadDevices(now: now) }),
            (.ledgers, { try await removeLedgers(now: now) }),
            // Behind what may have been all that held them.
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

    /// - Returns: how many rows went; nil when the step is another process's.
    private func run(_ step: UpkeepStep, _ remove: @Sendable () async throws -> Int) async throws -> Int? {
        // Others that share the database need not do the same at the same time.
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
        return try await repeated(.auditLog) {
            try $0.housekeeping.deleteAuditLines(before: moment, limit: Self.batch)
        }
    }
}
