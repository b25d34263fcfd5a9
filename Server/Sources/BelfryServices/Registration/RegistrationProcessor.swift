import BelfryModel
import BelfryRules
import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Applies registrations that were received (REG-20 to REG-28).
package struct RegistrationProcessor: Service {
    /// How many snapshots share one transaction.
    static let groupSize = 200
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
                logger.error("registrations cannot be processed", metadata: ["error": "\(error)"])
                try? await environment.sleepUntil(environment.now().addingTimeInterval(Self.restAfterFailure))
                received.signal()
            }
        }
    }

    /// Processes the oldest that wait, in one transaction; returns how many.
    package func processWaiting() async throws -> Int {
        let now = environment.now()
        let uuid = environment.uuid
        return try await database.write { connection in
            let waiting = try connection.registrations.claimWaiting(limit: Self.groupSize)
            var schemas: [Int64: [String: AttributeType]] = [:]
            for row in waiting {
                guard let device = try connection.devices.find(id: row.device) else {
                    try connection.registrations.finish(row.id, status: .superseded, rejected: [], now: now)
                    continue
                }
                let schema = try schemas[device.app] ?? connection.attributes.schema(app: device.app)
                schemas[device.app] = schema
                var application = SnapshotApplication(
                    connection: connection, row: row, device: device, schema: schema, now: now, uuid: uuid
                )
                try application.apply()
            }
            return waiting.count
        }
    }
}
