import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

extension CampaignDrafts {
    /// What became of a form for a new draft.
    package enum Submission: Hashable, Sendable {
        case made(CampaignID)
        /// The form has made this one before, and says the same.
        case repeated(CampaignID)
        /// The form has made this one before, and says something else by now. Nothing was made.
        case changed(CampaignID)
    }

    /// Makes a draft of a form that may come twice: by a second press, or from somebody who went back to it.
    ///
    /// The key is noted in the transaction that makes the draft, so of two calls at once one finds the other's.
    ///
    /// - Parameter editor: as with ``create(_:by:app:)``.
    package func create(
        _ draft: CampaignDraft, once key: FormKey, by editor: Author?, app: AppRecord
    ) async throws -> Submission {
        let (form, hash) = ("form:\(app.id)", Array(try DraftVersion(draft).text.utf8))
        return try await creating(draft, app: app) { connection, checked, now in
            if let (row, id) = try key.earlierDraft(form, in: app, now: now, connection) {
                return row.requestHash == hash ? .repeated(id) : .changed(id)
            }
            let id = try Self.insert(checked, by: editor, app: app, now: now, in: connection).id
            try key.note(id.description, by: form, hash: hash, now: now, connection)
            return .made(id)
        }
    }

    /// Copies a campaign, once for each page that was shown, whatever the campaign says by now.
    ///
    /// - Parameter editor: as with ``create(_:by:app:)``.
    package func duplicate(
        _ original: CampaignID, once key: FormKey, by editor: Author?, app: AppRecord
    ) async throws -> Submission {
        let form = "copy:\(app.id):\(original)"
        return try await creating(try await copy(of: original, app: app), app: app) { connection, checked, now in
            if let (_, id) = try key.earlierDraft(form, in: app, now: now, connection) { return .repeated(id) }
            let id = try Self.insert(checked, by: editor, app: app, now: now, in: connection).id
            try key.note(id.description, by: form, hash: Array(form.utf8), now: now, connection)
            return .made(id)
        }
    }
}

extension FormKey {
    /// The campaign that the form has made, as long as it is there; nil for a form that comes for the first time.
    fileprivate func earlierDraft(
        _ form: String, in app: AppRecord, now: Date, _ connection: any SQLConnection
    ) throws -> (row: IdempotentResponseRow, id: CampaignID)? {
        guard let row = try earlier(form, now: now, connection), let id = CampaignID(row.body),
            let found = try connection.campaigns.find(id), found.app == app.id
        else { return nil }
        return (row, id)
    }
}
