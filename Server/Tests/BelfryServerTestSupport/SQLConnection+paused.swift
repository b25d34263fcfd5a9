import BelfryModel
import BelfryStore

extension SQLConnection {
    /// A campaign as the server leaves it that has paused it by itself, whatever it was.
    package func pause(_ campaign: CampaignID, because reason: String) throws {
        try execute(
            "UPDATE campaigns SET status = 'paused', status_reason = ? WHERE id = ?",
            [.text(reason), .integer(campaign.number)]
        )
    }
}
