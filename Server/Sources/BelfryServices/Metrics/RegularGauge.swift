import Foundation
import Logging
import ServiceLifecycle

/// Sets metrics to the results of a query (FLEET-11). The query runs regularly and not on request, because anybody can
/// read the metrics.
package struct RegularGauge: Service {
    /// Seconds between two queries.
    static let interval: TimeInterval = 30

    let question: GaugeQuestion
    let environment: ServerEnvironment
    let metrics: Metrics
    let logger: Logger

    package init(_ question: GaugeQuestion, environment: ServerEnvironment, metrics: Metrics, logger: Logger) {
        self.question = question
        self.environment = environment
        self.metrics = metrics
        self.logger = logger
    }

    /// The name of this gauge among the server's several.
    package var name: String { question.name }

    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval) { await look() }
    }

    /// Runs the query once. If it fails, the last values stay.
    package func look() async {
        do {
            for (series, value) in try await question.answer() { metrics.set(value, series) }
        } catch {
            logger.failed(question.failure, error)
        }
    }
}

/// The query of a gauge. Each is declared beside its subject.
package struct GaugeQuestion: Sendable {
    /// The unique name of the query.
    let name: String
    /// The log message if the query fails.
    let failure: Logger.Message
    /// The value of each series, labels included. Labels come from small fixed sets.
    let answer: @Sendable () async throws -> [String: Int]
}
