import BelfryModel
import BelfryServerModel
import Foundation

package struct CampaignRepository {
    let connection: any SQLConnection

    static let source: SQLText = "campaigns c JOIN apps a ON a.id = c.app_id"
    /// The numbers of an app's campaigns; its argument is the app.
    static let numbersOfApp: SQLText = "SELECT id FROM campaigns WHERE app_id = ?"

    package func insert(_ draft: CampaignDraft, app: Int64, now: Date) throws -> CampaignID {
        let ids = try connection.query(
            """
            INSERT INTO campaigns (app_id, name, kind, content, status, created_at, planned_to, plan_end, planned,
                ends_at)
            VALUES (?, ?, ?, ?, 'draft', ?, 0, 0, 0, CAST(? AS BIGINT)) RETURNING id
            """,
            [
                .integer(app), .text(draft.name), .text(draft.kind.rawValue),
                .text(try JSONText.encode(draft)), .date(now), .optional(draft.inApp?.endsAt),
            ]
        ) { CampaignID($0.integer(0)) }
        guard let id = ids.first ?? nil else { throw StoreError.corrupted(table: "campaigns", key: draft.name) }
        return id
    }

    package func find(_ id: CampaignID) throws -> CampaignRow? {
        try connection.first(
            "SELECT \(CampaignRow.columns) FROM \(Self.source) WHERE c.id = ?", [.integer(id.number)], CampaignRow.init
        )
    }

    /// The campaign without its content, which may be long.
    package func summary(of id: CampaignID) throws -> CampaignSummary? {
        try connection.first(
            "SELECT \(CampaignSummary.columns) FROM campaigns WHERE id = ?", [.integer(id.number)], CampaignSummary.init
        )
    }

    /// An app's campaigns, newest first, older than the cursor. Deleted campaigns are left out. Their content is not
    /// read, since it may be long.
    package func list(app: Int64, before cursor: Int64?, limit: Int) throws -> [CampaignSummary] {
        try connection.query(
            Self.listSQL(connection.dialect), [.integer(app), .integer(cursor ?? .max), .integer(limit)],
            CampaignSummary.init
        )
    }

    /// Its arguments are the app, the cursor and the limit.
    package static func listSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(CampaignSummary.columns) FROM campaigns
        WHERE \(dialect.isArgument("app_id")) AND id < ? AND deleted_at IS NULL
        ORDER BY app_id DESC, id DESC LIMIT ?
        """
    }

    /// Deletes a draft, to which no other table refers, with its versions, comments, approvals and rehearsals.
    package func delete(_ id: CampaignID) throws {
        let removed = try connection.execute(
            "DELETE FROM campaigns WHERE id = ? AND status = 'draft'", [.integer(id.number)]
        )
        guard removed > 0 else { return }
        try connection.campaignVersions.deleteAll(of: id)
        try connection.campaignApprovals.deleteAll(of: id)
        try connection.campaignComments.deleteAll(on: id)
        try connection.rehearsals.deleteAll(of: id)
    }

    /// The status of a campaign; its content is not read.
    package func status(of id: CampaignID) throws -> CampaignStatus? {
        try connection.first("SELECT status FROM campaigns WHERE id = ?", [.integer(id.number)]) {
            CampaignStatus(rawValue: $0.text(0))
        } ?? nil
    }

    /// How push services have responded to a sending campaign so far (REG-35); nil if it is not sending.
    package func watch(of id: CampaignID) throws -> (text: String?, hasTopicErrors: Bool)? {
        try connection.first(
            "SELECT watch, trouble_since FROM campaigns WHERE id = ? AND status = 'sending'", [.integer(id.number)]
        ) { ($0.optionalText(0), !$0.isNull(1)) }
    }

    package func save(watch: String, of id: CampaignID) throws {
        try connection.executeLater("UPDATE campaigns SET watch = ? WHERE id = ?", [.text(watch), .integer(id.number)])
    }

    /// For the app's other campaigns that send notifications and were launched since a moment: how push services
    /// responded to their first pushes, and whether their ledger still exists. The last launched comes first.
    package func watches(
        app: Int64, launchedSince moment: Date, except campaign: CampaignID, limit: Int
    ) throws -> [(id: CampaignID, text: String, hasLedger: Bool)] {
        try connection.query(
            Self.watchesSQL(connection.dialect),
            [.integer(app), .integer(campaign.number), .date(moment), .integer(limit)]
        ) { row in
            CampaignID(row.integer(0)).map { (id: $0, text: row.text(1), hasLedger: row.isNull(2)) }
        }.compactMap(\.self)
    }

    /// Its arguments are the app, the campaign to leave out, the moment and the limit.
    package static func watchesSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT id, watch, ledger_removed_at FROM campaigns
        WHERE \(dialect.isArgument("app_id")) AND id <> ? AND launched_at >= ? AND watch IS NOT NULL
            AND kind IN ('push', 'pushAndMessageCenter')
        ORDER BY app_id DESC, launched_at DESC LIMIT ?
        """
    }

    /// Records that the campaign has opted devices out because of a wrong topic or environment, since its launch or
    /// last resume.
    package func beginTopicErrors(of id: CampaignID) throws {
        try connection.execute(
            "UPDATE campaigns SET trouble_since = coalesce(retries_from, launched_at) WHERE id = ? AND trouble_since IS NULL",
            [.integer(id.number)]
        )
    }

    /// The position of the campaign's rate limit.
    package func rateUnit(of id: CampaignID) throws -> Int64? {
        try connection.first("SELECT rate_unit FROM campaigns WHERE id = ?", [.integer(id.number)]) {
            $0.optionalInteger(0)
        } ?? nil
    }

    /// - Parameter next: the moment before which no batch of the campaign may be leased.
    package func save(rateUnit: Int64?, next: Date, of id: CampaignID) throws {
        try connection.execute(
            "UPDATE campaigns SET rate_unit = ?, next_send_at = ? WHERE id = ?",
            [.optional(rateUnit), .date(next), .integer(id.number)]
        )
    }

    /// Forgets rate limits that lie in the future, because a clock was set back.
    package func forgetNextSends(after moment: Date) throws {
        try connection.execute("UPDATE campaigns SET next_send_at = NULL WHERE next_send_at > ?", [.date(moment)])
    }

    /// The latest moment recorded for a sending campaign: of its launch, its last resume, or its last summing, which
    /// happens every minute or so. Nil if no campaign is sending.
    package func latestMoment() throws -> Date? {
        try connection.first(
            "SELECT max(launched_at), max(retries_from), max(summed_at) FROM campaigns WHERE status = 'sending'", []
        ) { row in (0...2).compactMap { row.optionalDate($0) }.max() } ?? nil
    }

    /// The app's launched campaigns that may have sent notifications since a moment (CAMP-5), and whether each is
    /// sending now. The first launched comes first.
    package func notifying(app: Int64, since: Date) throws -> [(id: Int64, isSending: Bool)] {
        try connection.query(
            Self.notifyingSQL(connection.dialect), [.integer(app), .date(since), .integer(.max as Int64)]
        ) { (id: $0.integer(0), isSending: $0.text(1) == CampaignStatus.sending.rawValue) }
    }

    /// Its arguments are the app, the moment and the limit. Callers always ask for all. But without a limit PostgreSQL
    /// estimates that another index is cheaper, which has the launched campaigns of all apps.
    package static func notifyingSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT id, status FROM campaigns
        WHERE \(dialect.isArgument("app_id")) AND kind IN ('push', 'pushAndMessageCenter')
            AND launched_at IS NOT NULL AND (ended_at IS NULL OR ended_at > ?)
        ORDER BY app_id, launched_at LIMIT ?
        """
    }

    /// Since when the app's campaigns have opted devices out because of a wrong topic or environment; nil if none has.
    package func topicErrorsSince(app: Int64) throws -> Date? {
        try connection.first(Self.topicErrorsSQL, [.integer(app)]) { $0.optionalDate(0) } ?? nil
    }

    /// Its argument is the app. The condition is that of a partial index, which `min` alone does not imply.
    package static let topicErrorsSQL: SQLText = """
        SELECT min(trouble_since) FROM campaigns WHERE app_id = ? AND trouble_since IS NOT NULL
        """

    /// Clears the topic errors of the app's campaigns: their opt-outs have been lifted.
    package func endTopicErrors(app: Int64) throws {
        try connection.execute(
            "UPDATE campaigns SET trouble_since = NULL WHERE app_id = ? AND trouble_since IS NOT NULL", [.integer(app)]
        )
    }

    /// Pauses the pushes of a sending campaign; its messages are still placed (MC-16). The reason is a sentence for
    /// operators: why, and what to do.
    ///
    /// - Parameter placesOn: false if the messages cannot be made either.
    package func pauseSending(_ id: CampaignID, because reason: String, placesOn: Bool = true) throws {
        guard var row = try find(id), row.campaign.status == .sending else { return }
        row.campaign.status = .paused
        row.placesWhilePaused = placesOn && row.campaign.draft.kind.keepsMessage
        row.campaign.statusReason =
            row.placesWhilePaused ? "\(reason) Meanwhile its messages are placed in their message centers." : reason
        try save(row)
    }

    /// Whether an operator has recalled the campaign's messages.
    package func isRecalled(_ id: CampaignID) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM campaigns WHERE id = ? AND recalled_at IS NOT NULL", [.integer(id.number)]
        ) { $0.flag(0) } ?? false
    }

    /// Cancels a campaign that cannot be read, so that it does not delay others. For an in-app campaign, the app's
    /// in-app revision grows, so that devices get the change with their next sync.
    package func failCorrupt(_ id: Int64, because reason: String, now: Date) throws {
        try connection.execute(
            """
            UPDATE campaigns SET status = 'cancelled', status_reason = ?, ended_at = ?, planned = 1, closed_to = NULL
            WHERE id = ?
            """,
            [.text(StatusReason(reason).stored), .date(now), .integer(id)]
        )
        let app = try connection.first(
            "SELECT app_id FROM campaigns WHERE id = ? AND kind = 'inApp'", [.integer(id)]
        ) { $0.integer(0) }
        if let app { try connection.inAppRevisions.advance(app: app, now: now) }
    }

    package func save(_ row: CampaignRow) throws {
        let campaign = row.campaign
        try connection.executeLater(
            """
            UPDATE campaigns SET name = ?, kind = ?, content = ?, status = ?, status_reason = ?, launched_at = ?,
                ended_at = ?, planned_to = ?, plan_end = ?, planned = ?, watch = ?, retries_from = ?,
                trouble_since = ?, scheduled_at = ?, rate_unit = ?, in_app_version = ?, display_epoch = ?,
                deleted_at = ?, recalled_at = ?, closed_to = ?, ends_at = ?, places = ?
            WHERE id = ?
            """,
            [
                .text(campaign.draft.name), .text(campaign.draft.kind.rawValue),
                .text(try JSONText.encode(campaign.draft)), .text(campaign.status.rawValue),
                .optional(campaign.reason?.stored), .optional(campaign.launchedAt), .optional(campaign.endedAt),
                .integer(row.plannedTo), .integer(row.planEnd), .flag(row.isPlanned), .optional(row.watch),
                .optional(row.retriesFrom), .optional(row.topicErrorsSince), .optional(row.scheduledAt),
                .optional(row.rateUnit), .integer(campaign.inAppVersion), .integer(campaign.displayEpoch),
                .optional(campaign.deletedAt), .optional(campaign.recalledAt), .optional(row.closedTo),
                .optional(campaign.draft.inApp?.endsAt), .flag(row.placesWhilePaused), .integer(campaign.id.number),
            ]
        )
    }
}

extension SQLConnection {
    package var campaigns: CampaignRepository { CampaignRepository(connection: self) }
}
