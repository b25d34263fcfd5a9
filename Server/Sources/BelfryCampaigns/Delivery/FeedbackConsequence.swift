import BelfryModel
import BelfryServerModel
import Foundation

/// The effect of a push service's response on its device (REG-31 to REG-33, PUSH-21).
package enum FeedbackConsequence: Hashable, Sendable {
    /// The device does not change.
    case none
    /// The device gets this opt-out.
    case optOut(OptOut)
    /// The device gets this opt-out, its send stays pending, and the campaign is paused.
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
    /// The decision is about the token to which the message was sent. If the device has registered another one since,
    /// the caller drops the consequence.
    ///
    /// - Parameter tokenRegisteredAt: the last registration of that token. The service's report that a token is invalid
    ///   counts only if it is newer (REG-32), or if it has no time.
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
            // A token of another app or environment is as useless as a malformed one. The cause can be found and fixed
            // (REG-35), which ends the opt-out.
            return .optOut(OptOut(reason: .tokenMalformed, at: now))
        case .credentialError:
            return .providerAuthentication(OptOut(reason: .providerAuthentication, at: now))
        }
    }
}
