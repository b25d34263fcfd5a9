import BelfryModel

extension PushOutcome {
    /// The name of the case, as the tables of the tests spell it.
    var kind: String {
        switch self {
        case .accepted: "accepted"
        case .tokenInvalid: "tokenInvalid"
        case .tokenMalformed: "tokenMalformed"
        case .topicFault: "topicFault"
        case .credentialFault: "credentialFault"
        case .credentialExpired: "credentialExpired"
        case .payloadFault: "payloadFault"
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
        case .tokenMalformed(let reason), .topicFault(let reason), .credentialFault(let reason),
            .credentialExpired(let reason), .payloadFault(let reason), .unanswered(let reason), .notSent(let reason):
            reason
        }
    }
}
