import BelfryModel
import BelfryServerModel
import Foundation

/// Why a silent push was given up. The device fetches by itself when its app is opened next (IAM-3).
package enum SilentPushCause: String, Hashable, Sendable, CaseIterable {
    case optedOut
    case noToken
    /// The app has no credentials for the device's push service.
    case noCredentials
    /// A browser's push service: each of its pushes must show a notification.
    case browser
    /// The push service rejects the app's credentials.
    case credentialError = "credentialFault"
    /// The push service rejects the token: it is no longer valid, malformed, or another app's.
    case tokenError = "tokenFault"
    /// The push service rejects the push itself.
    case payloadError = "payloadFault"
    /// The retries have ended without a response.
    case noAnswer
}

/// How an attempt at a silent push ended.
package enum SilentPushEnd: Hashable, Sendable {
    /// The push service accepted it.
    case accepted
    /// It is given up.
    case dropped(SilentPushCause, mayHaveArrived: Bool)
    /// It is retried at this time.
    case again(at: Date, mayHaveArrived: Bool)
}

extension SilentPushEnd {
    /// The end of a push that was dropped before it was sent.
    package static func dropped(_ cause: SilentPushCause) -> SilentPushEnd {
        .dropped(cause, mayHaveArrived: false)
    }

    /// Decides after an attempt as for any other push (PUSH-5), but retries for an hour instead of a day. The delays of
    /// a push that was never sent grow, too: there may be a million of them, and none is urgent.
    ///
    /// - Parameters:
    ///   - state: the device's state with the attempt in progress.
    ///   - random: from 0 to 1, for the jitter of the delay.
    package static func after(
        _ outcome: PushOutcome, _ state: SilentPushState, now: Date, random: Double
    ) -> SilentPushEnd {
        var (outcome, mayHaveArrived) = (outcome, false)
        if case .notSent(let reason) = outcome { outcome = .unavailable(reason: reason, retryAfter: nil) }
        if case .unanswered = outcome { mayHaveArrived = true }
        let end = (state.triedAt ?? now).addingTimeInterval(SilentPushBudget.retryLimit)
        let decision = DeliveryDecision.decide(
            outcome: outcome, attempt: state.attempts + 1, wasDeferred: false, now: now,
            expiresAt: end, resendUntil: end, triedFor: state.triedAt.map(now.timeIntervalSince) ?? 0, random: random
        )
        switch decision {
        case .final(.accepted, _): return .accepted
        case .final: return .dropped(outcome.dropCause, mayHaveArrived: mayHaveArrived)
        case .hold: return .dropped(.credentialError)
        case .retry(let date), .renewCredentialAndRetry(let date):
            return .again(at: date, mayHaveArrived: mayHaveArrived)
        }
    }
}

extension PushOutcome {
    fileprivate var dropCause: SilentPushCause {
        switch self {
        case .tokenInvalid, .tokenMalformed, .topicError: .tokenError
        case .credentialError: .credentialError
        case .payloadError: .payloadError
        case .accepted, .credentialExpired, .throttled, .unavailable, .unanswered, .notSent: .noAnswer
        }
    }
}
