/// Why a campaign has its status: a sentence for operators, and a cause for the server.
package struct StatusReason: Hashable, Sendable {
    /// The cause, by which the server decides whether to undo its own change.
    package enum Cause: String, CaseIterable, Hashable, Sendable {
        /// Work on the campaign is in quarantine, so it was paused (SEC-8).
        case quarantine
        /// A person has paused the campaign, so only a person can resume it (CAMP-2).
        case person
    }

    package let sentence: String
    package let cause: Cause?

    package init(_ sentence: String, cause: Cause? = nil) {
        self.sentence = sentence
        self.cause = cause
    }
}

extension StatusReason {
    /// The beginnings of sentences that were stored before causes were.
    private static let former: [(beginning: String, cause: Cause)] = [
        ("Work on it is in quarantine", .quarantine), ("Paused by an operator.", .person),
    ]

    /// The reason as the database stores it. The cause follows the sentence, so that programs of a former version,
    /// which decide by the beginning of the sentence, understand it, too.
    ///
    /// A sentence may contain words of a push service. If it has no cause but looks as if it had one, it is stored with
    /// a mark that says so.
    package var stored: String {
        guard cause == nil, Self(stored: sentence) == self else { return sentence + Self.mark(cause) }
        return sentence
    }

    package init(stored: String) {
        for cause in Cause.allCases.map(Optional.some) + [nil] {
            let mark = Self.mark(cause).utf8
            // It compares bytes: the end of the sentence and the beginning of the mark could form one character.
            guard stored.utf8.reversed().starts(with: mark.reversed()) else { continue }
            self.init(String(decoding: stored.utf8.dropLast(mark.count), as: UTF8.self), cause: cause)
            return
        }
        self.init(stored, cause: Self.former.first { stored.utf8.starts(with: $0.beginning.utf8) }?.cause)
    }

    private static func mark(_ cause: Cause?) -> String { " [\(cause?.rawValue ?? "none")]" }
}
