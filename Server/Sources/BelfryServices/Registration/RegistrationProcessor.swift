import BelfryCampaigns
import BelfryModel
import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Applies received registrations (REG-20 to REG-28). One that crashes the process is found and quarantined (SEC-8).
package struct RegistrationProcessor: Service {
    /// The most snapshots in one transaction. While calls come without a pause, a group begins after every sixteen of
    /// their commits, so it must hold what arrives meanwhile.
    package static let groupSize = 250
    /// The most bytes of the snapshots in one transaction. A longer snapshot has its own.
    static let groupBytes = 1_048_576
    /// How long it pauses when the database fails, and how long a registration that could not be applied waits for the
    /// next attempt, in seconds.
    static let restAfterFailure = 1.0
    /// How often it looks without a signal, in seconds: another process that shares the database may have died.
    static let interval = 5.0

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let attempts: WorkAttempts
    let received: AsyncSignal
    let logger: Logger
    private let groupSize: Int
    private let mark = RegistrationGroupMark()
    private let turns = AlternatingTurns()

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts, received: AsyncSignal,
        logger: Logger, groupSize: Int = Self.groupSize
    ) {
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.received = received
        self.logger = logger
        self.groupSize = groupSize
    }

    package func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { await ringNowAndThen() }
            await processRings()
            group.cancelAll()
        }
    }

    private func ringNowAndThen() async {
        while (try? await environment.sleepUntil(environment.now().addingTimeInterval(Self.interval))) != nil {
            received.signal()
        }
    }

    private func processRings() async {
        // Registrations that a former process left waiting come first.
        received.signal()
        for await _ in received.rings.cancelOnGracefulShutdown() {
            do {
                while try await processWaiting() > 0 {}
            } catch is CancellationError {
                return
            } catch {
                logger.failed("registrations cannot be processed", error)
                try? await environment.sleepUntil(environment.now().addingTimeInterval(Self.restAfterFailure))
                received.signal()
            }
        }
    }

    /// The next thing to do.
    private enum Turn: Sendable {
        /// Split the groups of a process that has died.
        case part
        /// Process this registration alone, because it may crash the process.
        case alone(Int64)
        /// Process these together.
        ///
        /// - Parameter set: the registrations that wait to be processed alone.
        case together([WaitingSnapshot], except: [Int64])
        /// Process these one after the other, each in steps: several servers hold the database together (FLEET-5).
        case inSteps([WaitingSnapshot])
    }

    /// Processes the oldest waiting registrations. Returns how many, without those that another process is working on.
    ///
    /// They share one transaction. If it fails, each gets its own, so that one that cannot be applied fails alone. The
    /// same happens to those that were in progress when a process died.
    package func processWaiting() async throws -> Int {
        switch try await nextTurn() {
        case .part:
            let (owner, now) = (attempts.owner, environment.now())
            _ = try await database.write { try $0.registrationGroups.part(by: now, except: owner) }
            return try await processWaiting()
        case .alone(let id):
            try await processAlone(id)
            return 1
        case .inSteps(let waiting):
            guard try await begin(waiting) else { return 0 }
            return try await processInSteps(DecodedSnapshots(waiting))
        case .together(let waiting, let set):
            guard try await begin(waiting) else { return 0 }
            return try await process(DecodedSnapshots(waiting), isLast: waiting.count < groupSize, except: set)
        }
    }

    private func nextTurn() async throws -> Turn {
        let (owner, now) = (attempts.owner, environment.now())
        let found = try await database.read {
            [groupSize] connection -> (open: [WorkAttempt], waiting: [WaitingSnapshot], isDistributed: Bool)? in
            guard try !connection.registrationGroups.areAbandoned(by: now, except: owner) else { return nil }
            let open = try connection.workAttempts.open(.registration)
            let waiting = try connection.registrations.waitingSnapshots(
                limit: groupSize, maximumBytes: Self.groupBytes, except: open.map(\.subject.number)
            )
            return (open, waiting, connection.dialect.isDistributed)
        }
        guard let (open, waiting, isDistributed) = found else { return .part }
        let next = AttemptOrder.next(of: open, by: owner, now: now)
        if turns.isAlone(group: !waiting.isEmpty, alone: next != nil), let next {
            return .alone(next.subject.number)
        }
        return isDistributed ? .inSteps(waiting) : .together(waiting, except: open.map(\.subject.number))
    }

    /// - Returns: whether there is anything to process.
    private func begin(_ waiting: [WaitingSnapshot]) async throws -> Bool {
        guard let first = waiting.first?.id, let last = waiting.last?.id else {
            try await endMark()
            return false
        }
        try await begin(first...last)
        return true
    }

    /// Marks a group before it begins. The write does not wait for the disk: the mark must survive the death of this
    /// process, and nothing more.
    private func begin(_ group: ClosedRange<Int64>) async throws {
        let (owner, now) = (attempts.owner, environment.now())
        guard !mark.covers(group, at: now) else { return }
        let ids = RegistrationGroupMark.ids(for: group)
        try await database.write(turn: .unsynced) { [environment] connection in
            // The lease begins when it is written, not when the writer was asked for its turn.
            let until = environment.now().addingTimeInterval(RegistrationGroupMark.lease)
            try connection.registrationGroups.begin(ids, owner: owner, until: until)
        }
        mark.set(ids, at: now)
    }

    private func endMark() async throws {
        guard mark.isSet else { return }
        let owner = attempts.owner
        try await database.write(turn: .unsynced) { try $0.registrationGroups.end(owner) }
        mark.clear()
    }

    /// - Parameter isLast: whether no other registration waits.
    private func process(_ snapshots: DecodedSnapshots, isLast: Bool, except set: [Int64]) async throws -> Int {
        do {
            let processed = try await processTogether(snapshots, isLast: isLast, except: set)
            if isLast, processed.areAll { mark.clear() }
            return processed.count
        } catch let error as CancellationError {
            throw error
        } catch {
            guard SnapshotApplicationError(error) != .passing else { throw error }
            for id in snapshots.ids { try await processAlone(id) }
        }
        return snapshots.ids.count
    }

    private var steps: RegistrationSteps {
        RegistrationSteps(database: database, environment: environment) { key, error in
            try await end(key, because: error, now: environment.now())
        }
    }

    /// If another process has a registration, the later ones of its device are left to the next time, so that they are not
    /// applied before it (REG-21).
    private func processInSteps(_ snapshots: DecodedSnapshots) async throws -> Int {
        var count = 0
        var held: Set<Int64> = []
        for key in snapshots.keys where !held.contains(key.device) {
            do {
                if try await steps.process(key, snapshots) {
                    count += 1
                } else {
                    held.insert(key.device)
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                guard SnapshotApplicationError(error) != .passing else { throw error }
                try await processAlone(key.id)
                count += 1
            }
        }
        return count
    }

    private func processTogether(
        _ snapshots: DecodedSnapshots, isLast: Bool, except set: [Int64]
    ) async throws -> (count: Int, areAll: Bool) {
        guard !snapshots.keys.isEmpty else { return (0, true) }
        let owner = attempts.owner
        // After a power failure, registrations whose processing had not reached the disk are waiting again and are
        // applied again.
        return try await database.write(turn: .patientUnsynced) {
            [environment] connection -> (count: Int, areAll: Bool) in
            // The time of the transaction, not that of the request to the writer, which may have taken long.
            let (now, time) = (environment.now(), StepTime(environment))
            let claimed = try connection.registrations.claimWaiting(snapshots.keys, except: set)
            var processing = RegistrationProcessing(
                connection: connection, snapshots: snapshots, now: now, environment: environment
            )
            try processing.hold(for: claimed)
            var count = 0
            for row in claimed {
                try processing.process(row)
                count += 1
                // Usually a whole group takes a fraction of the allowed time. But a registration may change a contact
                // with very many devices, and with it a row of each. Then the others are left to the next group, and
                // other writes run in between.
                guard !time.isOver else { break }
            }
            let areAll = count == claimed.count
            if isLast, areAll { try connection.registrationGroups.end(owner) }
            return (count, areAll)
        }
    }

    /// Processes one registration alone. If it fails for an unknown reason, it is tried again later and does not delay
    /// the others.
    private func processAlone(_ id: Int64) async throws {
        let subject = WorkSubject.registration(id)
        guard try await attempts.begin(subject) else { return }
        // It is decoded after the attempt was counted, because decoding may crash the process.
        let (waiting, isDistributed) = try await database.read { connection in
            (try connection.registrations.waitingSnapshot(id: id), connection.dialect.isDistributed)
        }
        let snapshots = DecodedSnapshots(waiting.map { [$0] } ?? [])
        let key = waiting?.key
        let now = environment.now()
        do {
            if isDistributed, let key { _ = try await steps.process(key, snapshots) }
            try await database.write { [environment] connection in
                try connection.workAttempts.end(subject)
                // In steps it has been processed, unless another process is at it.
                guard !isDistributed, let key, let row = try connection.registrations.claimWaiting(key) else { return }
                var processing = RegistrationProcessing(
                    connection: connection, snapshots: snapshots, now: now, environment: environment
                )
                try processing.hold(for: [row])
                try processing.process(row)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            switch SnapshotApplicationError(error) {
            case .passing: throw error
            case .unknown:
                logger.error(
                    "a registration cannot be applied and will be retried",
                    metadata: ["registration": "\(id)", "error": "\(LoggedError(error))"]
                )
                await attempts.ended(
                    subject, by: error, rest: error.meansDamage ? WorkAttempts.restAtDamage : Self.restAfterFailure
                )
            case .lasting:
                // Without a waiting registration only the attempt was to end.
                guard let key else { throw error }
                try await end(key, because: error, now: now)
            }
        }
    }

    private func end(_ key: RegistrationKey, because error: any Error, now: Date) async throws {
        try await database.write { connection in
            try RegistrationSteps.forgetWord(of: key, in: connection)
            try connection.registrations.finish(
                key, status: .partlyRejected, rejected: [.registration], now: now
            )
            try connection.workAttempts.end(.registration(key.id))
        }
        logger.error(
            "registration rejected: it cannot be applied",
            metadata: ["registration": "\(key.id)", "error": "\(LoggedError(error))"]
        )
    }
}
