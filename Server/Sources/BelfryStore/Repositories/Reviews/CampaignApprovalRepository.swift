import BelfryModel
import BelfryServerModel
import Foundation

/// A decision about a version of a campaign (CON-5).
package struct CampaignApprovalRow: Hashable, Sendable {
    package let id: Int64
    package let version: Int64
    package let decision: CampaignDecision
    /// The rehearsal to which the decision refers.
    package let rehearsal: Int64?
    package let at: Date
    package let author: NamedAuthor?
    /// The reason, in the author's words.
    package let reason: String?
}

extension CampaignApprovalRow {
    /// The columns of ``CampaignApprovalRepository/source``.
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, version, decision, rehearsal, at, user, key, userName, displayName, reason

        var sql: SQLText {
            switch self {
            case .id: "d.id"
            case .version: "d.version"
            case .decision: "d.decision"
            case .rehearsal: "d.rehearsal_id"
            case .at: "d.decided_at"
            case .user: "d.author_user"
            case .key: "d.author_key"
            case .userName: "u.name"
            case .displayName: "u.display_name"
            case .reason: "d.reason"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        guard let decision = CampaignDecision(rawValue: row.text(.decision)) else {
            throw StoreError.corrupted(table: "campaign_approvals", key: row.text(.id))
        }
        self.init(
            id: row.integer(.id), version: row.integer(.version), decision: decision,
            rehearsal: row.optionalInteger(.rehearsal), at: row.date(.at),
            author: NamedAuthor(
                user: row.optionalInteger(.user), key: row.optionalText(.key), userName: row.optionalText(.userName),
                displayName: row.optionalText(.displayName)
            ),
            reason: row.optionalText(.reason)
        )
    }
}

package struct CampaignApprovalRepository {
    let connection: any SQLConnection

    static let source: SQLText = "campaign_approvals d LEFT JOIN users u ON u.id = d.author_user"

    package func insert(
        _ decision: CampaignDecision, version: Int64, of id: CampaignID, rehearsal: Int64?, reason: String?,
        by author: Author, now: Date
    ) throws {
        try connection.execute(
            """
            INSERT INTO campaign_approvals (campaign_id, version, decision, rehearsal_id, decided_at, author_user,
                author_key, reason)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(id.number), .integer(version), .text(decision.rawValue), .optional(rehearsal), .date(now),
            ] + Author.values(author) + [.optional(reason)]
        )
    }

    /// A campaign's decisions, newest first.
    package func list(of id: CampaignID, limit: Int) throws -> [CampaignApprovalRow] {
        try connection.query(
            """
            SELECT \(CampaignApprovalRow.columns) FROM \(Self.source) WHERE d.campaign_id = ?
            ORDER BY d.id DESC LIMIT ?
            """,
            [.integer(id.number), .integer(limit)], CampaignApprovalRow.init
        )
    }

    package func count(of id: CampaignID) throws -> Int {
        try connection.first("SELECT count(*) FROM campaign_approvals WHERE campaign_id = ?", [.integer(id.number)]) {
            Int($0.integer(0))
        } ?? 0
    }

    /// The newest decision about each of these campaigns, by the campaign's number.
    package func newest(of campaigns: [Int64]) throws -> [Int64: (version: Int64, decision: CampaignDecision)] {
        let rows = try connection.query(
            """
            SELECT campaign_id, version, decision FROM campaign_approvals WHERE id IN
                (SELECT max(id) FROM campaign_approvals WHERE campaign_id IN (\(connection.dialect.integers))
                GROUP BY campaign_id)
            """,
            [.integers(campaigns)]
        ) { ($0.integer(0), $0.integer(1), $0.text(2)) }
        return rows.reduce(into: [:]) { found, row in
            guard let decision = CampaignDecision(rawValue: row.2) else { return }
            found[row.0] = (version: row.1, decision: decision)
        }
    }

    package func deleteAll(of id: CampaignID) throws {
        try connection.execute("DELETE FROM campaign_approvals WHERE campaign_id = ?", [.integer(id.number)])
    }
}

extension SQLConnection {
    package var campaignApprovals: CampaignApprovalRepository { CampaignApprovalRepository(connection: self) }
}
