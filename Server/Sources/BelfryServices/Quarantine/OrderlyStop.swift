import BelfryStore
import Logging
import ServiceLifecycle

/// Resets the attempt counts of all work in progress when a process is told to stop, because its work did not crash it
/// (SEC-8).
package struct OrderlyStop: Service {
    let attempts: WorkAttempts
    let database: any SQLDatabase
    let logger: Logger

    package init(attempts: WorkAttempts, database: any SQLDatabase, logger: Logger) {
        self.attempts = attempts
        self.database = database
        self.logger = logger
    }

    package func run() async throws {
        try? await gracefulShutdown()
        let owner = attempts.owner
        do {
            try await database.write { try $0.workAttempts.forgive(owner) }
        } catch {
            logger.error(
                "cannot clear the attempt counters of running work; they stay counted",
                metadata: ["error": "\(LoggedError(error))"]
            )
        }
    }
}
