import BelfryCampaigns
import BelfryModel
import Foundation

/// When one recipient's message is due, and how long it is tried.
struct MessageTiming: Hashable, Sendable {
    /// The launch, or the recipient's own time where that is later.
    let start: Date
    let ttlSeconds: Int?
    /// The campaign's own end, whatever the message's life.
    let endsAt: Date?

    /// When the message expires.
    var expiresAt: Date {
        let expiry = DeliveryDeadline.expiry(launchedAt: start, ttlSeconds: ttlSeconds)
        return endsAt.map { min($0, expiry) } ?? expiry
    }

    /// Whether it has expired. A message with a time to live of 0 gets its one attempt at any time.
    func isExpired(at now: Date) -> Bool {
        if let endsAt, now >= endsAt { return true }
        return ttlSeconds != 0 && now > expiresAt
    }

    /// The last moment for a retry.
    ///
    /// - Parameter retriesFrom: the campaign's launch or last resume, so that the time of a pause does not count.
    func lastRetry(retriesFrom: Date) -> Date {
        DeliveryDeadline.lastRetry(startedAt: max(start, retriesFrom), expiresAt: expiresAt)
    }

    /// The last moment for a message that was never sent.
    func lastResend(retriesFrom: Date) -> Date {
        let last = DeliveryDeadline.lastResend(
            startedAt: max(start, retriesFrom), launchedAt: start, ttlSeconds: ttlSeconds
        )
        return endsAt.map { min($0, last) } ?? last
    }
}
