import BelfryModel
import Foundation

/// Why a device did or did not get a campaign, in a word and in a sentence (LED-2).
package struct Explanation: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        package let at: Date
        package let what: String
        package let detail: String?
    }

    package let state: String
    package let reason: String?
    package let sentence: String
    package let history: [Step]
    /// For a device that the audience left out: the parts of the audience, and whether each holds for the device now.
    package internal(set) var audience: [AudiencePart] = []
    /// Whether the audience left the device out, so that its parts explain why.
    var isOutside = false
}

/// A part of a campaign's audience, and whether it holds for a device now (CON-9).
package struct AudiencePart: Hashable, Sendable {
    package let condition: Condition
    /// Nil if the evaluation would cost too much.
    package let holds: Bool?

    package init(condition: Condition, holds: Bool?) {
        self.condition = condition
        self.holds = holds
    }
}

extension Explanation {
    /// The explanation for a message whose batch is in quarantine (SEC-8).
    var inQuarantine: Explanation {
        Explanation(
            state: state, reason: DeliveryReason.quarantined.rawValue,
            sentence:
                "It is waiting: its batch is in quarantine, because the server failed or ended each time it was tried. "
                + "An operator can retry or drop it.",
            history: history
        )
    }

    /// The explanation for a dormant device that has no row in the campaign's ledger.
    ///
    /// - Parameter sentence: a further sentence, which follows the one about the dormancy.
    func ofDormantDevice(before sentence: String? = nil) -> Explanation {
        let dormancy =
            "The device is dormant: it has no push token that can be used, and its app has not been opened for long. "
            + "It is in no audience until its app is opened."
        return Explanation(
            state: "notInAudience", reason: nil,
            sentence: [dormancy, sentence].compactMap(\.self).joined(separator: " "), history: history
        )
    }

    /// The state of a device whose campaign's ledger was removed.
    package static let removed = "removed"
}

/// The time at which something is explained, and how its sentences write other times: in UTC for programs, in the app's
/// time zone for people (CON-9, CON-11).
struct ExplanationClock: Sendable {
    let now: Date
    let text: @Sendable (Date) -> String

    init(now: Date, text: @escaping @Sendable (Date) -> String = { Timestamp.text($0) }) {
        self.now = now
        self.text = text
    }
}
