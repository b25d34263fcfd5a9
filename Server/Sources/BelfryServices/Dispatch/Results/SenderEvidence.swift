import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Selects the outcomes of a campaign's pushes that count as evidence about the sender's topic and environment
/// (REG-35).
///
/// Anybody may register installations with invalid tokens. So once earlier campaigns have shown that the credentials
/// fit the app, a bad token counts only if one of those campaigns reached the device: a device that only ever had bad
/// tokens was never reached. An app whose devices are all new, for example after its credentials were set, has no other
/// evidence. The proof by a campaign is permanent: when its ledger is removed after the app's term (LED-3), only the
/// devices that it reached become unknown.
struct SenderEvidence {
    /// How many of the newest campaigns are examined.
    static let campaigns = 100
    /// How many of the newest proofs are used: each device with a bad token is looked up in each of them.
    static let proofs = 5

    let connection: any SQLConnection
    let campaign: CampaignID
    let app: Int64
    let provider: PushProvider

    /// - Parameter moment: when the credentials with which the pushes were sent were set.
    func outcomes(of results: [DeliveryResult], since moment: Date?) throws -> [PushOutcome] {
        let suspects = results.filter(\.blamesToken).map(\.update.device)
        guard !suspects.isEmpty, let moment else { return results.compactMap(\.outcome) }
        let proofs = try proofs(since: moment)
        guard !proofs.isEmpty else { return results.compactMap(\.outcome) }
        let kept = proofs.filter(\.hasLedger).prefix(Self.proofs).map(\.id)
        let reached = try kept.isEmpty ? [] : connection.deliveries.accepted(by: suspects, in: kept)
        return results.filter { !$0.blamesToken || reached.contains($0.update.device) }.compactMap(\.outcome)
    }

    /// Campaigns since then whose first responses showed that the credentials fit, the newest first.
    private func proofs(since moment: Date) throws -> [(id: CampaignID, hasLedger: Bool)] {
        let watches = try connection.campaigns.watches(
            app: app, launchedSince: moment, except: campaign, limit: Self.campaigns
        )
        return try watches.filter { try ProviderCircuitBreakers(text: $0.text).prove(provider) }
            .map { (id: $0.id, hasLedger: $0.hasLedger) }
    }
}

extension DeliveryResult {
    /// Whether the push service says that the token is bad or belongs to another sender.
    fileprivate var blamesToken: Bool {
        switch outcome {
        case .tokenMalformed?, .topicError?: true
        default: false
        }
    }
}
