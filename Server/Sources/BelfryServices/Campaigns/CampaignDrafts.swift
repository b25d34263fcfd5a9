import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Creates and edits drafts, and publishes changes of launched in-app campaigns (CAMP-1, IAM-4, CON-5).
package struct CampaignDrafts: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    /// Signals work to the worker that plans and ends in-app campaigns.
    let inAppWork: AsyncSignal

    private var writer: CampaignWriter { CampaignWriter(database: database, environment: environment) }

    /// - Parameter editor: the author of the draft; nil if unknown. Then nobody can approve it.
    package func create(_ draft: CampaignDraft, by editor: Author? = nil, app: AppRecord) async throws -> Campaign {
        try await creating(draft, app: app) { connection, checked, now in
            try Self.insert(checked, by: editor, app: app, now: now, in: connection)
        }
    }

    /// Checks a draft, and then writes it in one transaction.
    ///
    /// - Parameter write: gets the draft as it is to be saved.
    func creating<Output: Sendable>(
        _ draft: CampaignDraft, app: AppRecord,
        _ write: @escaping @Sendable (any SQLConnection, CampaignDraft, Date) throws -> Output
    ) async throws -> Output {
        let now = environment.now()
        return try await writer.checking(app: app) { _ in
            draft
        } write: { result in
            // Reports errors without waiting for the writer.
            _ = try result?.checked
            return try await database.write { connection in
                let checked = try CampaignCheckResult.checked(draft, by: result, app: app.id, in: connection)
                return try write(connection, checked, now)
            }
        }
    }

    /// Writes a checked draft with its first version.
    static func insert(
        _ draft: CampaignDraft, by editor: Author?, app: AppRecord, now: Date, in connection: any SQLConnection
    ) throws -> Campaign {
        let id = try connection.campaigns.insert(draft, app: app.id, now: now)
        try CampaignHistory(connection: connection, now: now).begin(id, saying: draft, app: app.id, by: editor)
        return Campaign(id: id, app: app.code, draft: draft, status: .draft, createdAt: now)
    }

    /// Replaces the content of a draft, or publishes a change of a launched in-app campaign (IAM-4).
    ///
    /// - Parameters:
    ///   - resetDisplays: whether displays are counted from zero again; a draft has none.
    ///   - version: the version that the editor of a launched message began with; nil to skip that check.
    ///   - editor: as for ``create(_:by:app:)``.
    package func update(
        _ id: CampaignID, with draft: CampaignDraft, resetDisplays: Bool = false, from version: DraftVersion? = nil,
        by editor: Author? = nil, app: AppRecord
    ) async throws -> Campaign {
        defer { inAppWork.announce() }
        return try await writer.change(
            id, app: app, by: editor,
            checking: { row in
                if row.isPublished { return draft.inPlace(of: row.campaign.draft).draft }
                return row.campaign.status == .draft ? draft : nil
            }
        ) { connection, row, result, now in
            if row.isPublished {
                try AppLookup(connection: connection, app: app.id).require(row, at: version)
                let present = row.campaign.inAppVersion
                try InAppPublication(connection: connection, now: now).publishAnew(
                    &row, as: draft, by: result, resetsDisplays: resetDisplays
                )
                guard row.campaign.inAppVersion != present else { return }
                return try CampaignReview(connection: connection).requireApproval(
                    of: row, resetsDisplays: resetDisplays
                )
            }
            guard row.campaign.status == .draft else {
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue), not a draft.")
            }
            row.campaign.draft = try CampaignCheckResult.checked(draft, by: result, app: app.id, in: connection)
        }
    }

    /// Saves a draft, unless it has changed since the editor began, so that no other change is overwritten.
    ///
    /// - Parameters:
    ///   - version: the version that the editor began with.
    ///   - editor: as for ``create(_:by:app:)``.
    package func save(
        _ id: CampaignID, as draft: CampaignDraft, from version: DraftVersion, by editor: Author? = nil, app: AppRecord
    ) async throws -> Campaign {
        try await writer.checking(app: app) { _ in
            draft
        } write: { result in
            _ = try result?.checked
            return try await writer.change(id, app: app, by: editor) { connection, row, _ in
                try version.requireDraft(row.campaign)
                row.campaign.draft = try CampaignCheckResult.checked(draft, by: result, app: app.id, in: connection)
            }
        }
    }

    /// Creates a draft with the same content. A time that has passed is left out, and of a test campaign also its
    /// installations.
    package func duplicate(_ id: CampaignID, by editor: Author? = nil, app: AppRecord) async throws -> Campaign {
        try await create(try await copy(of: id, app: app), by: editor, app: app)
    }

    /// The content of a campaign's copy.
    func copy(of id: CampaignID, app: AppRecord) async throws -> CampaignDraft {
        let now = environment.now()
        var draft = try await database.read { try AppLookup(connection: $0, app: app.id).campaign(id).campaign.draft }
        draft.name = String("Copy of \(draft.name)".prefix(CampaignCheck.maximumNameLength))
        draft.installations = nil
        if let at = draft.schedule?.at, at <= now { draft.schedule?.at = nil }
        if let end = draft.schedule?.expiresAt, end <= now { draft.schedule?.expiresAt = nil }
        return draft
    }
}
