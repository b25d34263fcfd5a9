import BelfryModel
import BelfryServerModel
import Foundation

/// A campaign that is paused, and why.
package struct PausedCampaign: Hashable, Sendable {
    package let id: CampaignID
    package let name: String
    package let reason: String?

    package init(id: CampaignID, name: String, reason: String?) {
        self.id = id
        self.name = name
        self.reason = reason
    }
}

/// What is asked of an app's campaigns without their content, by indexes that hold few of them.
extension CampaignRepository {
    private static let isUnfinished: SQLText = "status IN ('scheduled', 'sending', 'paused', 'active')"

    /// The newest paused campaigns.
    package func paused(app: Int64, limit: Int) throws -> [PausedCampaign] {
        try connection.query(
            """
            SELECT id, name, status_reason FROM campaigns
            WHERE app_id = ? AND \(Self.isUnfinished) AND status = 'paused' AND deleted_at IS NULL
            ORDER BY id DESC LIMIT ?
            """,
            [.integer(app), .integer(limit)]
        ) { row in
            CampaignID(row.integer(0)).map {
                PausedCampaign(id: $0, name: row.text(1), reason: row.optionalText(2))
            }
        }.compactMap(\.self)
    }

    /// The numbers of campaigns that are scheduled or go on, the newest first.
    package func unfinished(app: Int64, limit: Int) throws -> [Int64] {
        try numbers("app_id = ? AND \(Self.isUnfinished) AND deleted_at IS NULL", [.integer(app)], limit)
    }

    /// The numbers of drafts, the newest first.
    package func drafts(app: Int64, limit: Int) throws -> [Int64] {
        try numbers("app_id = ? AND status = 'draft' AND deleted_at IS NULL", [.integer(app)], limit)
    }

    /// The numbers of campaigns that were launched within a time and have ended, the newest first.
    package func ended(app: Int64, launched: Range<Date>, limit: Int) throws -> [Int64] {
        try connection.query(
            """
            SELECT id FROM campaigns WHERE app_id = ? AND launched_at IS NOT NULL AND launched_at >= ?
                AND launched_at < ? AND status IN ('completed', 'cancelled') AND deleted_at IS NULL
            ORDER BY launched_at DESC LIMIT ?
            """,
            [.integer(app), .date(launched.lowerBound), .date(launched.upperBound), .integer(limit)]
        ) { $0.integer(0) }
    }

    private func numbers(_ condition: SQLText, _ arguments: [SQLValue], _ limit: Int) throws -> [Int64] {
        try connection.query(
            "SELECT id FROM campaigns WHERE \(condition) ORDER BY id DESC LIMIT ?", arguments + [.integer(limit)]
        ) { $0.integer(0) }
    }
}
