import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// Who would get a campaign if it were launched now, and who not, by reason (CAMP-7). Nothing is sent.
package struct DryRun: Hashable, Sendable {
    /// Devices that it shows.
    private static let maximumSamples = 50
    /// Devices that it shows of one outcome for one reason.
    private static let maximumAlike = 10

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

extension DryRun {
    /// Adds a device and what would become of it.
    mutating func add(_ outcome: Outcome, _ recipient: Recipient, _ reason: DeliveryReason? = nil) {
        audience += 1
        switch (outcome, reason) {
        case (.wouldSend, _): wouldSend += 1
        case (.later, _): later += 1
        case (.suppressed, let reason): suppressed[reason ?? .renderError, default: 0] += 1
        }
        note(Sample(device: recipient.client.rawValue, outcome: outcome, reason: reason?.rawValue))
    }

    /// Decides about the recipients as a round would, and adds them up.
    mutating func take(_ load: BatchContext, recentCounts: [Int64: Int], now: Date) {
        var selection = CandidateSelection(load, now: now)
        let (recipients, verdicts) = selection.recipients()
        let names = Dictionary(load.recipients.map { ($0.device, $0.client.rawValue) }, uniquingKeysWith: { $1 })
        for result in verdicts {
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

    /// Some of each outcome and reason: the first ones alone would often be all alike.
    private mutating func note(_ sample: Sample) {
        let alike = samples.count { $0.outcome == sample.outcome && ($0.reason == sample.reason || $0.at != nil) }
        guard samples.count < Self.maximumSamples, alike < Self.maximumAlike else { return }
        samples.append(sample)
    }
}
