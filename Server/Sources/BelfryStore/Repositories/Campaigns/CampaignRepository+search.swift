import BelfryModel
import BelfryServerModel

extension CampaignRepository {
    /// The next campaigns of a status, newest first, older than the cursor; without those that were deleted.
    package func list(
        app: Int64, status: CampaignStatus, before cursor: Int64?, limit: Int
    ) throws -> [CampaignSummary] {
        try connection.query(
            Self.listOfStatusSQL,
            [.integer(app), .text(status.rawValue), .integer(cursor ?? .max), .integer(limit)], CampaignSummary.init
        )
    }

    /// The app, the status, the cursor and the limit are its arguments.
    package static let listOfStatusSQL: SQLText = """
        SELECT \(CampaignSummary.columns) FROM campaigns WHERE app_id = ? AND status = ? AND id < ?
            AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ?
        """
}
