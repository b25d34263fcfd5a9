import BelfryModel
import Foundation

/// Who would get a campaign if it were launched now, and who not, by reason (CAMP-7). Nothing is sent.
package struct DryRun: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case wouldSend
        /// At its own time, or when quiet hours end.
        case later
        case suppressed
    }

    /// One device and what would become of it.
    package struct Sample: Hashable, Sendable {
        package let device: String
        package let outcome: Outcome
        /// Why it is suppressed or waits.
        package let reason: String?
        /// When it would be sent.
        package let at: Date?

        package init(device: String, outcome: Outcome, reason: String? = nil, at: Date? = nil) {
            self.device = device
            self.outcome = outcome
            self.reason = reason
            self.at = at
        }
    }

    /// Devices; the sum of the others.
    package var audience = 0
    package var wouldSend = 0
    package var later = 0
    /// By the ledger's reason.
    package var suppressed: [DeliveryReason: Int] = [:]
    package var samples: [Sample] = []
    /// What the campaign costs that one might not expect, in sentences.
    package var warnings: [String] = []

    package init() {}
}
