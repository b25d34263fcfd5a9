/// Why a campaign is in its state: a sentence for operators, and what the server itself goes by.
package struct StatusReason: Hashable, Sendable {
    /// What the server goes by, where it undoes what it did.
    package enum Cause: String, CaseIterable, Hashable, Sendable {
        /// Work on the campaign is in quarantine, so it was paused (SEC-8).
        case quarantine
    }

    package let sentence: String
    package let cause: Cause?

    package init(_ sentence: String, cause: Cause? = nil) {
        self.sentence = sentence
        self.cause = cause
    }
}

extension StatusReason {
    /// How the sentence begins of a campaign that was paused for a quarantine before the cause was stored beside it.
    private static let formerQuarantine = "Work on it is in quarantine"

    /// As the database has it: the cause stands behind the sentence, so that programs of a former version, which go by
    /// how the sentence begins, understand it, too.
    package var stored: String { sentence + (cause.map(Self.mark) ?? "") }

    package init(stored: String) {
        if let cause = Cause.allCases.first(where: { stored.hasSuffix(Self.mark($0)) }) {
            self.init(String(stored.dropLast(Self.mark(cause).count)), cause: cause)
        } else {
            self.init(stored, cause: stored.hasPrefix(Self.formerQuarantine) ? .quarantine : nil)
        }
    }

    private static func mark(_ cause: Cause) -> String { " [\(cause.rawValue)]" }
}
