import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Writes the results of some sends of a batch to the ledger, in one transaction with their consequences for devices
/// and for the campaign.
struct BatchResults {
    let connection: any SQLConnection
    let batch: Batch
    let load: BatchContext
    let now: Date

    /// Writes results to the ledger, opts devices out, and updates the campaign's circuit breaker.
    func record(_ results: [DeliveryResult]) throws {
        try connection.deliveries.record(results.lazy.map(\.update), campaign: batch.campaign, now: now)
        if load.style == .silent {
            try CampaignPushSettlement(connection: connection, campaign: batch.campaign, now: now).settle(results)
        }
        let recovered = results.filter(\.endsRejection).map(\.update.device)
        if !recovered.isEmpty { try connection.optOuts.endRejections(of: recovered, now: now) }
        for provider in PushProvider.allCases {
            // A circuit breaker that has seen enough responses ignores accepted ones.
            let hasSeenEnough = load.watched.contains(provider)
            guard results.contains(where: { $0.provider == provider && !(hasSeenEnough && $0.isAccepted) }) else {
                continue
            }
            let own = results.filter { $0.provider == provider && $0.outcome != nil }
            guard !own.isEmpty else { continue }
            let feedback = TokenFeedback(
                connection: connection, app: load.row.app, provider: provider,
                revision: load.credentials[provider]?.revision
            )
            if try feedback.apply(own.compactMap(\.optOut)) { try updateCircuitBreaker(own, from: provider) }
        }
    }

    /// Updates the circuit breaker with the outcomes, and pauses the campaign if it opens (REG-33, REG-35). Each push
    /// service has its own, so that a problem at one is not hidden by the responses of another.
    private func updateCircuitBreaker(_ results: [DeliveryResult], from provider: PushProvider) throws {
        let id = batch.campaign
        let relevant = results.filter(\.tellsOfSender)
        guard !relevant.isEmpty, let stored = try connection.campaigns.watch(of: id) else { return }
        var breakers = try stored.text.map(ProviderCircuitBreakers.init(text:)) ?? ProviderCircuitBreakers()
        let before = breakers
        let reason = breakers.observe(try outcomes(of: relevant, from: provider), from: provider)
        if breakers.hasTopicErrors, !stored.hasTopicErrors { try connection.campaigns.beginTopicErrors(of: id) }
        if breakers != before { try connection.campaigns.save(watch: try breakers.text, of: id) }
        if let reason { try connection.campaigns.pauseSending(id, because: reason) }
    }

    private func outcomes(of results: [DeliveryResult], from provider: PushProvider) throws -> [PushOutcome] {
        guard !load.watched.contains(provider) else { return results.compactMap(\.outcome) }
        let evidence = SenderEvidence(
            connection: connection, campaign: batch.campaign, app: load.row.app, provider: provider
        )
        return try evidence.outcomes(of: results, since: load.credentials[provider]?.updatedAt)
    }
}
