import Foundation

/// How long a transaction has taken, for work that is done in steps. Other writes wait for the transaction. One device
/// or one registration may have much data, so a limit on their number does not bound the time (SEC-2, SEC-8).
struct StepTime: Sendable {
    /// Seconds after which the transaction starts nothing more.
    private static let longest: TimeInterval = 0.5

    private let environment: ServerEnvironment
    private let begunAt: Date

    /// Starts the measurement.
    init(_ environment: ServerEnvironment) {
        self.environment = environment
        begunAt = environment.now()
    }

    /// A clock that was set meanwhile ends the step, too: the next step continues.
    var isOver: Bool { abs(environment.now().timeIntervalSince(begunAt)) >= Self.longest }
}
