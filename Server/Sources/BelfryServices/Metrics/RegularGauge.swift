import Foundation
import Logging
import ServiceLifecycle

/// Sets metrics to what a question answers (FLEET-11). It is asked regularly rather than on request, because anybody can
/// read the metrics.
package struct RegularGauge: Service {
    /// In seconds.
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

    /// Which of them it is: a server has several.
    package var name: String { question.name }

    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval) { await look() }
    }

    /// Asks once. While nobody knows, what was known last holds.
    package func look() async {
        do {
            for (series, value) in try await question.answer() { metrics.set(value, series) }
        } catch {
            logger.failed(question.failure, error)
        }
    }
}

/// What a gauge asks. The questions that there are stand beside what they ask about.
package struct GaugeQuestion: Sendable {
    /// No other has it.
    let name: String
    /// What is logged when there is no answer.
    let failure: Logger.Message
    /// The value of each series, labels included. Labels come from small fixed sets.
    let answer: @Sendable () async throws -> [String: Int]
}
