import BelfryModel
import BelfryServerModel
import Foundation

/// Changes a campaign without reading its content, since reading it may be what crashes the process (SEC-8).
extension CampaignRepository {
    /// Pauses a campaign that is scheduled, sending or active.
    ///
    /// - Returns: whether it was such a campaign.
    package func pauseUnread(_ id: CampaignID, because reason: StatusReason) throws -> Bool {
        try connection.execute(
            """
            UPDATE campaigns SET status = 'paused', status_reason = ?
            WHERE id = ? AND status IN ('scheduled', 'sending', 'active')
            """,
            [.text(reason.stored), .integer(id.number)]
        ) > 0
    }

    /// Cancels a campaign that is not over, and adds no more devices to its ledger.
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

    /// The app whose devices have the in-app message, or would get it; nil if the campaign is not an in-app campaign,
    /// or was never launched.
    package func appOfInApp(_ id: CampaignID) throws -> Int64? {
        try connection.first(
            "SELECT app_id FROM campaigns WHERE id = ? AND kind = 'inApp' AND launched_at IS NOT NULL",
            [.integer(id.number)]
        ) { $0.integer(0) }
    }
}
