import BelfryModel
import BelfryServerModel

/// The last result of a send, as one text in the ledger.
enum DeliveryNote: Hashable, Sendable {
    /// The reason word of the push service.
    case answered(String)
    /// It was sent, but there was no response, for this reason.
    case unanswered(String)
    /// It could not be sent, for this reason.
    case notSent(String)

    /// It was tried, but not retried, because it became ineligible for this reason.
    case givenUp(DeliveryReason)

    /// The message was placed in its message center, but its badge push failed for this reason.
    case badge(String)

    private static let badgeMark = "badge push: "
    private static let givenUpMark = "given up: "
    private static let unansweredMark = "no answer: "
    private static let notSentMark = "not sent: "

    init(text: String) {
        if text.hasPrefix(Self.givenUpMark) {
            self = .givenUp(DeliveryReason(rawValue: String(text.dropFirst(Self.givenUpMark.count))))
        } else if text.hasPrefix(Self.unansweredMark) {
            self = .unanswered(String(text.dropFirst(Self.unansweredMark.count)))
        } else if text.hasPrefix(Self.badgeMark) {
            self = .badge(String(text.dropFirst(Self.badgeMark.count)))
        } else if text.hasPrefix(Self.notSentMark) {
            self = .notSent(String(text.dropFirst(Self.notSentMark.count)))
        } else {
            self = .answered(text)
        }
    }

    var text: String {
        switch self {
        case .answered(let word): word
        case .badge(let reason): Self.badgeMark + reason
        case .givenUp(let reason): Self.givenUpMark + reason.rawValue
        case .unanswered(let reason): Self.unansweredMark + reason
        case .notSent(let reason): Self.notSentMark + reason
        }
    }
}

extension PushOutcome {
    /// The ledger's note while the send is retried, and when it ends without a response.
    var note: DeliveryNote? {
        switch self {
        case .accepted: nil
        case .unanswered(let reason): .unanswered(reason)
        case .notSent(let reason): .notSent(reason)
        case .tokenInvalid(let reason, _), .tokenMalformed(let reason), .topicError(let reason),
            .credentialError(let reason), .credentialExpired(let reason), .payloadError(let reason),
            .throttled(let reason, _), .unavailable(let reason, _):
            .answered(reason)
        }
    }
}
