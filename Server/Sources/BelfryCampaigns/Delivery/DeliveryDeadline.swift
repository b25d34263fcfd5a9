import Foundation

/// The deadlines of a campaign's sends.
package enum DeliveryDeadline {
    /// The lifetime of a message whose content does not set one, in seconds: four weeks.
    package static let standardLifetime: TimeInterval = 28 * 86_400
    /// The longest lifetime of a message, in seconds.
    package static let maximumLifetime: TimeInterval = 365 * 86_400
    /// Seconds for which a send is retried if the message itself lives longer.
    package static let standardRetryLimit: TimeInterval = 86_400

    /// When a message expires: its launch plus its time to live.
    ///
    /// - Parameter ttlSeconds: nil for four weeks. 0 or less means "now or never": it expires at the launch itself, so
    ///   the send is tried once and never again.
    package static func expiry(launchedAt: Date, ttlSeconds: Int?) -> Date {
        let lifetime = ttlSeconds.map(TimeInterval.init) ?? standardLifetime
        return launchedAt.addingTimeInterval(min(max(lifetime, 0), maximumLifetime))
    }

    /// The last time at which a retry may be sent.
    ///
    /// - Parameters:
    ///   - startedAt: when the campaign began to send: its launch, or its last resume, because a pause must not use up
    ///     retries.
    ///   - expiresAt: from ``expiry(launchedAt:ttlSeconds:)``.
    ///   - retryLimit: seconds.
    package static func lastRetry(
        startedAt: Date,
        expiresAt: Date,
        retryLimit: TimeInterval = standardRetryLimit
    ) -> Date {
        min(expiresAt, startedAt.addingTimeInterval(retryLimit))
    }

    /// The last time at which a message that was never sent may be sent. It equals that of a retry, except that a "now
    /// or never" message does not end before its one attempt.
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
