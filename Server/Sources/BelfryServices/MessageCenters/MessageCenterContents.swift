import BelfryModel
import BelfryServerModel
import BelfryStore

/// A campaign with messages in a center.
package struct CenterCampaign: Hashable, Sendable {
    package let campaign: CampaignSummary
    /// How many messages it has placed, those that were deleted since included.
    package let messages: Int
    /// Whether there are more than ``messages``.
    package let hasMore: Bool
}

/// What is in the message centers of an app, campaign by campaign (CON-8).
extension MessageCenterService {
    /// Campaigns that are looked at for one answer: those that are counted, or for a page.
    static let maximumLookedAt = 1_000
    private static let lookedAtAtOnce = 200
    /// Messages of a campaign are counted no further.
    static let maximumCounted = 1_000

    /// How many of an app's newest campaigns have messages in each center.
    package func campaignCounts(of app: AppRecord) async throws -> [MessageCenterName: Int] {
        try await database.read { connection in
            let found = try connection.placingCampaigns.list(app: app.id, before: nil, limit: Self.maximumLookedAt)
            return found.reduce(into: [:]) { counts, entry in
                if let center = entry.center { counts[center, default: 0] += 1 }
            }
        }
    }

    /// The campaigns with messages in a center, the newest first, and the number before which the list goes on. A page
    /// may hold fewer than its limit, or none, and still say where to go on.
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
