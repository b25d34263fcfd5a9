import BelfryModel
import BelfryServerModel
import BelfryStore

extension AppLookup {
    /// The campaign as it is rehearsed. For a launched in-app message that is the change that waits to be published, if
    /// there is one: it is rehearsed like a campaign whose time has come, before it is approved (CON-5).
    func rehearsed(_ id: CampaignID) throws -> Campaign {
        let row = try campaign(id)
        guard let change = try waitingChange(of: row) else { return row.campaign }
        var campaign = row.campaign
        campaign.draft = change.draft
        campaign.status = .scheduled
        campaign.scheduledAt = nil
        return campaign
    }

    /// The newest version of a launched in-app message, if it waits to be published.
    func waitingChange(of row: CampaignRow) throws -> (number: Int64, draft: CampaignDraft)? {
        guard row.isPublished, let newest = try connection.campaignVersions.newest(of: row.id), !newest.isPublished,
            let draft = try connection.campaignVersions.content(newest.number, of: row.id)
        else { return nil }
        return (newest.number, draft)
    }

    /// Throws if a launched in-app message has changed since its editor began.
    func require(_ row: CampaignRow, at version: DraftVersion?) throws {
        guard let version else { return }
        let draft = try waitingChange(of: row)?.draft ?? row.campaign.draft
        guard try DraftVersion(draft) == version else {
            throw ServiceError.conflict(
                code: "draftChanged", message: "Somebody else has changed this message since you opened it."
            )
        }
    }
}
