/// Why a campaign is in its state: a sentence for operators, and what the server itself goes by.
package struct StatusReason: Hashable, Sendable {
    /// What the server goes by, where it undoes what it did, or says what it did.
    package enum Cause: String, CaseIterable, Hashable, Sendable {
        /// Work on the campaign is in quarantine, so it was paused (SEC-8).
        case quarantine
        /// A person has paused it: then nothing but a person lets it go on (CAMP-2).
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
    /// How the sentences begin of campaigns that were paused before the cause was stored beside them.
    private static let former: [(beginning: String, cause: Cause)] = [
        ("Work on it is in quarantine", .quarantine), ("Paused by an operator.", .person),
    ]

    /// As the database has it: the cause stands behind the sentence, so that programs of a former version, which go by
    /// how the sentence begins, understand it, too.
    ///
    /// A sentence may have words of a push service in it. One without a cause that reads as if it had one is stored with
    /// a mark that says so.
    package var stored: String {
        guard cause == nil, Self(stored: sentence) == self else { return sentence + Self.mark(cause) }
        return sentence
    }

    package init(stored: String) {
        for cause in Cause.allCases.map(Optional.some) + [nil] {
            let mark = Self.mark(cause).utf8
            // By bytes: what the sentence ends with could else be one character with how the mark begins.
            guard stored.utf8.reversed().starts(with: mark.reversed()) else { continue }
            self.init(String(decoding: stored.utf8.dropLast(mark.count), as: UTF8.self), cause: cause)
            return
        }
        self.init(stored, cause: Self.former.first { stored.utf8.starts(with: $0.beginning.utf8) }?.cause)
    }

    private static func mark(_ cause: Cause?) -> String { " [\(cause?.rawValue ?? "none")]" }
}
