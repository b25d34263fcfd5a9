import BelfryModel
import BelfryServerModel

extension PushOutcome {
    /// The name of the case, as the tables of the tests spell it.
    var kind: String {
        switch self {
        case .accepted: "accepted"
        case .tokenInvalid: "tokenInvalid"
        case .tokenMalformed: "tokenMalformed"
        case .topicError: "topicError"
        case .credentialError: "credentialError"
        case .credentialExpired: "credentialExpired"
        case .payloadError: "payloadError"
        case .throttled: "throttled"
        case .unavailable: "unavailable"
        case .unanswered: "unanswered"
        case .notSent: "notSent"
        }
    }

    var reason: String? {
        switch self {
        case .accepted: nil
        case .tokenInvalid(let reason, _), .throttled(let reason, _), .unavailable(let reason, _): reason
        case .tokenMalformed(let reason), .topicError(let reason), .credentialError(let reason),
            .credentialExpired(let reason), .payloadError(let reason), .unanswered(let reason), .notSent(let reason):
            reason
        }
    }
}
