import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Writes campaigns, each in one transaction. Their content is checked before the transaction, and recorded as a
/// version in it (CON-5).
struct CampaignWriter: Sendable {
    /// How often a campaign is checked again after a simultaneous change.
    private static let checks = 5

    let database: any SQLDatabase
    let environment: ServerEnvironment

    /// Checks a draft before the transaction that writes it, and again if it has changed in the meantime.
    ///
    /// - Parameters:
    ///   - read: the draft to check; nil if there is nothing to check.
    ///   - write: uses the result by ``CampaignCheckResult/checked(_:by:app:in:)``.
    func checking<Output: Sendable>(
        app: AppRecord, _ read: @escaping @Sendable (any SQLConnection) throws -> CampaignDraft?,
        write: (CampaignCheckResult?) async throws -> Output
    ) async throws -> Output {
        for _ in 1...Self.checks {
            let input = try await database.read { connection in
                try read(connection).map { try CampaignCheckInput(at: $0, app: app.id, in: connection) }
            }
            var result: CampaignCheckResult?
            if let input { result = await CampaignCheckResult(input, texts: TextCompiler(schema: input.basis.schema)) }
            do {
                return try await write(result)
            } catch is CampaignCheckResult.Outdated {
                continue
            }
        }
        throw ServiceError.conflict(
            message: """
                The campaign, or something that it refers to, was changed during each check: \
                leave the app's attributes, message centers and settings alone for a moment, and try again.
                """
        )
    }

    /// Changes a campaign. Its draft is checked before.
    ///
    /// - Parameters:
    ///   - editor: the author of the edit; nil if the content is not edited, or if the author is unknown.
    ///   - draft: the draft to check; nil if the campaign needs no check in its present state.
    func change(
        _ id: CampaignID, app: AppRecord, by editor: Author? = nil,
        checking draft: @escaping @Sendable (CampaignRow) -> CampaignDraft?,
        _ body: @escaping @Sendable (any SQLConnection, inout CampaignRow, CampaignCheckResult?, Date) throws -> Void
    ) async throws -> Campaign {
        try await checking(app: app) { connection in
            draft(try AppLookup(connection: connection, app: app.id).campaign(id))
        } write: { result in
            try await change(id, app: app, by: editor) { connection, row, now in
                try body(connection, &row, result, now)
            }
        }
    }

    func change(
        _ id: CampaignID, app: AppRecord, by editor: Author? = nil,
        _ body: @escaping @Sendable (any SQLConnection, inout CampaignRow, Date) throws -> Void
    ) async throws -> Campaign {
        let now = environment.now()
        return try await database.write { connection in
            var row = try AppLookup(connection: connection, app: app.id).campaign(id)
            let before = row
            try body(connection, &row, now)
            try CampaignHistory(connection: connection, now: now).note(row, before: before, by: editor)
            guard try row != before || !row.campaign.draft.isSame(as: before.campaign.draft) else {
                return row.campaign
            }
            try connection.campaigns.save(row)
            // Devices compare the version of their messages with it (WIRE-9).
            if row.isOfInApp { try connection.inAppRevisions.advance(app: row.app, now: now) }
            return row.campaign
        }
    }
}
