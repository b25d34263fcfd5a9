import BelfryModel
import BelfryRules
import Foundation

/// From when on one recipient's message counts as sent, and until when it is worth trying.
struct MessageTiming: Hashable, Sendable {
    /// The launch, or the recipient's own time where that is later.
    let start: Date
    let ttlSeconds: Int?
    /// The campaign's own end, whatever the message's life.
    let endsAt: Date?

    /// When the message loses its worth.
    var expiresAt: Date {
        let expiry = DeliveryDeadline.expiry(launchedAt: start, ttlSeconds: ttlSeconds)
        return endsAt.map { min($0, expiry) } ?? expiry
    }

    /// Whether it has; a message that lives "now or never" is worth its one try at any time.
    func isExpired(at now: Date) -> Bool {
        if let endsAt, now >= endsAt { return true }
        return ttlSeconds != 0 && now > expiresAt
    }

    /// The last moment at which a retry may leave.
    ///
    /// - Parameter retriesFrom: the campaign's launch or last resume: a pause costs no retries.
    func lastRetry(retriesFrom: Date) -> Date {
        DeliveryDeadline.lastRetry(startedAt: max(start, retriesFrom), expiresAt: expiresAt)
    }

    /// The last moment at which may leave what has not left yet.
    func lastResend(retriesFrom: Date) -> Date {
        let last = DeliveryDeadline.lastResend(
            startedAt: max(start, retriesFrom), launchedAt: start, ttlSeconds: ttlSeconds
        )
        return endsAt.map { min($0, last) } ?? last
    }
}
