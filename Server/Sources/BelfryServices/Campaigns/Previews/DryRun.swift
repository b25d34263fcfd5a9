import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// Counts who would get a campaign if it were launched now, and who would not, by reason (CAMP-7). Nothing is sent.
package struct DryRun: Hashable, Sendable {
    /// The most devices that are shown.
    private static let maximumSamples = 50
    /// The most devices that are shown for one outcome and reason.
    private static let maximumAlike = 10

    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case wouldSend
        /// It would be sent at the recipient's own time, or when quiet hours end.
        case later
        case suppressed
    }

    /// One device and the outcome for it.
    package struct Sample: Hashable, Sendable {
        package let device: String
        package let outcome: Outcome
        /// Why the message is suppressed or waits.
        package let reason: String?
        /// When the message would be sent.
        package let at: Date?

        package init(device: String, outcome: Outcome, reason: String? = nil, at: Date? = nil) {
            self.device = device
            self.outcome = outcome
            self.reason = reason
            self.at = at
        }
    }

    /// The number of devices in the audience: the sum of the other counts.
    package var audience = 0
    package var wouldSend = 0
    package var later = 0
    /// The suppressed devices, by the ledger's reason.
    package var suppressed: [DeliveryReason: Int] = [:]
    package var samples: [Sample] = []
    /// Sentences about costs of the campaign that one might not expect.
    package var warnings: [String] = []

    package init() {}
}

extension DryRun {
    /// Adds a device and the outcome for it.
    mutating func add(_ outcome: Outcome, _ recipient: Recipient, _ reason: DeliveryReason? = nil) {
        audience += 1
        switch (outcome, reason) {
        case (.wouldSend, _): wouldSend += 1
        case (.later, _): later += 1
        case (.suppressed, let reason): suppressed[reason ?? .renderError, default: 0] += 1
        }
        note(Sample(device: recipient.client.rawValue, outcome: outcome, reason: reason?.rawValue))
    }

    /// Decides about the recipients as a round would, and adds the outcomes.
    mutating func take(_ load: BatchContext, recentCounts: [Int64: Int], now: Date) {
        var selection = CandidateSelection(load, now: now)
        let (recipients, results) = selection.recipients()
        let names = Dictionary(load.recipients.map { ($0.device, $0.client.rawValue) }, uniquingKeysWith: { $1 })
        for result in results {
            take(result.update, device: names[result.update.device] ?? "")
        }
        for recipient in recipients {
            let isAdmitted = load.schedule?.frequencyCap?.admits(count: recentCounts[recipient.device] ?? 0) ?? true
            if !isAdmitted, load.style == .alert {
                take(DeliveryResult.suppressed(recipient, .frequencyCap).update, device: recipient.client.rawValue)
            } else if !load.canRender(recipient) {
                take(DeliveryResult.suppressed(recipient, .renderError).update, device: recipient.client.rawValue)
            } else {
                audience += 1
                wouldSend += 1
                note(Sample(device: recipient.client.rawValue, outcome: .wouldSend))
            }
        }
    }

    private mutating func take(_ update: DeliveryUpdate, device: String) {
        audience += 1
        if let due = update.due {
            later += 1
            note(Sample(device: device, outcome: .later, reason: due.note, at: due.at))
        } else if let reason = update.reason {
            suppressed[reason, default: 0] += 1
            note(Sample(device: device, outcome: .suppressed, reason: reason.rawValue))
        }
    }

    /// Adds a sample, up to a limit for each outcome and reason: the first devices alone would often all have the same.
    private mutating func note(_ sample: Sample) {
        let alike = samples.count { $0.outcome == sample.outcome && ($0.reason == sample.reason || $0.at != nil) }
        guard samples.count < Self.maximumSamples, alike < Self.maximumAlike else { return }
        samples.append(sample)
    }
}
