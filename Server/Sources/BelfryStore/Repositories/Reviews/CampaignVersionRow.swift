import BelfryServerModel
import Foundation

/// A version of a campaign, without what it says (CON-5).
package struct CampaignVersionRow: Hashable, Sendable {
    /// Counted from 1 within its campaign.
    package let number: Int64
    package let savedAt: Date
    /// Nil where nobody knows: it was saved before versions were noted.
    package let author: NamedAuthor?
    /// Whether the campaign says or said this; false for a change of a launched message that waits.
    package let isPublished: Bool
    /// Whether it lets the displays of an in-app message be counted anew.
    package let resetsDisplays: Bool
}

extension CampaignVersionRow {
    /// Of ``CampaignVersionRepository/source``.
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
