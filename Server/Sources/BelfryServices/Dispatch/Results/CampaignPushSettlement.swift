import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Writes the results of a campaign's silent pushes to the devices' turns.
struct CampaignPushSettlement {
    let connection: any SQLConnection
    let campaign: CampaignID
    let now: Date

    /// Runs in the transaction that writes the results to the ledger.
    func settle(_ results: [DeliveryResult]) throws {
        var states = try connection.silentPushes.states(of: results.map(\.update.device))
        states = states.filter { $0.value.campaign == campaign }
        for result in results { states[result.update.device]?.settle(result.pushEnd, of: campaign, at: now) }
        try connection.silentPushes.save(
            states.map { SilentPushRow(device: $0.key, state: $0.value) }, owner: nil
        )
    }
}

extension DeliveryResult {
    fileprivate var pushEnd: CampaignPushEnd {
        switch outcome {
        case .accepted?: .accepted
        case .unanswered? where update.state == .pending: .unanswered
        case .unanswered?: .unansweredAtLast
        default: .over
        }
    }
}
