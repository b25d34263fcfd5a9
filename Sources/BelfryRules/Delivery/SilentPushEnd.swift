import BelfryModel
import Foundation

/// Why a silent push was given up. The device fetches by itself when its app is opened next (IAM-3).
public enum SilentPushCause: String, Hashable, Sendable, CaseIterable {
    case optedOut
    case noToken
    /// The app has no credentials for the device's push service.
    case noCredentials
    /// A browser's push service: what it brings must show something.
    case browser
    /// The push service refuses the app's credentials.
    case credentialFault
    /// It refuses the token: no longer valid, malformed, or another app's.
    case tokenFault
    /// It refuses the push itself.
    case payloadFault
    /// It was tried for as long as it is worth it.
    case noAnswer
}

/// How an attempt at a silent push ended.
public enum SilentPushEnd: Hashable, Sendable {
    /// The push service took it.
    case accepted
    /// It is given up.
    case dropped(SilentPushCause, mayHaveArrived: Bool)
    /// It is tried again then.
    case again(at: Date, mayHaveArrived: Bool)
}

extension SilentPushEnd {
    /// Decided before it leaves.
    public static func dropped(_ cause: SilentPushCause) -> SilentPushEnd {
        .dropped(cause, mayHaveArrived: false)
    }

    /// Decides after an attempt, as for any other push (PUSH-5), but for an hour and not for a day. What never left waits
    /// longer each time, too: there may be a million of them, and none is worth a hurry.
    ///
    /// - Parameters:
    ///   - state: with the attempt under way.
    ///   - random: from 0 to 1, for the jitter of the delay.
    public static func after(
        _ outcome: PushOutcome, _ state: SilentPushState, now: Date, random: Double
    ) -> SilentPushEnd {
        var (outcome, mayHaveArrived) = (outcome, false)
        if case .notSent(let reason) = outcome { outcome = .unavailable(reason: reason, retryAfter: nil) }
        if case .unanswered = outcome { mayHaveArrived = true }
        let end = (state.triedAt ?? now).addingTimeInterval(SilentPushBudget.retryLimit)
        let decision = DeliveryDecision.decide(
            outcome: outcome, attempt: state.attempts + 1, now: now, expiresAt: end,
            resendUntil: end, triedFor: state.triedAt.map(now.timeIntervalSince) ?? 0, random: random
        )
        switch decision {
        case .final(.accepted, _): return .accepted
        case .final: return .dropped(outcome.dropCause, mayHaveArrived: mayHaveArrived)
        case .hold: return .dropped(.credentialFault)
        case .retry(let date), .renewCredentialAndRetry(let date):
            return .again(at: date, mayHaveArrived: mayHaveArrived)
        }
    }
}

extension PushOutcome {
    fileprivate var dropCause: SilentPushCause {
        switch self {
        case .tokenInvalid, .tokenMalformed, .topicFault: .tokenFault
        case .credentialFault: .credentialFault
        case .payloadFault: .payloadFault
        case .accepted, .credentialExpired, .throttled, .unavailable, .unanswered, .notSent: .noAnswer
        }
    }
}
