import BelfryModel
import BelfryServerModel
import BelfryStore

/// A campaign with messages in a message center.
package struct CenterCampaign: Hashable, Sendable {
    package let campaign: CampaignSummary
    /// The number of messages that it has placed, including those that were deleted since.
    package let messages: Int
    /// Whether there are more messages than ``messages``.
    package let hasMore: Bool
}

/// The contents of an app's message centers, by campaign (CON-8).
extension MessageCenterService {
    /// The most campaigns that one response reads, to count them or to fill a page.
    static let maximumLookedAt = 1_000
    private static let lookedAtAtOnce = 200
    /// The highest number to which a campaign's messages are counted.
    static let maximumCounted = 1_000

    /// The number of the app's newest campaigns with messages in each center.
    package func campaignCounts(of app: AppRecord) async throws -> [MessageCenterName: Int] {
        try await database.read { connection in
            let found = try connection.placingCampaigns.list(app: app.id, before: nil, limit: Self.maximumLookedAt)
            return found.reduce(into: [:]) { counts, entry in
                if let center = entry.center { counts[center, default: 0] += 1 }
            }
        }
    }

    /// The campaigns with messages in a center, newest first, and the number before which the list continues. A page
    /// may have fewer campaigns than its limit, or none, and still have a successor.
    package func campaigns(
        in raw: String, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> (center: MessageCenter, campaigns: [CenterCampaign], next: Int64?) {
        try await database.read { connection in
            let center = try AppLookup(connection: connection, app: app.id).center(raw)
            var (found, position, looked): ([CenterCampaign], Int64?, Int) = ([], cursor, 0)
            while looked < Self.maximumLookedAt {
                let rows = try connection.placingCampaigns.list(
                    app: app.id, before: position, limit: Self.lookedAtAtOnce
                )
                for row in rows {
                    if row.center == center.name {
                        guard found.count < limit else { return (center, found, position) }
                        found.append(try Self.counted(row.campaign, in: connection))
                    }
                    position = row.campaign.id.number
                }
                looked += rows.count
                if rows.count < Self.lookedAtAtOnce { return (center, found, nil) }
            }
            return (center, found, position)
        }
    }

    private static func counted(
        _ campaign: CampaignSummary, in connection: any SQLConnection
    ) throws -> CenterCampaign {
        let count = try connection.placingCampaigns.messageCount(of: campaign.id, atMost: maximumCounted + 1)
        return CenterCampaign(
            campaign: campaign, messages: min(count, maximumCounted), hasMore: count > maximumCounted
        )
    }
}
