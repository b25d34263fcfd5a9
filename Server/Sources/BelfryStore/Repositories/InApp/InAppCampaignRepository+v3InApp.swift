extension InAppCampaignRepository {
    /// Whether the app has a campaign that goes on, so that there may be something to answer to events (IAM-13).
    package func hasActive(app: Int64) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM campaigns WHERE app_id = ? AND kind = 'inApp' AND status = 'active' LIMIT 1", [.integer(app)]
        ) { _ in true } ?? false
    }
}
