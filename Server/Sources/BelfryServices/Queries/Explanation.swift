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
    /// Of a device that the audience left out: what the audience asks for, and whether the device has it now.
    package internal(set) var audience: [AudiencePart] = []
    /// Whether the audience left the device out, so that its parts say why.
    var isOutside = false
}

/// A part of what a campaign's audience asks for, and whether a device has it now (CON-9).
package struct AudiencePart: Hashable, Sendable {
    package let condition: Condition
    /// Nil where it would cost too much to know.
    package let holds: Bool?

    package init(condition: Condition, holds: Bool?) {
        self.condition = condition
        self.holds = holds
    }
}

extension Explanation {
    /// The same of a message whose batch is set aside (SEC-8).
    var inQuarantine: Explanation {
        Explanation(
            state: state, reason: DeliveryReason.quarantined.rawValue,
            sentence:
                "It is waiting: its batch is in quarantine, because the server failed or ended each time it was tried. "
                + "An operator can retry or drop it.",
            history: history
        )
    }

    /// The same of a dormant device that does not stand in the campaign's ledger.
    ///
    /// - Parameter sentence: what there is to say beside it.
    func ofDormantDevice(before sentence: String? = nil) -> Explanation {
        let dormancy =
            "The device is dormant: it has no push token that can be used, and its app has not been opened for long. "
            + "It is in no audience until its app is opened."
        return Explanation(
            state: "notInAudience", reason: nil,
            sentence: [dormancy, sentence].compactMap(\.self).joined(separator: " "), history: history
        )
    }

    /// The state of which nothing is known any more.
    package static let removed = "removed"
}

/// The moment at which something is explained, and how its sentence tells other moments: programs read them in UTC,
/// people by the clocks of their app's zone (CON-9, CON-11).
struct ExplanationClock: Sendable {
    let now: Date
    let text: @Sendable (Date) -> String

    init(now: Date, text: @escaping @Sendable (Date) -> String = { Timestamp.text($0) }) {
        self.now = now
        self.text = text
    }
}
