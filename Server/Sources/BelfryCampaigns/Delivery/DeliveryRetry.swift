import Foundation

/// How long a send waits before it is tried again (PUSH-4, PUSH-5).
package enum DeliveryRetry {
    /// Seconds within which the first retry leaves.
    package static let firstDelay: TimeInterval = 1
    /// Seconds between two attempts at most, unless the push service asks for more.
    package static let maximumDelay: TimeInterval = 300
    /// Seconds between two tries of what cannot leave, at most: the way may be open again any moment.
    package static let maximumDelayOfUnsent: TimeInterval = 15
    /// Seconds of a Retry-After that are respected at most.
    package static let maximumRetryAfter: TimeInterval = 3_600

    /// The delay in seconds: 0.5 to 1, then 1 to 2, doubling up to ``maximumDelay``; never less than `retryAfter`.
    ///
    /// - Parameters:
    ///   - attempt: the attempt that failed, counted from 1.
    ///   - retryAfter: seconds that the push service asked for. All that it sent away at once would come back at
    ///     once, so they spread over a tenth more.
    ///   - random: from 0 to 1, drawn anew for each delay.
    package static func delay(attempt: Int, retryAfter: TimeInterval?, random: Double) -> TimeInterval {
        let random = min(max(random, 0), 1)
        // Nine doublings pass the maximum; more would only overflow.
        let doublings = min(max(attempt, 1) - 1, 9)
        let ceiling = min(firstDelay * Double(1 << doublings), maximumDelay)
        let delay = ceiling * (0.5 + random / 2)
        guard let retryAfter, retryAfter > 0 else { return delay }
        return max(delay, min(retryAfter, maximumRetryAfter) * (1 + random / 10))
    }

    /// The delay in seconds of what could not leave: 0.5 to 1, then as long again as it has been tried for, up to
    /// ``maximumDelayOfUnsent`` and half of what is left.
    ///
    /// - Parameter left: seconds within which it may still leave.
    package static func delayOfUnsent(
        triedFor: TimeInterval, left: TimeInterval, random: Double
    ) -> TimeInterval {
        max(delay(attempt: 1, retryAfter: nil, random: random), min(triedFor, maximumDelayOfUnsent, left / 2))
    }
}
