import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Sets a metric to the number of partitions that a table should have and has not (FLEET-3), where the engine has
/// partitions. They are looked at regularly rather than on request, because anybody can read the metrics.
package struct PartitionGauge: Service {
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
            let tables = try await database.read { connection in
                try MonthlyTable.all.compactMap { try connection.partitions(of: $0) }
            }
            for found in tables {
                metrics.set(
                    found.overdue(at: environment.now()).count,
                    "belfry_partitions_missing{table=\"\(found.table.name.statement)\"}"
                )
            }
        } catch {
            logger.failed("the partitions cannot be looked at", error)
        }
    }
}
