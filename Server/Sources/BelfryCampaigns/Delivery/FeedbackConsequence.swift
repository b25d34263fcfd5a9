import BelfryModel
import BelfryServerModel
import Foundation

/// What a push service's answer does to the device that it is about (REG-31 to REG-33, PUSH-21).
package enum FeedbackConsequence: Hashable, Sendable {
    /// The device stays as it is.
    case none
    /// The device gets this opt-out.
    case optOut(OptOut)
    /// The device gets this opt-out, its send stays pending, and the campaign pauses.
    case providerAuthentication(OptOut)

    /// The opt-out that the device gets, if any.
    package var optOut: OptOut? {
        switch self {
        case .none: nil
        case .optOut(let optOut), .providerAuthentication(let optOut): optOut
        }
    }

    /// Decides for one device.
    ///
    /// It is about the token to which the message was sent. Has the device registered another one since, the caller
    /// drops the consequence.
    ///
    /// - Parameter tokenRegisteredAt: the last registration of that token. The service's word that a token is invalid
    ///   counts only if it is newer (REG-32); a word without a time counts.
    package static func consequence(
        of outcome: PushOutcome,
        tokenRegisteredAt: Date,
        now: Date
    ) -> FeedbackConsequence {
        switch outcome {
        case .accepted, .payloadError, .throttled, .unavailable, .unanswered, .notSent, .credentialExpired:
            return .none
        case .tokenInvalid(_, let since):
            if let since, since <= tokenRegisteredAt { return .none }
            return .optOut(OptOut(reason: .tokenInvalid, at: now))
        case .tokenMalformed, .topicError:
            // A token of another app or environment is as useless here as a malformed one, and the cause can be
            // found and fixed (REG-35), which lifts the opt-out.
            return .optOut(OptOut(reason: .tokenMalformed, at: now))
        case .credentialError:
            return .providerAuthentication(OptOut(reason: .providerAuthentication, at: now))
        }
    }
}
