import BelfryRules
import Foundation

/// The reason why the system gave no push token.
public struct PushRegistrationFailure: Hashable, Sendable {
    /// The domain of the system's error.
    public let domain: String
    /// The error's code within the domain.
    public let code: Int
    /// The error's text.
    public let message: String
    /// When the system is asked again, if the app is not shown before; nil when only the next start asks.
    public internal(set) var retryAt: Date?

    /// Reads an error of the system.
    init(_ error: any Error) {
        let error = error as NSError
        domain = error.domain
        code = error.code
        message = error.localizedDescription
    }

    /// The build may not receive pushes: 3000 is a missing entitlement `aps-environment`, 3010 a simulator that has no
    /// push service. Asking again has the same result.
    var isLasting: Bool {
        domain == "NSCocoaErrorDomain" && [3000, 3010].contains(code)
    }
}

/// When the system is asked again for a push token after it gave none (REG-30). It ends with the process, because every
/// start asks.
struct PushTokenRetry: Sendable {
    /// A minute at first, then twice the previous time, at most an hour.
    static let policy = Backoff.Policy(first: 60, maximum: 3_600, jitter: 0)

    private var backoff = Backoff()
    private(set) var dueAt: Date?
    /// Sleeps until the next request is due.
    var task: Task<Void, Never>?

    /// Whether the system still has to provide a token, and requesting it again may help.
    var isOutstanding: Bool { dueAt != nil }

    /// - Returns: when to request the token again; nil for not before the next start.
    mutating func failed(_ failure: PushRegistrationFailure, now: Date, random: Double) -> Date? {
        task?.cancel()
        task = nil
        guard !failure.isLasting else {
            dueAt = nil
            return nil
        }
        backoff.failed(at: now, cause: .server, retryAfter: nil, random: random, policy: Self.policy)
        dueAt = backoff.nextAttempt
        return dueAt
    }

    /// The system gave a token, or another attempt is being made.
    mutating func ended(isSuccess: Bool) {
        task?.cancel()
        task = nil
        dueAt = nil
        if isSuccess { backoff = Backoff() }
    }
}
