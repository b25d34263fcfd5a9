import BelfryModel
import BelfryServerModel
import Foundation

/// The state of an in-app campaign, without its content.
package struct InAppCampaignState: Hashable, Sendable {
    package let id: CampaignID
    package let status: CampaignStatus
    package let recalledAt: Date?
    package let endsAt: Date?
}

extension InAppCampaignState {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, status, recalledAt, endsAt

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .status: "status"
            case .recalledAt: "recalled_at"
            case .endsAt: "ends_at"
            }
        }
    }

    /// Nil for a value that a newer program has written.
    init?(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        guard let id = CampaignID(row.integer(.id)), let status = CampaignStatus(rawValue: row.text(.status)) else {
            return nil
        }
        self.init(
            id: id, status: status, recalledAt: row.optionalDate(.recalledAt), endsAt: row.optionalDate(.endsAt)
        )
    }
}

/// The campaigns whose messages devices download (IAM-1). A campaign that cannot be read is left out; the others are
/// still returned.
package struct InAppCampaignRepository {
    let connection: any SQLConnection

    /// The app's active campaigns, in the order of creation: neither draft nor scheduled, paused, ended or cancelled. A
    /// campaign's end may have come since; this is in its draft.
    package func active(app: Int64) throws -> [CampaignRow] {
        try connection.query(Self.activeSQL, [.integer(app)], readable).compactMap(\.self)
    }

    /// The app's active campaigns, with the number of bytes of their stored content.
    package func activeContent(app: Int64) throws -> (campaigns: [CampaignRow], bytes: Int) {
        var bytes = 0
        let campaigns = try connection.query(Self.activeSQL, [.integer(app)]) { row -> CampaignRow? in
            bytes += row.text(CampaignRow.Column.content.rawValue).utf8.count
            return try readable(row)
        }
        return (campaigns.compactMap(\.self), bytes)
    }

    /// Its argument is the app.
    package static let activeSQL: SQLText = """
        SELECT \(CampaignRow.columns) FROM \(CampaignRepository.source)
        WHERE c.app_id = ? AND c.kind = 'inApp' AND c.status = 'active' ORDER BY c.id
        """

    /// The given campaigns that are in-app campaigns of the app, in any status.
    package func find(_ ids: [CampaignID], app: Int64) throws -> [CampaignRow] {
        guard !ids.isEmpty else { return [] }
        return try connection.query(
            """
            SELECT \(CampaignRow.columns) FROM \(CampaignRepository.source)
            WHERE c.id IN (\(connection.dialect.integers)) AND c.app_id = ? AND c.kind = 'inApp' ORDER BY c.id
            """,
            [.integers(ids.map(\.number)), .integer(app)], readable
        ).compactMap(\.self)
    }

    /// The states of the same campaigns, for those that a device says it has; their content is not read.
    package func states(of ids: [CampaignID], app: Int64) throws -> [InAppCampaignState] {
        guard !ids.isEmpty else { return [] }
        return try connection.query(
            """
            SELECT \(InAppCampaignState.columns) FROM campaigns
            WHERE id IN (\(connection.dialect.integers)) AND app_id = ? AND kind = 'inApp' ORDER BY id
            """,
            [.integers(ids.map(\.number)), .integer(app)], InAppCampaignState.init
        ).compactMap(\.self)
    }

    /// The campaigns that are still active though their end has come, and that the owner may end.
    package func ended(for owner: String, now: Date) throws -> [Int64] {
        try connection.query(
            "SELECT id FROM campaigns c WHERE \(Self.ending) AND ends_at <= ? ORDER BY ends_at, id",
            CampaignWalk.arguments(by: owner, now: now) + [.date(now)]
        ) { $0.integer(0) }
    }

    /// When the next campaign ends that the owner may end.
    package func nextEnd(for owner: String, now: Date) throws -> Date? {
        try connection.first(
            "SELECT min(ends_at) FROM campaigns c WHERE \(Self.ending)", CampaignWalk.arguments(by: owner, now: now)
        ) { $0.optionalDate(0) } ?? nil
    }

    /// The condition leaves out campaigns whose work is in quarantine, or on which another process works.
    private static let ending: SQLText = """
        ends_at IS NOT NULL AND status IN ('active', 'paused') AND \(CampaignWalk.mayGoOn("c.id"))
        """

    private func readable(_ row: any SQLRow) throws -> CampaignRow? {
        do {
            return try CampaignRow(row)
        } catch is DecodingError {
            return nil
        } catch StoreError.corrupted {
            return nil
        }
    }
}

/// In-app campaigns that are active, or may become active without a launch: paused and scheduled ones.
package struct LivingInAppCampaigns: Hashable, Sendable {
    package let count: Int
    /// The bytes of their stored content.
    package let bytes: Int
}

extension InAppCampaignRepository {
    /// Counts the app's active, paused and scheduled in-app campaigns, or the copies made for tests (CAMP-7), which are
    /// in no list. Only the sizes of their contents are read.
    ///
    /// - Parameters:
    ///   - isTest: whether to count the copies made for tests; otherwise the others.
    ///   - campaign: a campaign to leave out.
    package func living(
        app: Int64, isTest: Bool, except campaign: CampaignID? = nil
    ) throws -> LivingInAppCampaigns {
        try connection.first(
            """
            SELECT count(*), coalesce(sum(\(connection.dialect.bytes(of: "content"))), 0) FROM campaigns
            WHERE app_id = ? AND kind = 'inApp' AND status IN ('active', 'paused', 'scheduled')
                AND deleted_at IS \(isTest ? "NOT NULL" : "NULL") AND id <> ?
            """,
            [.integer(app), .integer(campaign?.number ?? 0)]
        ) { row in
            LivingInAppCampaigns(count: Int(row.integer(0)), bytes: Int(row.integer(1)))
        } ?? LivingInAppCampaigns(count: 0, bytes: 0)
    }

    /// Whether the app has an active campaign, so that uploaded events may need a response (IAM-13).
    package func hasActive(app: Int64) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM campaigns WHERE app_id = ? AND kind = 'inApp' AND status = 'active' LIMIT 1", [.integer(app)]
        ) { _ in true } ?? false
    }
}

extension SQLConnection {
    package var inAppCampaigns: InAppCampaignRepository { InAppCampaignRepository(connection: self) }
}
