import Foundation

/// How long a transaction has taken of work that is done in steps. Others wait for it; and what belongs to one device, or
/// to one registration, may be much, so that a number of them does not bound it (SEC-2, SEC-8).
struct StepTime: Sendable {
    /// Seconds after which it begins with nothing further.
    private static let longest: TimeInterval = 0.5

    private let environment: ServerEnvironment
    private let begunAt: Date

    /// It begins now.
    init(_ environment: ServerEnvironment) {
        self.environment = environment
        begunAt = environment.now()
    }

    /// A clock that was set meanwhile ends it as well: the next step goes on.
    var isOver: Bool { abs(environment.now().timeIntervalSince(begunAt)) >= Self.longest }
}
