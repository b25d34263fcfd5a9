import BelfryModel
import BelfryServerModel
import Foundation

/// Changes of a campaign by its columns alone: to read what it says may be what ends the process (SEC-8).
extension CampaignRepository {
    /// Pauses one that would send or be shown.
    ///
    /// - Returns: whether it was one.
    package func pauseUnread(_ id: CampaignID, because reason: StatusReason) throws -> Bool {
        try connection.execute(
            """
            UPDATE campaigns SET status = 'paused', status_reason = ?
            WHERE id = ? AND status IN ('scheduled', 'sending', 'active')
            """,
            [.text(reason.stored), .integer(id.number)]
        ) > 0
    }

    /// Cancels one that is not over, and puts nobody else into its ledger.
    package func cancelUnread(_ id: CampaignID, because reason: String, now: Date) throws {
        try connection.execute(
            """
            UPDATE campaigns SET status = 'cancelled', status_reason = ?, ended_at = ?
            WHERE id = ? AND status NOT IN ('cancelled', 'completed')
            """,
            [.text(StatusReason(reason).stored), .date(now), .integer(id.number)]
        )
        try connection.execute(
            "UPDATE campaigns SET planned = 1, closed_to = NULL WHERE id = ?", [.integer(id.number)]
        )
    }

    /// The app whose devices may have its message, or were to have it; nil of one that is not of in-app messages, or that
    /// was never launched.
    package func appOfInApp(_ id: CampaignID) throws -> Int64? {
        try connection.first(
            "SELECT app_id FROM campaigns WHERE id = ? AND kind = 'inApp' AND launched_at IS NOT NULL",
            [.integer(id.number)]
        ) { $0.integer(0) }
    }
}
