import BelfryModel
import BelfryRules
import BelfryStore

extension SQLConnection {
    /// Lets the campaign's trouble watch see the outcomes, and pauses the campaign when it says so (REG-33, REG-35).
    func watch(_ outcomes: [PushOutcome], of id: CampaignID) throws {
        guard var row = try campaigns.find(id), row.campaign.status == .sending else { return }
        var watch = try row.watch.map { try JSONText.decode(ProviderTroubleWatch.self, $0) } ?? ProviderTroubleWatch()
        let before = watch
        for outcome in outcomes {
            guard case .pause(let reason) = watch.observe(outcome) else { continue }
            row.campaign.status = .paused
            row.campaign.statusReason = reason
            break
        }
        if watch.isTopicTrouble, row.troubleSince == nil {
            row.troubleSince = row.retriesFrom ?? row.campaign.launchedAt
        }
        guard watch != before || row.campaign.status != .sending else { return }
        row.watch = try JSONText.encode(watch)
        try campaigns.save(row)
    }

    /// Pauses a campaign that is sending; a sentence says why, and what to do.
    func pause(_ id: CampaignID, because reason: String) throws {
        guard var row = try campaigns.find(id), row.campaign.status == .sending else { return }
        row.campaign.status = .paused
        row.campaign.statusReason = reason
        try campaigns.save(row)
    }
}
