import Foundation

/// What a push service's answer means, whatever the provider. Token, topic, credential and payload faults are four
/// different things with four different consequences (PUSH-21).
public enum PushOutcome: Hashable, Sendable {
    /// The push service took it; it says nothing about the device (PUSH-20).
    case accepted
    /// The token is no longer valid, since `since` when the service says so (APNs 410).
    case tokenInvalid(reason: String, since: Date?)
    /// The service does not know such a token.
    case tokenMalformed(reason: String)
    /// The token belongs to another app or environment.
    case topicFault(reason: String)
    /// The sender's key is wrong; nothing is known about the token.
    case credentialFault(reason: String)
    /// The sender's own token has grown old: renew it and send again.
    case credentialExpired(reason: String)
    /// The message itself is at fault; sending it again is useless.
    case payloadFault(reason: String)
    /// Too many for now.
    case throttled(reason: String, retryAfter: TimeInterval?)
    /// The service has trouble.
    case unavailable(reason: String, retryAfter: TimeInterval?)
    /// It left, and no answer came: the service may have it or not.
    case unanswered(reason: String)
    /// It never left, so it may be sent again at once and this was no attempt.
    case notSent(reason: String)
}
