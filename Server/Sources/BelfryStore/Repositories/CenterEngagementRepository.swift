import BelfryModel
import Foundation

/// What a device has told of a campaign's message: shown in a list, opened (ENG-4).
package enum CenterEngagement: String, Hashable, Sendable, CaseIterable {
    case display
    case open
}

/// How often, and since when, on one device.
package struct CenterEngagementRow: Hashable, Sendable {
    package let displays: Int
    package let opens: Int
    package let displayedAt: Date?
    package let openedAt: Date?
}

/// The figures of one campaign: sums of the rows.
package struct CenterEngagementSums: Hashable, Sendable {
    package let displays: Int
    /// Devices.
    package let displayedBy: Int
    package let opens: Int
    /// Devices.
    package let openedBy: Int
}

package struct CenterEngagementRepository {
    let connection: any SQLConnection

    /// Counts one more; of the moments the first stays.
    package func count(_ kind: CenterEngagement, campaign: CampaignID, device: Int64, at: Date) throws {
        let (sum, moment): (SQLText, SQLText) = kind == .display ? ("displays", "displayed_at") : ("opens", "opened_at")
        try connection.execute(
            """
            INSERT INTO center_engagement (campaign_id, device_id, displays, opens, \(moment)) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (campaign_id, device_id) DO UPDATE SET \(sum) = center_engagement.\(sum) + 1,
                \(moment) = coalesce(center_engagement.\(moment), excluded.\(moment))
            """,
            [
                .integer(campaign.number), .integer(device), .flag(kind == .display), .flag(kind == .open), .date(at),
            ]
        )
    }

    package func find(campaign: CampaignID, device: Int64) throws -> CenterEngagementRow? {
        try connection.first(
            """
            SELECT displays, opens, displayed_at, opened_at FROM center_engagement
            WHERE campaign_id = ? AND device_id = ?
            """,
            [.integer(campaign.number), .integer(device)]
        ) {
            CenterEngagementRow(
                displays: Int($0.integer(0)), opens: Int($0.integer(1)), displayedAt: $0.dateIfAny(2),
                openedAt: $0.dateIfAny(3)
            )
        }
    }

    package func sums(of campaign: CampaignID) throws -> CenterEngagementSums {
        let sums =
            try connection.first(
                """
                SELECT CAST(coalesce(sum(displays), 0) AS BIGINT), count(displayed_at),
                    CAST(coalesce(sum(opens), 0) AS BIGINT), count(opened_at)
                FROM center_engagement WHERE campaign_id = ?
                """,
                [.integer(campaign.number)]
            ) { row in (0..<4).map { Int(row.integer($0)) } } ?? [0, 0, 0, 0]
        return CenterEngagementSums(displays: sums[0], displayedBy: sums[1], opens: sums[2], openedBy: sums[3])
    }
}

extension SQLConnection {
    package var centerEngagement: CenterEngagementRepository { CenterEngagementRepository(connection: self) }
}
