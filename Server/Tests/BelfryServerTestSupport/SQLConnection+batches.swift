import BelfryModel
import BelfryStore

extension SQLConnection {
    /// How many batches of a campaign are left.
    package func batchCount(of campaign: CampaignID) throws -> Int {
        try first("SELECT count(*) FROM batches WHERE campaign_id = ?", [.integer(campaign.number)]) {
            Int($0.integer(0))
        } ?? 0
    }
}
