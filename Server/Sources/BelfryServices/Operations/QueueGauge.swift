import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Sets metrics to what waits in each queue, of all processes, and to the questions and the connections to the database
/// that are in use, of this one (FLEET-11). They are looked at regularly rather than on request, because anybody can read
/// the metrics.
package struct QueueGauge: Service {
    /// In seconds.
    static let interval: TimeInterval = 30

    let queries: OperationsQueries
    /// Of a database server; nothing for a file.
    let pools: @Sendable () -> [ConnectionPoolUse]
    let questions: @Sendable () -> QuestionLaneUse
    let environment: ServerEnvironment
    let metrics: Metrics
    let logger: Logger

    package init(
        queries: OperationsQueries, pools: @escaping @Sendable () -> [ConnectionPoolUse],
        questions: @escaping @Sendable () -> QuestionLaneUse, environment: ServerEnvironment, metrics: Metrics,
        logger: Logger
    ) {
        self.queries = queries
        self.pools = pools
        self.questions = questions
        self.environment = environment
        self.metrics = metrics
        self.logger = logger
    }

    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval) { await look() }
    }

    package func look() async {
        for pool in pools() {
            metrics.set(pool.size, "belfry_database_connections{pool=\"\(pool.name)\"}")
            metrics.set(pool.lent, "belfry_database_connections_used{pool=\"\(pool.name)\"}")
            metrics.set(pool.waiting, "belfry_database_connections_awaited{pool=\"\(pool.name)\"}")
        }
        let lane = questions()
        metrics.set(lane.underWay, "belfry_questions_under_way")
        metrics.set(lane.waiting, "belfry_questions_waiting")
        do {
            let queues = try await queries.queues()
            let now = environment.now()
            for (name, queue) in queues.named {
                // How long the oldest has waited; nothing waits in an empty one.
                let age = queue.oldest.map { max(Int(now.timeIntervalSince($0)), 0) } ?? 0
                metrics.set(queue.count, "belfry_queue_length{queue=\"\(name)\"}")
                metrics.set(age, "belfry_queue_age_seconds{queue=\"\(name)\"}")
            }
        } catch {
            logger.failed("the queues cannot be counted", error)
        }
    }
}

extension WorkQueues {
    fileprivate var named: [(name: String, length: Length)] {
        [
            ("registrations", registrations), ("plans", plans), ("batches", batches), ("silentPushes", silentPushes),
            ("erasures", erasures), ("rehearsals", rehearsals),
        ]
    }
}
