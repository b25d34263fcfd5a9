extension InAppCampaignRepository {
    /// How many of the app's campaigns are active, or become so without being launched: paused and scheduled ones.
    package func livingCount(app: Int64) throws -> Int {
        try connection.first(
            """
            SELECT count(*) FROM campaigns
            WHERE app_id = ? AND kind = 'inApp' AND status IN ('active', 'paused', 'scheduled')
            """,
            [.integer(app)]
        ) { Int($0.integer(0)) } ?? 0
    }
}
