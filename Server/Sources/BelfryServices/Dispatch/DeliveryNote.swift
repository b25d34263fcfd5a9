import BelfryModel

/// The last word on a send, as one text of the ledger.
enum DeliveryNote: Hashable, Sendable {
    /// The push service's own word.
    case answered(String)
    /// It left, and this is why no answer came.
    case unanswered(String)
    /// It did not leave, for this reason.
    case notSent(String)

    /// It was tried, and then not again, for the reason for which it would not have been sent at all.
    case givenUp(DeliveryReason)

    /// The message was placed in its centre, and this is why its badge push came to nothing.
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
