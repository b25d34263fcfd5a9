import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Notes what a campaign says after each edit (CON-5). It runs in the transaction that saves the campaign.
struct CampaignHistory {
    let connection: any SQLConnection
    let now: Date

    /// The first version of a campaign.
    func begin(_ id: CampaignID, saying draft: CampaignDraft, app: Int64, by editor: Author?) throws {
        try connection.campaignVersions.insert(
            draft, of: id, app: app, by: editor, isPublished: true, resetsDisplays: false, now: now
        )
    }

    /// A further version, if the campaign says something else than before. An edit that changes nothing is one only where
    /// nobody knows who wrote what is there: then the editor answers for it.
    ///
    /// - Parameter editor: nil where nobody edits, or nobody knows who does.
    func note(_ row: CampaignRow, before: CampaignRow, by editor: Author?) throws {
        let isEdited = try !row.campaign.draft.isSame(as: before.campaign.draft)
        let resetsDisplays = row.campaign.displayEpoch != before.campaign.displayEpoch
        guard isEdited || resetsDisplays || editor != nil else { return }
        let newest = try connection.campaignVersions.newest(of: row.id)
        guard isEdited || resetsDisplays || newest?.author == nil else { return }
        if let newest, !newest.isPublished, newest.resetsDisplays == resetsDisplays,
            let content = try connection.campaignVersions.content(newest.number, of: row.id),
            try DraftVersion(content) == DraftVersion(row.campaign.draft)
        {
            // What waited is what the campaign says from now on.
            return try connection.campaignVersions.publish(newest.number, of: row.id)
        }
        try connection.campaignVersions.insert(
            row.campaign.draft, of: row.id, app: row.app, by: editor, isPublished: true, resetsDisplays: resetsDisplays,
            now: now
        )
    }
}
