import Foundation

/// Until when a campaign's sends are worth trying.
package enum DeliveryDeadline {
    /// Seconds that a message lives when its content does not say: four weeks.
    package static let standardLifetime: TimeInterval = 28 * 86_400
    /// Seconds that a message lives at most.
    package static let maximumLifetime: TimeInterval = 365 * 86_400
    /// Seconds for which a send is tried again when the message itself would live longer.
    package static let standardRetryLimit: TimeInterval = 86_400

    /// When a message expires: its launch and its time to live after it.
    ///
    /// - Parameter ttlSeconds: nil for four weeks; 0 or less for "now or never", which ends at the launch itself:
    ///   such a send is tried once and never again.
    package static func expiry(launchedAt: Date, ttlSeconds: Int?) -> Date {
        let lifetime = ttlSeconds.map(TimeInterval.init) ?? standardLifetime
        return launchedAt.addingTimeInterval(min(max(lifetime, 0), maximumLifetime))
    }

    /// The last moment at which a retry may leave.
    ///
    /// - Parameters:
    ///   - startedAt: when the campaign began to send: its launch, or its last resume, since a pause costs no retries.
    ///   - expiresAt: from ``expiry(launchedAt:ttlSeconds:)``.
    ///   - retryLimit: seconds.
    package static func lastRetry(
        startedAt: Date,
        expiresAt: Date,
        retryLimit: TimeInterval = standardRetryLimit
    ) -> Date {
        min(expiresAt, startedAt.addingTimeInterval(retryLimit))
    }

    /// The last moment at which a send may leave that has not left yet: that of a retry, but a message that lives
    /// "now or never" does not end before its one attempt.
    package static func lastResend(
        startedAt: Date,
        launchedAt: Date,
        ttlSeconds: Int?,
        retryLimit: TimeInterval = standardRetryLimit
    ) -> Date {
        if let ttlSeconds, ttlSeconds <= 0 { return startedAt.addingTimeInterval(retryLimit) }
        let expiresAt = expiry(launchedAt: launchedAt, ttlSeconds: ttlSeconds)
        return lastRetry(startedAt: startedAt, expiresAt: expiresAt, retryLimit: retryLimit)
    }
}
