import Foundation

/// How long a send waits before it is retried (PUSH-4, PUSH-5).
package enum DeliveryRetry {
    /// The longest delay of the first retry, in seconds.
    package static let firstDelay: TimeInterval = 1
    /// The longest delay between two attempts, in seconds, unless the push service asks for more.
    package static let maximumDelay: TimeInterval = 300
    /// The longest delay between two tries of a message that cannot be sent, in seconds: sending may become possible at
    /// any moment.
    package static let maximumDelayOfUnsent: TimeInterval = 15
    /// The longest `Retry-After` that is respected, in seconds.
    package static let maximumRetryAfter: TimeInterval = 3_600

    /// The delay in seconds: 0.5 to 1, then 1 to 2, doubling up to ``maximumDelay``, and never less than `retryAfter`.
    ///
    /// - Parameters:
    ///   - attempt: the number of the attempt that failed, counted from 1.
    ///   - retryAfter: seconds that the push service asked for. Messages that were rejected together would all return
    ///     together, so they are spread over a tenth more.
    ///   - random: from 0 to 1, drawn anew for each delay.
    package static func delay(attempt: Int, retryAfter: TimeInterval?, random: Double) -> TimeInterval {
        let random = min(max(random, 0), 1)
        // Nine doublings exceed the maximum; more would only overflow.
        let doublings = min(max(attempt, 1) - 1, 9)
        let ceiling = min(firstDelay * Double(1 << doublings), maximumDelay)
        let delay = ceiling * (0.5 + random / 2)
        guard let retryAfter, retryAfter > 0 else { return delay }
        return max(delay, min(retryAfter, maximumRetryAfter) * (1 + random / 10))
    }

    /// The delay in seconds of a message that could not be sent: 0.5 to 1, then as long as it was tried for so far, up
    /// to ``maximumDelayOfUnsent`` and half of the time that is left.
    ///
    /// - Parameter left: seconds within which it may still be sent.
    package static func delayOfUnsent(
        triedFor: TimeInterval, left: TimeInterval, random: Double
    ) -> TimeInterval {
        max(delay(attempt: 1, retryAfter: nil, random: random), min(triedFor, maximumDelayOfUnsent, left / 2))
    }
}
