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
    /// How long it rests when the database fails, in seconds.
    static let restAfterFailure = 1.0

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let received: WakeUp
    let logger: Logger

    package init(database: any SQLDatabase, environment: ServerEnvironment, received: WakeUp, logger: Logger) {
        self.database = database
        self.environment = environment
        self.received = received
        self.logger = logger
    }

    package func run() async throws {
        // What a former process left waiting comes first.
        received.signal()
        for await _ in received.rings.cancelOnGracefulShutdown() {
            do {
                while try await processWaiting() == Self.groupSize {}
            } catch is CancellationError {
                return
            } catch {
                logger.error("registrations cannot be processed", metadata: ["error": "\(LoggedError(error))"])
                try? await environment.sleepUntil(environment.now().addingTimeInterval(Self.restAfterFailure))
                received.signal()
            }
        }
    }

    /// Processes the oldest that wait; returns how many.
    ///
    /// They share one transaction. Should it fail, each gets its own, so that one that cannot be applied ends alone.
    package func processWaiting() async throws -> Int {
        let now = environment.now()
        let uuid = environment.uuid
        do {
            return try await database.write(turn: .patient) { connection in
                let waiting = try connection.registrations.claimWaiting(limit: Self.groupSize)
                var rules: [Int64: AppRules] = [:]
                for row in waiting {
                    try connection.process(row, rules: &rules, now: now, uuid: uuid)
                }
                return waiting.count
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            return try await processOneByOne()
        }
    }

    private func processOneByOne() async throws -> Int {
        let now = environment.now()
        let uuid = environment.uuid
        let ids = try await database.read { try $0.registrations.waitingIDs(limit: Self.groupSize) }
        for id in ids {
            do {
                try await database.write { connection in
                    guard let row = try connection.registrations.claimWaiting(id: id) else { return }
                    var rules: [Int64: AppRules] = [:]
                    try connection.process(row, rules: &rules, now: now, uuid: uuid)
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                // When the database itself has failed, it does not take this either: then everything waits.
                try await end(id, because: error, now: now)
            }
        }
        return ids.count
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

extension SQLConnection {
    fileprivate func process(
        _ row: RegistrationRow, rules: inout [Int64: AppRules], now: Date,
        uuid: @escaping @Sendable () -> UUID
    ) throws {
        guard let device = try devices.find(id: row.device) else {
            return try registrations.finish(row.id, status: .superseded, rejected: [], now: now)
        }
        let appRules = try rules[device.app] ?? AppRules(of: device.app, in: self)
        rules[device.app] = appRules
        var application = SnapshotApplication(
            connection: self, row: row, device: device, rules: appRules, now: now, uuid: uuid
        )
        try application.apply()
    }
}
