import BelfryModel
import Foundation

/// Where a (campaign, device) pair stands; every pair ends in exactly one of the last four (LED-1).
package enum DeliveryState: String, Hashable, Sendable, Codable, CaseIterable {
    case pending
    case accepted
    case suppressed
    case rejected
    case cancelled
}

/// Later facts about a message that was accepted.
package enum Engagement: String, Hashable, Sendable, CaseIterable {
    case received
    case displayed
    case opened
    case dismissed
}

/// The figures of one campaign: sums of the ledger's rows (LED-3).
package struct CampaignCounts: Hashable, Sendable, Codable {
    package var audience = 0
    package var pending = 0
    package var accepted = 0
    package var suppressed = 0
    package var rejected = 0
    package var cancelled = 0
    package var displayed = 0
    package var opened = 0

    package init() {}
}
