import BelfryModel
import Foundation

/// The meaning of a push service's response, for every provider. Token, topic, credential and payload errors are four
/// different things with four different consequences (PUSH-21).
package enum PushOutcome: Hashable, Sendable {
    /// The push service accepted it; this says nothing about the device (PUSH-20).
    case accepted
    /// The token is no longer valid; `since` is set if the service says since when (APNs 410).
    case tokenInvalid(reason: String, since: Date?)
    /// The service does not know this kind of token.
    case tokenMalformed(reason: String)
    /// The token belongs to another app or environment.
    case topicError(reason: String)
    /// The sender's credentials are wrong; nothing is known about the token.
    case credentialError(reason: String)
    /// The sender's own token has expired: renew it and send again.
    case credentialExpired(reason: String)
    /// The message itself is invalid; a retry is useless.
    case payloadError(reason: String)
    /// Too many requests at the moment.
    case throttled(reason: String, retryAfter: TimeInterval?)
    /// The service is unavailable.
    case unavailable(reason: String, retryAfter: TimeInterval?)
    /// It was sent without a response: the service may have it or not.
    case unanswered(reason: String)
    /// It was never sent, so it may be sent again immediately and does not count as an attempt.
    case notSent(reason: String)

    /// Whether the push service responded.
    package var isAnswer: Bool {
        switch self {
        case .unanswered, .notSent: false
        case .accepted, .tokenInvalid, .tokenMalformed, .topicError, .credentialError, .credentialExpired,
            .payloadError, .throttled, .unavailable:
            true
        }
    }
}
