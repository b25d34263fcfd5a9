import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Tells by a metric how much is in quarantine, whichever process has set it aside. It is counted now and then, not when
/// somebody asks: the metrics are open to everybody.
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

    package func run() async throws {
        // Only its end wakes it early.
        try? await cancelWhenGracefulShutdown {
            while true {
                await look()
                try await environment.sleepUntil(environment.now().addingTimeInterval(Self.interval))
            }
        }
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
