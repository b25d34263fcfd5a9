import BelfryModel
import BelfryServerModel
import BelfryStore

extension AppLookup {
    /// A campaign as it is rehearsed. Of a launched in-app message that is the change that waits to be published, if there
    /// is one: it is rehearsed like a campaign whose time has come, and approved then (CON-5).
    func rehearsed(_ id: CampaignID) throws -> Campaign {
        let row = try campaign(id)
        guard row.isPublished, let newest = try connection.campaignVersions.newest(of: id), !newest.isPublished,
            let draft = try connection.campaignVersions.content(newest.number, of: id)
        else { return row.campaign }
        var campaign = row.campaign
        campaign.draft = draft
        campaign.status = .scheduled
        campaign.scheduledAt = nil
        return campaign
    }
}
