import BelfryServerModel
import Foundation

/// A version of a campaign, without its content (CON-5).
package struct CampaignVersionRow: Hashable, Sendable {
    /// The version's number, counted from 1 within its campaign.
    package let number: Int64
    package let savedAt: Date
    /// Nil if unknown: the version was saved before authors were recorded.
    package let author: NamedAuthor?
    /// Whether this is, or was, the campaign's content; false for a proposed change of a launched campaign.
    package let isPublished: Bool
    /// Whether the version restarts the count of displays of an in-app message.
    package let resetsDisplays: Bool
}

extension CampaignVersionRow {
    /// The columns of ``CampaignVersionRepository/source``.
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case number, savedAt, user, key, userName, displayName, published, resetsDisplays

        var sql: SQLText {
            switch self {
            case .number: "v.number"
            case .savedAt: "v.saved_at"
            case .user: "v.author_user"
            case .key: "v.author_key"
            case .userName: "u.name"
            case .displayName: "u.display_name"
            case .published: "v.published"
            case .resetsDisplays: "v.resets_displays"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            number: row.integer(.number), savedAt: row.date(.savedAt),
            author: NamedAuthor(
                user: row.optionalInteger(.user), key: row.optionalText(.key), userName: row.optionalText(.userName),
                displayName: row.optionalText(.displayName)
            ),
            isPublished: row.flag(.published), resetsDisplays: row.flag(.resetsDisplays)
        )
    }
}
