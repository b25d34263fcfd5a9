import BelfryStore
import Foundation
import ServiceLifecycle

/// One process among those that share a database (FLEET-1). It hears from the others that there is work, and divides
/// the rates of keys and apps among the processes that answer calls.
package struct FleetWatch: Service {
    /// How often it counts the processes, in seconds.
    static let interval: TimeInterval = 5

    private let bell: any ProcessBell
    private let signals: ServiceSignals
    private let limits: RequestLimits
    private let answersCalls: Bool
    private let environment: ServerEnvironment
    private let metrics: Metrics

    /// - Parameters:
    ///   - signals: rung when another process has announced work.
    ///   - answersCalls: whether this process answers devices and operators.
    package init(
        bell: any ProcessBell, signals: ServiceSignals, limits: RequestLimits, answersCalls: Bool,
        environment: ServerEnvironment, metrics: Metrics
    ) {
        self.bell = bell
        self.signals = signals
        self.limits = limits
        self.answersCalls = answersCalls
        self.environment = environment
        self.metrics = metrics
    }

    package func run() async {
        bell.listen(isCounted: answersCalls) { [signals] in signals.hear($0) }
        await environment.repeatUntilShutdown(every: Self.interval) { await look() }
    }

    /// Counts the processes once. If that fails, the last count stays valid.
    package func look() async {
        guard let count = await bell.count() else { return }
        limits.divide(among: count)
        metrics.set(count, "belfry_api_processes")
    }
}
