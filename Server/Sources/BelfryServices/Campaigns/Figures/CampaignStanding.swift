import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

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

/// How far a campaign has come: its figures of one moment, and why devices stand where they stand (CON-7).
package struct CampaignStanding: Hashable, Sendable {
    package let report: CampaignReport
    /// The largest first; they add up to the audience.
    package let outcomes: [DeliveryOutcome]
    /// Whether the whole audience has been selected.
    package let isPlanned: Bool
    /// When the figures were summed up; nil: just now.
    package let summedAt: Date?

    package init(report: CampaignReport, outcomes: [DeliveryOutcome], isPlanned: Bool, summedAt: Date? = nil) {
        self.report = report
        self.outcomes = outcomes
        self.isPlanned = isPlanned
        self.summedAt = summedAt
    }

    package var campaign: Campaign { report.campaign }

    /// Whether nothing changes any more but what devices tell later.
    package var isOver: Bool {
        [.completed, .cancelled].contains(campaign.status) && report.counts.pending == 0
    }
}
