import BelfryCampaigns
import BelfryModel
import Foundation

/// When one recipient's message is due, and until when it is tried.
struct MessageTiming: Hashable, Sendable {
    /// The launch, or the recipient's own time if that is later.
    let start: Date
    let ttlSeconds: Int?
    /// The campaign's own end, regardless of the message's time to live.
    let endsAt: Date?

    /// When the message expires.
    var expiresAt: Date {
        let expiry = DeliveryDeadline.expiry(launchedAt: start, ttlSeconds: ttlSeconds)
        return endsAt.map { min($0, expiry) } ?? expiry
    }

    /// Whether the message has expired. A message with a time to live of 0 gets its single attempt at any time.
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
