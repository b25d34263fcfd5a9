import BelfryModel
import Foundation

/// A device's report about a campaign's message: shown in a list, opened (ENG-4).
package enum MessageCenterEngagement: String, Hashable, Sendable, CaseIterable {
    case display
    case open
}

/// How often, and since when, a message was displayed and opened on one device.
package struct MessageCenterEngagementRow: Hashable, Sendable {
    package let displays: Int
    package let opens: Int
    package let displayedAt: Date?
    package let openedAt: Date?
}

extension MessageCenterEngagementRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case displays, opens, displayedAt, openedAt

        var sql: SQLText {
            switch self {
            case .displays: "displays"
            case .opens: "opens"
            case .displayedAt: "displayed_at"
            case .openedAt: "opened_at"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            displays: Int(row.integer(.displays)), opens: Int(row.integer(.opens)),
            displayedAt: row.optionalDate(.displayedAt), openedAt: row.optionalDate(.openedAt)
        )
    }
}

/// The figures of a campaign, as sums over its rows.
package struct MessageCenterEngagementSums: Hashable, Sendable {
    package let displays: Int
    /// Devices that have displayed the message.
    package let displayedBy: Int
    package let opens: Int
    /// Devices on which the message was opened.
    package let openedBy: Int
}

extension MessageCenterEngagementSums {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case displays, displayedBy, opens, openedBy

        var sql: SQLText {
            switch self {
            case .displays: "CAST(coalesce(sum(displays), 0) AS BIGINT)"
            case .displayedBy: "count(displayed_at)"
            case .opens: "CAST(coalesce(sum(opens), 0) AS BIGINT)"
            case .openedBy: "count(opened_at)"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            displays: Int(row.integer(.displays)), displayedBy: Int(row.integer(.displayedBy)),
            opens: Int(row.integer(.opens)), openedBy: Int(row.integer(.openedBy))
        )
    }
}

/// The combined reports of events about one campaign's message.
package struct MessageCenterEngagementCount: Sendable {
    fileprivate let campaign: CampaignID
    fileprivate private(set) var displays = 0
    fileprivate private(set) var opens = 0
    fileprivate private(set) var displayedAt: Date?
    fileprivate private(set) var openedAt: Date?

    package init(of campaign: CampaignID) {
        self.campaign = campaign
    }

    /// Counts one more event; of the moments the first stays.
    package mutating func add(_ kind: MessageCenterEngagement, at moment: Date) {
        switch kind {
        case .display:
            displays += 1
            displayedAt = displayedAt ?? moment
        case .open:
            opens += 1
            openedAt = openedAt ?? moment
        }
    }
}

package struct MessageCenterEngagementRepository {
    let connection: any SQLConnection

    /// Adds counts to the rows of different campaigns.
    package func count(_ counts: [MessageCenterEngagementCount], device: Int64) throws {
        try connection.executeEach(
            """
            INSERT INTO center_engagement (campaign_id, device_id, displays, opens, displayed_at, opened_at)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (campaign_id, device_id) DO UPDATE SET
                displays = center_engagement.displays + excluded.displays,
                opens = center_engagement.opens + excluded.opens,
                displayed_at = coalesce(center_engagement.displayed_at, excluded.displayed_at),
                opened_at = coalesce(center_engagement.opened_at, excluded.opened_at)
            """,
            counts.map { count in
                [
                    .integer(count.campaign.number), .integer(device), .integer(count.displays), .integer(count.opens),
                    .optional(count.displayedAt), .optional(count.openedAt),
                ]
            }
        )
    }

    package func find(campaign: CampaignID, device: Int64) throws -> MessageCenterEngagementRow? {
        try connection.first(
            """
            SELECT \(MessageCenterEngagementRow.columns) FROM center_engagement
            WHERE campaign_id = ? AND device_id = ?
            """,
            [.integer(campaign.number), .integer(device)], MessageCenterEngagementRow.init
        )
    }

    package func sums(of campaign: CampaignID) throws -> MessageCenterEngagementSums {
        let sums = try connection.first(
            "SELECT \(MessageCenterEngagementSums.columns) FROM center_engagement WHERE campaign_id = ?",
            [.integer(campaign.number)], MessageCenterEngagementSums.init
        )
        return sums ?? MessageCenterEngagementSums(displays: 0, displayedBy: 0, opens: 0, openedBy: 0)
    }
}

extension SQLConnection {
    package var centerEngagement: MessageCenterEngagementRepository {
        MessageCenterEngagementRepository(connection: self)
    }
}
