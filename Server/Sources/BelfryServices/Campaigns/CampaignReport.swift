import BelfryModel
import BelfryServerModel
import BelfryStore

/// A campaign with its figures, of one moment: sums of the ledger's rows, and of what devices told of its message
/// (LED-3, ENG-4, IAM-9).
package struct CampaignReport: Hashable, Sendable {
    package let campaign: Campaign
    package let counts: CampaignCounts
    /// Nil for a campaign that keeps no message.
    package let messageCenter: MessageCenterEngagementSums?
    /// Nil for a campaign of another kind than `inApp`.
    package let inApp: InAppSums?
}

extension CampaignService {
    package func report(_ id: CampaignID, app: AppRecord) async throws -> CampaignReport {
        try await database.read { connection in
            let campaign = try AppLookup(connection: connection, app: app.id).campaign(id).campaign
            return CampaignReport(
                campaign: campaign, counts: try connection.deliveries.counts(of: id),
                messageCenter: campaign.draft.kind.keepsMessage ? try connection.centerEngagement.sums(of: id) : nil,
                inApp: campaign.draft.kind.isInApp ? try connection.inAppDeviceStates.sums(of: id) : nil
            )
        }
    }
}
