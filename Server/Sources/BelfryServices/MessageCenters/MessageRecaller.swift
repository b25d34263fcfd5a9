import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Continues recalls that a process has left unfinished (MC-16). A call does its own recall, so there is seldom
/// anything to do.
package struct MessageRecaller: Service {
    /// Seconds between two checks.
    static let interval: TimeInterval = 5

    let recall: MessageRecall
    let attempts: WorkAttempts
    let logger: Logger

    package init(recall: MessageRecall, attempts: WorkAttempts, logger: Logger) {
        self.recall = recall
        self.attempts = attempts
        self.logger = logger
    }

    package func run() async {
        await recall.environment.repeatUntilShutdown(every: Self.interval) { try await turn() }
    }

    /// Continues until no abandoned recall is left. One that fails is tried again in the next turn; one that fails
    /// every time is quarantined (SEC-8).
    package func turn() async throws(CancellationError) {
        do {
            while try await recall.goOn(counting: attempts) {
                try Task.checkCancellation()
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            logger.failed("messages cannot be recalled", error)
        }
    }
}
