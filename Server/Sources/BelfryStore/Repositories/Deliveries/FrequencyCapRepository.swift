import BelfryModel
import Foundation

/// How many pushes devices have got recently (CAMP-5). The ledger is read in the order of its key, campaign by
/// campaign, since an index by device would slow down every send.
package struct FrequencyCapRepository {
    let connection: any SQLConnection

    /// The number of notifications for each device of the range that has any: accepted since a moment, or reserved
    /// since then by a campaign that is still sending, and not finished.
    ///
    /// - Parameter listed: the only devices of the range that are meant (``Batch/listed``).
    package func recentCounts(
        of devices: ClosedRange<Int64>, listed: [Int64]? = nil, app: Int64, since: Date, except campaign: CampaignID
    ) throws -> [Int64: Int] {
        let areChosen = connection.dialect.isWithin(devices, listed, "device_id")
        var counts: [Int64: Int] = [:]
        for (id, isSending) in try connection.campaigns.notifying(app: app, since: since) where id != campaign.number {
            let found = try connection.query(
                """
                SELECT device_id FROM deliveries WHERE campaign_id = ? AND \(areChosen.sql)
                    AND ((state = 'accepted' AND updated_at > ?) OR (state = 'pending' AND reserved_at > ?))
                """,
                [.integer(id)] + areChosen.arguments + [
                    .date(since), isSending ? .date(since) : .integer(Int64.max),
                ]
            ) { $0.integer(0) }
            for device in found { counts[device, default: 0] += 1 }
        }
        return counts
    }

    /// One of its arguments is the moment since which pushes count.
    private enum PushColumn: Int, ResultColumn {
        case device, at, next, isPending

        var sql: SQLText {
            switch self {
            case .device: "device_id"
            case .at:
                """
                CASE WHEN state = 'accepted' THEN updated_at WHEN reserved_at > ? THEN reserved_at
                    ELSE 0 END
                """
            case .next: "coalesce(retry_at, 0)"
            case .isPending: "CASE WHEN state = 'pending' THEN 1 ELSE 0 END"
            }
        }
    }

    /// When devices of a range got notifications of other campaigns, or will get them, as
    /// ``recentCounts(of:listed:app:since:except:)`` counts them. Pending notifications of campaigns that are sending are
    /// included, with the time from which they may be sent.
    ///
    /// - Parameters:
    ///   - campaigns: campaigns that are left out.
    ///   - followed: campaigns whose accepted notifications count and whose reserved ones are returned separately,
    ///     because the caller knows when the others will be sent.
    package func recentPushes(
        of devices: ClosedRange<Int64>, app: Int64, since: Date, now: Date, except campaigns: Set<CampaignID>,
        followed: Set<CampaignID>
    ) throws -> RecentPushes {
        var recent = RecentPushes()
        let excepted = Set(campaigns.map(\.number))
        let known = Dictionary(followed.map { ($0.number, $0) }) { first, _ in first }
        for (id, isSending) in try connection.campaigns.notifying(app: app, since: since)
        where !excepted.contains(id) {
            let campaign = known[id]
            let found = try connection.query(
                """
                SELECT \(PushColumn.selectList)
                FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ?
                    AND ((state = 'accepted' AND updated_at > ?)
                        OR (state = 'pending' AND (? = 1 OR reserved_at > ?)))
                """,
                [
                    .date(since), .integer(id), .integer(devices.lowerBound), .integer(devices.upperBound),
                    .date(since), .flag(isSending && campaign == nil),
                    isSending ? .date(since) : .integer(Int64.max),
                ]
            ) { row -> (device: Int64, at: Int64, next: Date, isPending: Bool) in
                let row = ResultRow<PushColumn>(row)
                return (
                    device: row.integer(.device), at: row.integer(.at), next: row.date(.next),
                    isPending: row.flag(.isPending)
                )
            }
            for row in found {
                let date = row.at > 0 ? Date(milliseconds: row.at) : max(row.next, now)
                if let campaign, row.isPending {
                    recent.reserved[campaign, default: [:]][row.device] = date
                } else {
                    recent.pushes[row.device, default: []].append(date)
                }
            }
        }
        return recent
    }

    /// Makes the campaign's message count for these devices from now on, before it is sent.
    package func reserve(_ devices: [Int64], campaign: CampaignID, now: Date) throws {
        try connection.executeEach(
            "UPDATE deliveries SET reserved_at = ? WHERE campaign_id = ? AND device_id = ? AND state = 'pending'",
            devices.map { [.date(now), .integer(campaign.number), .integer($0)] }
        )
    }
}

extension SQLConnection {
    package var frequencyCaps: FrequencyCapRepository { FrequencyCapRepository(connection: self) }
}

/// The notifications of other campaigns that count toward the frequency caps of some devices.
package struct RecentPushes: Sendable {
    /// By device: when it got each notification, or will get it.
    package var pushes: [Int64: [Date]] = [:]
    /// For followed campaigns, by device: since when a pending notification counts. It counts until it has ended.
    package var reserved: [CampaignID: [Int64: Date]] = [:]
}
