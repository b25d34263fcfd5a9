import Foundation

/// Growing delays after failures: the first delay doubles up to a maximum and then stays there (REG-6, EVT-5).
///
/// It is stored, so that a restart neither forgets a failure nor shortens a delay.
public struct Backoff: Hashable, Sendable, Codable {
    /// How fast the delays grow.
    public struct Policy: Hashable, Sendable, Codable {
        /// The delay after the first failure, in seconds.
        public var first: TimeInterval
        /// The maximum delay in seconds.
        public var maximum: TimeInterval
        /// Up to this part of a delay is added at random, so that a fleet does not come back all at once.
        public var jitter: Double

        public init(first: TimeInterval, maximum: TimeInterval, jitter: Double) {
            self.first = first
            self.maximum = maximum
            self.jitter = jitter
        }

        /// Registrations: first after a minute, up to a day, then daily (REG-6).
        public static let registration = Policy(first: 60, maximum: 86_400, jitter: 0.25)
        /// The other calls: first after two seconds, up to a day, then daily (EVT-5).
        public static let call = Policy(first: 2, maximum: 86_400, jitter: 0.5)
    }

    /// Why the call failed. Waiting for a network ends when the network returns (REG-7).
    public enum Cause: String, Hashable, Sendable, Codable {
        case network
        case server
    }

    /// The seconds after a failure at which opening the app lets the call be retried.
    public static let openedAppWait: TimeInterval = 900

    /// The maximum `Retry-After` in seconds.
    public static let maximumRetryAfter: TimeInterval = 86_400

    public private(set) var failures = 0
    private var since: Date?
    private var delay: TimeInterval = 0
    private var cause = Cause.server
    /// The server's `Retry-After` in seconds.
    private var asked: TimeInterval?

    public init() {}

    /// When the next attempt may start; nil when nothing failed.
    public var nextAttempt: Date? {
        since?.addingTimeInterval(delay)
    }

    /// The end of the server's `Retry-After`; nil without one.
    public var askedUntil: Date? {
        guard let asked else { return nil }
        return since?.addingTimeInterval(asked)
    }

    /// - Parameters:
    ///   - retryAfter: seconds of `Retry-After`: a minimum, not a replacement.
    ///   - random: 0 to 1.
    public mutating func failed(
        at now: Date,
        cause: Cause,
        retryAfter: TimeInterval?,
        random: Double,
        policy: Policy
    ) {
        failures += 1
        let doublings = Double(min(failures - 1, 40))
        let growing = min(policy.maximum, policy.first * pow(2, doublings))
        let jittered = min(policy.maximum, growing * (1 + policy.jitter * min(max(random, 0), 1)))
        since = now
        asked = retryAfter.map { min(max($0, 0), Self.maximumRetryAfter) }
        delay = max(jittered, asked ?? 0)
        self.cause = cause
    }

    /// Forgets the failures.
    public mutating func succeeded() {
        self = Backoff()
    }

    /// Ends a wait for the network; a `Retry-After` stays.
    public mutating func networkReturned() {
        if cause == .network { delay = 0 }
    }

    /// The app was opened. Its user must not see day-old data, so a long wait is shortened to ``openedAppWait`` since
    /// the failure. However often the app is opened, a failing call is not made more often than that. A `Retry-After`
    /// still applies, and the delays do not start again.
    public mutating func appOpened() {
        delay = min(delay, max(Self.openedAppWait, asked ?? 0))
    }

    /// A clock that was set back must not freeze the schedule: no wait is longer than its delay from now.
    public mutating func rebase(to now: Date) {
        since = since.map { min($0, now) }
    }
}
