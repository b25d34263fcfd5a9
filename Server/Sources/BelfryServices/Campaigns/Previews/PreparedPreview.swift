import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A campaign as if it were launched now. It is checked and compiled before its audience is queried, because a query's
/// budget limits only SQL statements (SEC-8).
enum PreparedPreview: Sendable {
    case inApp(InAppPreview)
    case sent(BatchContext)
}

/// The data of a campaign that is read before its content is compiled.
private struct PreviewSource: Sendable {
    let input: CampaignCheckInput
    /// The data for a push or message center campaign; nil for an in-app campaign.
    let batch: BatchSource?
}

extension PreparedPreview {
    /// - Parameters:
    ///   - draft: content to use instead of the campaign's own; nil for its own.
    ///   - isTest: whether it is a test send, which ignores the schedule.
    init(
        of id: CampaignID, saying draft: CampaignDraft? = nil, app: AppRecord, now: Date, isTest: Bool = false,
        in database: any SQLDatabase
    ) async throws {
        let source = try await database.read { connection in
            var row = try AppLookup(connection: connection, app: app.id).campaign(id)
            if let draft { row.campaign.draft = draft }
            let isInApp = row.campaign.draft.kind.isInApp
            row.campaign.launchedAt = now
            row.retriesFrom = now
            if isTest { row.campaign.draft.schedule = nil }
            return PreviewSource(
                input: try CampaignCheckInput(at: row.campaign.draft, app: app.id, in: connection),
                batch: isInApp ? nil : try BatchSource(of: row, in: connection)
            )
        }
        let texts = TextCompiler(schema: source.input.basis.schema)
        // Checked again, because what the draft refers to may have changed since it was saved.
        let checked = try await CampaignCheckResult(source.input, texts: texts).checked
        if let batch = source.batch {
            guard let context = try? BatchContext(batch, texts: texts) else {
                throw ServiceError.conflict(
                    message: "Campaign \(id) has no push content that can be rendered."
                )
            }
            self = .sent(context)
            return
        }
        let allowsScripts = source.input.basis.allowsInAppScripts
        guard let message = checked.inApp,
            let preview = InAppPreview(
                message, audience: checked.audience, allowsScripts: allowsScripts, texts: texts
            )
        else {
            throw ServiceError.conflict(message: "Campaign \(id) has no in-app message that can be rendered.")
        }
        self = .inApp(preview)
    }
}
