import BelfryModel
import BelfryRules
import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Applies registrations that were received (REG-20 to REG-28).
package struct RegistrationProcessor: Service {
    /// How many snapshots share one transaction.
    static let groupSize = 50
    /// Characters that the snapshots of one transaction have together; a longer one has its own.
    static let groupLength = 1_048_576
    /// How long it rests when the database fails, in seconds.
    static let restAfterFailure = 1.0
    /// How often it looks without being told, in seconds: another process that shares the database may have died.
    static let interval = 5.0
    /// How often one is tried that fails for a reason that nobody knows.
    static let maximumAttempts = 10

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let received: WakeUp
    let logger: Logger
    private let attempts = FailedAttempts()

    package init(database: any SQLDatabase, environment: ServerEnvironment, received: WakeUp, logger: Logger) {
        self.database = database
        self.environment = environment
        self.received = received
        self.logger = logger
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
        // What a former process left waiting comes first.
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

    /// Processes the oldest that wait; returns how many, without those that another process is at.
    ///
    /// They share one transaction. Should it fail, each gets its own, so that one that cannot be applied ends alone.
    /// Throws when some still wait: the database has failed, or nobody knows why they cannot be applied.
    package func processWaiting() async throws -> Int {
        let waiting = try await database.read {
            try $0.registrations.waitingSnapshots(limit: Self.groupSize, maximumLength: Self.groupLength)
        }
        guard !waiting.isEmpty else { return 0 }
        let snapshots = DecodedSnapshots(waiting)
        do {
            let processed = try await processTogether(snapshots)
            attempts.forget()
            return processed
        } catch let error as CancellationError {
            throw error
        } catch {
            guard ApplicationFault(error) != .passing else { throw error }
            try await processOneByOne(snapshots)
        }
        return waiting.count
    }

    private func processTogether(_ snapshots: DecodedSnapshots) async throws -> Int {
        guard let last = snapshots.ids.last else { return 0 }
        return try await database.write(turn: .patient) { [environment] connection in
            // Now, and not when the writer was asked for its turn: it may have taken its time.
            let now = environment.now()
            var rules: [Int64: AppRules] = [:]
            let claimed = try connection.registrations.claimWaiting(through: last, limit: snapshots.ids.count)
            for row in claimed { try connection.process(row, snapshots, rules: &rules, now: now, environment) }
            return claimed.count
        }
    }

    private func processOneByOne(_ snapshots: DecodedSnapshots) async throws {
        let now = environment.now()
        var left: (any Error)?
        for id in snapshots.ids {
            do {
                try await database.write { [environment] connection in
                    guard let row = try connection.registrations.claimWaiting(id: id) else { return }
                    var rules: [Int64: AppRules] = [:]
                    try connection.process(row, snapshots, rules: &rules, now: now, environment)
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                switch ApplicationFault(error) {
                case .passing: throw error
                case .unknown where attempts.add(id) < Self.maximumAttempts: left = error
                case .unknown, .lasting: try await end(id, because: error, now: now)
                }
            }
        }
        // The others did not wait for these.
        if let left { throw left }
    }

    private func end(_ id: Int64, because error: any Error, now: Date) async throws {
        try await database.write {
            try $0.registrations.finish(id, status: .partlyRejected, rejected: [.all], now: now)
        }
        logger.error(
            "a registration cannot be applied and was ended",
            metadata: ["registration": "\(id)", "error": "\(LoggedError(error))"]
        )
    }
}

extension RejectedField {
    /// Nothing of the registration was applied.
    fileprivate static let all = RejectedField(
        field: "registration", reason: "notApplied",
        message: "The server could not apply this registration, and nothing of it was. Its log says why."
    )
}
