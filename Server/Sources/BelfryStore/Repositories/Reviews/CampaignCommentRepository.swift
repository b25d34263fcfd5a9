import BelfryModel
import BelfryServerModel
import Foundation

/// A comment on a campaign for those who work on it (CON-5).
package struct CampaignCommentRow: Hashable, Sendable {
    package let id: Int64
    package let at: Date
    package let author: NamedAuthor
    package let text: String
}

extension CampaignCommentRow {
    /// The columns of ``CampaignCommentRepository/source``.
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, at, user, key, userName, displayName, text

        var sql: SQLText {
            switch self {
            case .id: "c.id"
            case .at: "c.created_at"
            case .user: "c.author_user"
            case .key: "c.author_key"
            case .userName: "u.name"
            case .displayName: "u.display_name"
            case .text: "c.text"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        let author = NamedAuthor(
            user: row.optionalInteger(.user), key: row.optionalText(.key), userName: row.optionalText(.userName),
            displayName: row.optionalText(.displayName)
        )
        guard let author else { throw StoreError.corrupted(table: "campaign_comments", key: row.text(.id)) }
        self.init(id: row.integer(.id), at: row.date(.at), author: author, text: row.text(.text))
    }
}

package struct CampaignCommentRepository {
    let connection: any SQLConnection

    static let source: SQLText = "campaign_comments c LEFT JOIN users u ON u.id = c.author_user"

    package func insert(_ text: String, on id: CampaignID, by author: Author, now: Date) throws -> CampaignCommentRow {
        let ids = try connection.query(
            """
            INSERT INTO campaign_comments (campaign_id, created_at, author_user, author_key, text)
            VALUES (?, ?, ?, ?, ?) RETURNING id
            """,
            [.integer(id.number), .date(now)] + Author.values(author) + [.text(text)]
        ) { $0.integer(0) }
        guard let number = ids.first, let comment = try find(number, on: id) else {
            throw StoreError.corrupted(table: "campaign_comments", key: id.description)
        }
        return comment
    }

    package func find(_ comment: Int64, on id: CampaignID) throws -> CampaignCommentRow? {
        try connection.first(
            "SELECT \(CampaignCommentRow.columns) FROM \(Self.source) WHERE c.id = ? AND c.campaign_id = ?",
            [.integer(comment), .integer(id.number)], CampaignCommentRow.init
        )
    }

    /// A campaign's comments, newest first, below the cursor.
    package func list(on id: CampaignID, before cursor: Int64?, limit: Int) throws -> [CampaignCommentRow] {
        try connection.query(
            Self.listSQL, [.integer(id.number), .integer(cursor ?? .max), .integer(limit)], CampaignCommentRow.init
        )
    }

    /// Its arguments are the campaign, the cursor and the limit.
    package static let listSQL: SQLText = """
        SELECT \(CampaignCommentRow.columns) FROM \(source) WHERE c.campaign_id = ? AND c.id < ?
        ORDER BY c.id DESC LIMIT ?
        """

    package func count(on id: CampaignID) throws -> Int {
        try connection.first("SELECT count(*) FROM campaign_comments WHERE campaign_id = ?", [.integer(id.number)]) {
            Int($0.integer(0))
        } ?? 0
    }

    package func delete(_ comment: Int64) throws {
        try connection.execute("DELETE FROM campaign_comments WHERE id = ?", [.integer(comment)])
    }

    /// Deletes all comments of a user, on any campaign.
    package func deleteAll(of user: Int64) throws {
        try connection.execute("DELETE FROM campaign_comments WHERE author_user = ?", [.integer(user)])
    }

    package func deleteAll(on id: CampaignID) throws {
        try connection.execute("DELETE FROM campaign_comments WHERE campaign_id = ?", [.integer(id.number)])
    }
}

extension SQLConnection {
    package var campaignComments: CampaignCommentRepository { CampaignCommentRepository(connection: self) }
}
