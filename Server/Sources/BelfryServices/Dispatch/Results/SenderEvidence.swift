import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Which outcomes of a campaign's pushes tell something of the sender's topic and environment (REG-35).
///
/// Anybody may register installations with tokens that are none. So once earlier campaigns have shown that the credentials
/// fit the app, a bad token counts only of a device that one of them reached: whoever has none but bad tokens was never
/// reached. An app whose devices are all new, as after its credentials were set, has nobody else to judge by. A campaign
/// has shown it for good: once its ledger is removed after the app's term (LED-3), only whom it reached is not known.
struct SenderEvidence {
    /// The newest campaigns that are looked at.
    static let campaigns = 100
    /// The newest of those that show it: each device of a bad token is looked for in each of them.
    static let proofs = 5

    let connection: any SQLConnection
    let campaign: CampaignID
    let app: Int64
    let provider: PushProvider

    /// - Parameter moment: when the credentials were set that the pushes were sent with.
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
    /// The push service says that it is the token that is bad, or another sender's.
    fileprivate var blamesToken: Bool {
        switch outcome {
        case .tokenMalformed?, .topicError?: true
        default: false
        }
    }
}
