import BelfryModel
import BelfryServerModel
import Foundation

/// The next step for a send after an attempt (LED-1, PUSH-5).
package enum DeliveryDecision: Hashable, Sendable {
    /// It ends in this state, for this reason.
    case final(state: DeliveryState, reason: DeliveryReason?)
    /// It is retried at this time.
    case retry(at: Date)
    /// It stays pending without a time: the credentials are wrong, and the campaign is paused (REG-33).
    case hold
    /// The sender's own token is renewed, and then the send is retried.
    case renewCredentialAndRetry(at: Date)

    /// Decides after one attempt.
    ///
    /// - Parameters:
    ///   - outcome: the meaning of the push service's response.
    ///   - attempt: the number of the attempt, counted from 1.
    ///   - wasDeferred: whether the push service responded "later" to an earlier attempt.
    ///   - expiresAt: the last time at which a retry may be sent (``DeliveryDeadline``). If the next attempt would be
    ///     later, the send ends: as expired if the push service ever responded, otherwise as unanswered.
    ///   - resendUntil: the last time for a message that was never sent. For a "now or never" message it is only the
    ///     limit of retries, because its one attempt was not made yet.
    ///   - triedFor: seconds since the first try, or since a pause after it. Used for messages that were never sent.
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
            // An expired token is this server's own fault, so it is renewed immediately, even in the last second. If
            // the new one is called expired, too, the delays grow as after any other failure.
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
