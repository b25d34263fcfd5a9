import BelfryModel
import BelfryServerModel
import Foundation

/// What becomes of a send after an attempt (LED-1, PUSH-5).
package enum DeliveryDecision: Hashable, Sendable {
    /// It ends, in this state and for this reason.
    case final(state: DeliveryState, reason: DeliveryReason?)
    /// It is tried again then.
    case retry(at: Date)
    /// It stays pending without a time: the credentials are wrong, and the campaign pauses (REG-33).
    case hold
    /// The sender's own token is renewed, and then it is tried again.
    case renewCredentialAndRetry(at: Date)

    /// Decides after one attempt.
    ///
    /// - Parameters:
    ///   - outcome: what the push service's answer means.
    ///   - attempt: the attempt that it answers, counted from 1.
    ///   - wasDeferred: whether the push service answered "later" to an earlier attempt.
    ///   - expiresAt: the last moment at which a retry may leave (``DeliveryDeadline``). A send whose next attempt
    ///     would come later ends: as expired if the push service ever answered, else without an answer.
    ///   - resendUntil: the same for what never left. Of a message that lives "now or never" it is the limit on
    ///     retries alone: its one attempt has not been made yet.
    ///   - triedFor: seconds since its first try, or since a pause after it; what never left asks for it.
    ///   - random: from 0 to 1, for the jitter of the delay.
    package static func decide(
        outcome: PushOutcome,
        attempt: Int,
        wasDeferred: Bool,
        now: Date,
        expiresAt: Date,
        resendUntil: Date,
        triedFor: TimeInterval,
        random: Double
    ) -> DeliveryDecision {
        func retryDate(_ retryAfter: TimeInterval?) -> Date? {
            let delay = DeliveryRetry.delay(attempt: attempt, retryAfter: retryAfter, random: random)
            let date = now.addingTimeInterval(delay)
            return date <= expiresAt ? date : nil
        }
        var timedOut: DeliveryDecision {
            let reason: DeliveryReason = outcome.isAnswer || wasDeferred ? .expired : .noAnswer
            return .final(state: .rejected, reason: reason)
        }
        switch outcome {
        case .accepted:
            return .final(state: .accepted, reason: nil)
        case .tokenInvalid(let reason, _), .tokenMalformed(let reason), .topicError(let reason),
            .payloadError(let reason):
            return .final(state: .rejected, reason: DeliveryReason(rawValue: reason))
        case .credentialError:
            return .hold
        case .credentialExpired:
            // An old token is our doing and is put right at once, also in the last second; should the new one be
            // called old as well, the delays grow as after any other failure.
            if attempt <= 1 { return .renewCredentialAndRetry(at: now) }
            return retryDate(nil).map(DeliveryDecision.renewCredentialAndRetry) ?? timedOut
        case .throttled(_, let retryAfter), .unavailable(_, let retryAfter):
            return retryDate(retryAfter).map(DeliveryDecision.retry) ?? timedOut
        case .unanswered:
            return retryDate(nil).map(DeliveryDecision.retry) ?? timedOut
        case .notSent:
            let left = resendUntil.timeIntervalSince(now)
            let delay = DeliveryRetry.delayOfUnsent(triedFor: triedFor, left: left, random: random)
            let date = now.addingTimeInterval(delay)
            return date <= resendUntil ? .retry(at: date) : timedOut
        }
    }
}
