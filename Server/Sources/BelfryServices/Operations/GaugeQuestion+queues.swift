import BelfryStore
import Foundation

extension GaugeQuestion {
    /// The length of each queue, for all processes, and the age of its oldest entry.
    package static func queues(_ queries: OperationsQueries) -> GaugeQuestion {
        GaugeQuestion(name: "queues", failure: "the queues cannot be counted") {
            let queues = try await queries.queues()
            let now = queries.environment.now()
            return queues.named.reduce(into: [:]) { values, queue in
                // An empty queue has the age 0.
                let age = queue.length.oldest.map { max(Int(now.timeIntervalSince($0)), 0) } ?? 0
                values["belfry_queue_length{queue=\"\(queue.name)\"}"] = queue.length.count
                values["belfry_queue_age_seconds{queue=\"\(queue.name)\"}"] = age
            }
        }
    }

    /// The questions and the database connections that this process uses.
    ///
    /// - Parameter pools: the pools of a database server. Nothing for a file.
    package static func connections(
        pools: @escaping @Sendable () -> [ConnectionPoolUse], questions: @escaping @Sendable () -> QuestionLaneUse
    ) -> GaugeQuestion {
        GaugeQuestion(name: "connections", failure: "the connections cannot be counted") {
            let lane = questions()
            let lanes = ["belfry_questions_under_way": lane.underWay, "belfry_questions_waiting": lane.waiting]
            return pools().reduce(into: lanes) { values, pool in
                values["belfry_database_connections{pool=\"\(pool.name)\"}"] = pool.size
                values["belfry_database_connections_used{pool=\"\(pool.name)\"}"] = pool.lent
                values["belfry_database_connections_awaited{pool=\"\(pool.name)\"}"] = pool.waiting
            }
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
