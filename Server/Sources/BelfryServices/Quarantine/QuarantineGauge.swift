import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Sets a metric to the number of quarantined subjects, of all processes. It is counted regularly rather than on
/// request, because anybody can read the metrics.
package struct QuarantineGauge: Service {
    /// In seconds.
    static let interval: TimeInterval = 30

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let metrics: Metrics
    let logger: Logger

    package init(database: any SQLDatabase, environment: ServerEnvironment, metrics: Metrics, logger: Logger) {
        self.database = database
        self.environment = environment
        self.metrics = metrics
        self.logger = logger
    }

    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval) { await look() }
    }

    package func look() async {
        do {
            let counts = try await database.read { try $0.workAttempts.counts() }
            for kind in WorkKind.allCases {
                metrics.set(counts[kind] ?? 0, "belfry_quarantined{kind=\"\(kind.rawValue)\"}")
            }
        } catch {
            logger.failed("the quarantine cannot be counted", error)
        }
    }
}
