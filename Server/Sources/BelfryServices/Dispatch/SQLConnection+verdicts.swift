import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

extension SQLConnection {
    /// Writes verdicts to the ledger, opts devices out, and lets the campaign's trouble watch see what was answered.
    func record(_ verdicts: [Verdict], of batch: Batch, _ load: RoundLoad, now: Date) throws {
        try deliveries.record(verdicts.lazy.map(\.update), campaign: batch.campaign, now: now)
        for provider in PushProvider.allCases {
            // A watch that has seen its window learns nothing more from what was accepted.
            let isContent = load.watched.contains(provider)
            guard verdicts.contains(where: { $0.provider == provider && !(isContent && $0.isAccepted) }) else {
                continue
            }
            let own = verdicts.filter { $0.provider == provider && $0.outcome != nil }
            let outcomes = own.compactMap(\.outcome)
            guard !outcomes.isEmpty else { continue }
            let optOuts = own.compactMap(\.optOut)
            // Only what blames something asks whether other credentials have been put meanwhile.
            let isSettled =
                try (!optOuts.isEmpty || outcomes.contains(where: \.isCredentialFault))
                && credentials.find(app: load.row.app, provider: provider)?.revision
                    != load.credentials[provider]?.revision
            // What the former ones were blamed for is settled (REG-33, REG-35).
            try devices.optOut(isSettled ? optOuts.filter { $0.optOut.reason == .tokenInvalid } : optOuts)
            if !isSettled { try watch(outcomes, from: provider, of: batch.campaign) }
        }
    }

    /// Lets the campaign's trouble watch see the outcomes, and pauses the campaign when it says so (REG-33, REG-35).
    /// Each push service has a watch of its own: what is wrong at one must not hide among the answers of another.
    private func watch(_ outcomes: [PushOutcome], from provider: PushProvider, of id: CampaignID) throws {
        guard let stored = try campaigns.watch(of: id) else { return }
        var watches = try stored.text.map(TroubleWatches.init(text:)) ?? TroubleWatches()
        let before = watches
        let reason = watches.observe(outcomes, from: provider)
        if watches.hasTopicTrouble, !stored.hasTrouble { try campaigns.beginTrouble(of: id) }
        if watches != before { try campaigns.save(watch: try watches.text, of: id) }
        if let reason { try pause(id, because: reason) }
    }

    /// Pauses a campaign that is sending; a sentence says why, and what to do.
    func pause(_ id: CampaignID, because reason: String) throws {
        guard var row = try campaigns.find(id), row.campaign.status == .sending else { return }
        row.campaign.status = .paused
        row.campaign.statusReason = reason
        try campaigns.save(row)
    }
}
