import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Decides which claimed silent pushes are sent: a device that opted out since the push was requested gets nothing.
struct SilentPushSelection {
    /// The push services that the app has credentials for.
    let providers: Set<PushProvider>
    /// The push services of these that are not used because they reject the credentials, or because the credentials
    /// cannot be decrypted.
    let rejecting: Set<PushProvider>
    let now: Date

    /// The candidates that get a push now; the results are for the others.
    func candidates(
        of pushes: [ClaimedSilentPush], _ recipients: [Recipient]
    ) -> (candidates: [Candidate], dropped: [SilentPushResult]) {
        let found = Dictionary(recipients.map { ($0.device, $0) }) { first, _ in first }
        let timing = MessageTiming(start: now, ttlSeconds: Int(SilentPush.lifetime), endsAt: nil)
        var candidates: [Candidate] = []
        var dropped: [SilentPushResult] = []
        for push in pushes {
            guard let recipient = found[push.device] else {
                dropped.append(.dropped(push, .noToken))
                continue
            }
            switch RecipientDecision.decide(recipient, now: now, providers: providers) {
            case .send(let token) where token.provider == .webpush: dropped.append(.dropped(push, .browser))
            case .send(let token) where rejecting.contains(token.provider):
                dropped.append(.dropped(push, .credentialError))
            case .send(let token):
                candidates.append(Candidate(recipient: recipient, token: token, timing: timing, due: nil))
            case .suppress(let reason): dropped.append(.dropped(push, SilentPushCause(reason)))
            // Cannot happen: only a campaign's recipients wait for a retry.
            case .later: dropped.append(.dropped(push, .noAnswer))
            }
        }
        return (candidates, dropped)
    }
}

extension SilentPushCause {
    /// The cause for a reason why a push may not be sent at all.
    fileprivate init(_ reason: DeliveryReason) {
        switch reason {
        case .noToken: self = .noToken
        case .noCredentials: self = .noCredentials
        default: self = .optedOut
        }
    }
}
