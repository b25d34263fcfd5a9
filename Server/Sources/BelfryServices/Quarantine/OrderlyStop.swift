import BelfryStore
import Logging
import ServiceLifecycle

/// A process that is told to stop was not crashed by its work, so the counts of everything in progress begin anew
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
