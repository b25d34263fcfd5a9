import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The idempotency key of a form: made when the form is shown, and sent with it each time (CON-5).
package struct FormKey: Hashable, Sendable {
    /// Bytes.
    package static let lengths = 1...64

    fileprivate let principal: String
    private let text: String

    /// Nil for a text that stands in no form.
    ///
    /// - Parameter principal: who was shown the form.
    package init?(_ text: String, of principal: AdminPrincipal) {
        guard Self.lengths.contains(text.utf8.count) else { return nil }
        self.principal = principal.name
        self.text = text
    }

    /// As the store knows it, apart from the keys of the API.
    fileprivate func name(in app: AppRecord) -> String { "form:\(app.id):\(text)" }
}

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
        let hash = Array(try DraftVersion(draft).text.utf8)
        return try await creating(draft, app: app) { connection, checked, now in
            if let (row, id) = try key.earlier(in: app, now: now, connection) {
                return row.requestHash == hash ? .repeated(id) : .changed(id)
            }
            let id = try Self.insert(checked, by: editor, app: app, now: now, in: connection).id
            try key.note(id, hash: hash, in: app, now: now, connection)
            return .made(id)
        }
    }
}

extension FormKey {
    /// Of HTTP: what the answers beside it in the table have.
    private static let created = 201

    /// What the form has made, as long as it is there; nil for a form that comes for the first time.
    fileprivate func earlier(
        in app: AppRecord, now: Date, _ connection: any SQLConnection
    ) throws -> (row: IdempotentResponseRow, id: CampaignID)? {
        guard let row = try connection.idempotency.find(principal: principal, key: name(in: app)),
            abs(now.timeIntervalSince(row.createdAt)) < IdempotencyStore.lifetime, let id = CampaignID(row.body),
            let found = try connection.campaigns.find(id), found.app == app.id
        else { return nil }
        return (row, id)
    }

    fileprivate func note(
        _ id: CampaignID, hash: [UInt8], in app: AppRecord, now: Date, _ connection: any SQLConnection
    ) throws {
        let (answers, name) = (connection.idempotency, name(in: app))
        try answers.reserve(principal: principal, key: name, requestHash: hash, now: now)
        try answers.fill(
            principal: principal, key: name, reservedAt: now, status: Self.created, body: id.description
        )
    }
}
