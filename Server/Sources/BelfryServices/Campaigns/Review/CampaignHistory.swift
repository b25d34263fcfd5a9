import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Records a campaign's content after each edit as a version (CON-5). It runs in the transaction that saves the
/// campaign.
struct CampaignHistory {
    let connection: any SQLConnection
    let now: Date

    /// Records the first version of a campaign.
    func begin(_ id: CampaignID, saying draft: CampaignDraft, app: Int64, by editor: Author?) throws {
        try connection.campaignVersions.insert(
            draft, of: id, app: app, by: editor, isPublished: true, resetsDisplays: false, now: now
        )
    }

    /// Records a further version if the content has changed. An edit that changes nothing is recorded only if the
    /// present content has no known author: then the editor becomes responsible for it.
    ///
    /// - Parameter editor: nil if nobody edits, or if the editor is unknown.
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
            // The waiting change is the campaign's content from now on.
            return try connection.campaignVersions.publish(newest.number, of: row.id)
        }
        try connection.campaignVersions.insert(
            row.campaign.draft, of: row.id, app: row.app, by: editor, isPublished: true, resetsDisplays: resetsDisplays,
            now: now
        )
    }
}
