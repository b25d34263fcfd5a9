import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

extension CampaignDrafts {
    /// The result of a form for a new draft.
    package enum Submission: Hashable, Sendable {
        case made(CampaignID)
        /// The form has already created this draft, with the same content.
        case repeated(CampaignID)
        /// The form has already created this draft, with other content. Nothing was created now.
        case changed(CampaignID)
    }

    /// Creates a draft from a form that may be submitted twice: by a second click, or after going back to the form.
    ///
    /// The form's key is recorded in the transaction that creates the draft, so of two simultaneous calls the second
    /// finds the first.
    ///
    /// - Parameter editor: as for ``create(_:by:app:)``.
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

    /// Copies a campaign once for each page that was shown, even if the campaign has changed since.
    ///
    /// - Parameter editor: as for ``create(_:by:app:)``.
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
    /// The campaign that the form has created, while it exists; nil for a form that is submitted for the first time.
    fileprivate func earlierDraft(
        _ form: String, in app: AppRecord, now: Date, _ connection: any SQLConnection
    ) throws -> (row: IdempotentResponseRow, id: CampaignID)? {
        guard let row = try earlier(form, now: now, connection), let id = CampaignID(row.body),
            let found = try connection.campaigns.find(id), found.app == app.id
        else { return nil }
        return (row, id)
    }
}
