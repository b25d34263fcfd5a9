import BelfryModel

extension InAppCopyRepository {
    /// Campaigns whose message a device has ever got for one person, the newest ones.
    package func campaigns(of device: Int64, contact: Int64, limit: Int) throws -> [CampaignID] {
        try connection.query(
            """
            SELECT campaign_id FROM in_app_copies WHERE device_id = ? AND contact_id = ? AND downloaded_at IS NOT NULL
            ORDER BY campaign_id DESC LIMIT ?
            """,
            [.integer(device), .integer(contact), .integer(limit)]
        ) { CampaignID($0.integer(0)) }.compactMap(\.self)
    }
}

extension InAppCampaignRepository {
    /// The version since which displays of a campaign count; nil when the app has no such in-app campaign.
    package func displayEpoch(of id: CampaignID, app: Int64) throws -> Int? {
        try connection.first(
            "SELECT display_epoch FROM campaigns WHERE id = ? AND app_id = ? AND kind = 'inApp'",
            [.integer(id.number), .integer(app)]
        ) { Int($0.integer(0)) }
    }
}
