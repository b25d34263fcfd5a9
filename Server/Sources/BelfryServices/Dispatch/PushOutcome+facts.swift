import BelfryModel
import Foundation

extension PushOutcome {
    var isCredentialFault: Bool {
        if case .credentialFault = self { true } else { false }
    }

    var invalidSince: Date? {
        if case .tokenInvalid(_, let since) = self { since } else { nil }
    }

    /// What the ledger keeps while the send goes on, and when it ends without an answer.
    var note: DeliveryNote? {
        switch self {
        case .accepted: nil
        case .unanswered(let reason): .unanswered(reason)
        case .notSent(let reason): .notSent(reason)
        case .tokenInvalid(let reason, _), .tokenMalformed(let reason), .topicFault(let reason),
            .credentialFault(let reason), .credentialExpired(let reason), .payloadFault(let reason),
            .throttled(let reason, _), .unavailable(let reason, _):
            .answered(reason)
        }
    }

    /// Whether it was an attempt: what never left was none.
    var isAttempt: Bool {
        if case .notSent = self { false } else { true }
    }
}
