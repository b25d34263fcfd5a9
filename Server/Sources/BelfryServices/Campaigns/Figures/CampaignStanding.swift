import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A campaign with its figures at one moment: the sums of the ledger's rows, and of the engagement that devices
/// reported (LED-3, ENG-4, IAM-9).
package struct CampaignReport: Hashable, Sendable {
    package let campaign: Campaign
    package let counts: CampaignCounts
    /// The message center engagement; nil for a campaign that keeps no message.
    package let messageCenter: MessageCenterEngagementSums?
    /// The in-app figures; nil for a campaign of another kind than `inApp`.
    package let inApp: InAppSums?
}

/// The progress of a campaign: its figures at one moment, and the reasons of the deliveries' states (CON-7).
package struct CampaignStanding: Hashable, Sendable {
    package let report: CampaignReport
    /// The outcomes, largest first; they add up to the audience.
    package let outcomes: [DeliveryOutcome]
    /// Whether the whole audience has been selected.
    package let isPlanned: Bool
    /// When the figures were summed up; nil if just now.
    package let summedAt: Date?

    package init(report: CampaignReport, outcomes: [DeliveryOutcome], isPlanned: Bool, summedAt: Date? = nil) {
        self.report = report
        self.outcomes = outcomes
        self.isPlanned = isPlanned
        self.summedAt = summedAt
    }

    package var campaign: Campaign { report.campaign }

    /// Whether the campaign is over: only reports from devices can still change its figures.
    package var isOver: Bool {
        [.completed, .cancelled].contains(campaign.status) && report.counts.pending == 0
    }
}
