import BelfryModel
import BelfryServerModel

/// The last result of a send, as one text in the ledger.
enum DeliveryNote: Hashable, Sendable {
    /// The reason word of the push service.
    case answered(String)
    /// It was sent, but there was no response, for this reason; `after` is the service's word on an earlier attempt.
    case unanswered(String, after: String? = nil)
    /// It could not be sent, for this reason; `after` is the service's word on an earlier attempt.
    case notSent(String, after: String? = nil)

    /// It was tried, but not retried, because it became ineligible for this reason.
    case abandoned(DeliveryReason)

    /// The message was placed in its message center, but its badge push failed for this reason.
    case badge(String)

    /// The push waits until the device's budget of silent pushes has room (PUSH-7).
    case waitingForBudget

    /// Another silent push has woken the device instead (PUSH-7).
    case merged

    private static let budgetMark = "waiting for the budget of silent pushes"
    private static let mergedMark = "served by another silent push"
    private static let badgeMark = "badge push: "
    private static let abandonedMark = "given up: "
    private static let unansweredMark = "no answer"
    private static let notSentMark = "not sent"
    private static let afterMark = " after "
    private static let reasonMark = ": "

    init(text: String) {
        if text.hasPrefix(Self.abandonedMark) {
            self = .abandoned(DeliveryReason(rawValue: String(text.dropFirst(Self.abandonedMark.count))))
        } else if let (reason, word) = Self.failure(text, mark: Self.unansweredMark) {
            self = .unanswered(reason, after: word)
        } else if text == Self.budgetMark {
            self = .waitingForBudget
        } else if text == Self.mergedMark {
            self = .merged
        } else if text.hasPrefix(Self.badgeMark) {
            self = .badge(String(text.dropFirst(Self.badgeMark.count)))
        } else if let (reason, word) = Self.failure(text, mark: Self.notSentMark) {
            self = .notSent(reason, after: word)
        } else {
            self = .answered(text)
        }
    }

    var text: String {
        switch self {
        case .answered(let word): word
        case .badge(let reason): Self.badgeMark + reason
        case .waitingForBudget: Self.budgetMark
        case .merged: Self.mergedMark
        case .abandoned(let reason): Self.abandonedMark + reason.rawValue
        case .unanswered(let reason, let word): Self.text(Self.unansweredMark, reason, after: word)
        case .notSent(let reason, let word): Self.text(Self.notSentMark, reason, after: word)
        }
    }

    /// The push service's last word on the message, even if later attempts had no response.
    var lastAnswer: String? {
        switch self {
        case .answered(let word): word
        case .unanswered(_, let word), .notSent(_, let word): word
        case .abandoned, .badge, .waitingForBudget, .merged: nil
        }
    }

    private static func text(_ mark: String, _ reason: String, after word: String?) -> String {
        mark + (word.map { afterMark + $0 } ?? "") + reasonMark + reason
    }

    /// Parses `MARK: REASON` or `MARK after WORD: REASON`.
    private static func failure(_ text: String, mark: String) -> (reason: String, after: String?)? {
        guard text.hasPrefix(mark), let end = text.firstRange(of: reasonMark) else { return nil }
        let (head, reason) = (text[..<end.lowerBound].dropFirst(mark.count), String(text[end.upperBound...]))
        if head.isEmpty { return (reason, nil) }
        return head.hasPrefix(afterMark) ? (reason, String(head.dropFirst(afterMark.count))) : nil
    }
}

extension PushOutcome {
    /// The ledger's note while the send is retried, and when its time is over.
    ///
    /// - Parameter previous: the note on the attempt before. A push service's response stays known when later attempts
    ///   get none (LED-1).
    func note(after previous: DeliveryNote?) -> DeliveryNote? {
        switch self {
        case .accepted: nil
        case .unanswered(let reason): .unanswered(reason, after: previous?.lastAnswer)
        case .notSent(let reason): .notSent(reason, after: previous?.lastAnswer)
        case .tokenInvalid(let reason, _), .tokenMalformed(let reason), .topicError(let reason),
            .credentialError(let reason), .credentialExpired(let reason), .payloadError(let reason),
            .throttled(let reason, _), .unavailable(let reason, _):
            .answered(reason)
        }
    }
}
