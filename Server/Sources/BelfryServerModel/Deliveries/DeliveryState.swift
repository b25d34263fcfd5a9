import BelfryModel
import Foundation

/// The state of a delivery, which is a pair of campaign and device. Every delivery ends in exactly one of the last four
/// states (LED-1).
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

/// The figures of one campaign: sums over the ledger's rows (LED-3).
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

/// The number of a campaign's devices with the same state and reason.
package struct DeliveryOutcome: Hashable, Sendable {
    package let state: DeliveryState
    /// The reason. Nil while the delivery is pending, and when the push service accepted it.
    package let reason: DeliveryReason?
    package let count: Int
    /// The number of those devices that reported a display later.
    package let displayed: Int
    package let opened: Int

    package init(state: DeliveryState, reason: DeliveryReason?, count: Int, displayed: Int = 0, opened: Int = 0) {
        self.state = state
        self.reason = reason
        self.count = count
        self.displayed = displayed
        self.opened = opened
    }
}

extension CampaignCounts {
    /// Sums up the figures of these outcomes.
    package init(_ outcomes: [DeliveryOutcome]) {
        self.init()
        for outcome in outcomes {
            audience += outcome.count
            displayed += outcome.displayed
            opened += outcome.opened
            switch outcome.state {
            case .pending: pending += outcome.count
            case .accepted: accepted += outcome.count
            case .suppressed: suppressed += outcome.count
            case .rejected: rejected += outcome.count
            case .cancelled: cancelled += outcome.count
            }
        }
    }
}
