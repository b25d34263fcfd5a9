import Foundation

/// A report to the server about the rich content of a message (MC-9, WIRE-11).
public struct RichContentReport: Hashable, Sendable {
    /// The id of the message.
    public let id: String
    /// True confirms that the device has stored the content; false withdraws the confirmation, because the device no
    /// longer has it.
    public let isStored: Bool

    public init(id: String, isStored: Bool) {
        self.id = id
        self.isStored = isStored
    }
}

/// When reports about rich content are sent: one after the other, repeatedly until the server has them. They are stored
/// together with what they report, so they survive kills, and outages of any length.
public struct RichContentReports: GatedRules, Hashable, Sendable, Codable {
    /// The maximum number of reports that wait; beyond it the oldest are dropped. A dropped withdrawal is noticed when
    /// the content is requested: the server rejects the request, and the device withdraws the confirmation.
    public static let maximumPending = 1_000

    public internal(set) var gate = RequestGate()

    public init() {}

    /// Whether the next one must be sent now.
    public func decide(_ next: RichContentReport?, now: Date) -> CallDecision {
        guard next != nil else { return .notNeeded }
        return gate.decision(about: nil, now: now)
    }

    /// Processes a response, or its absence.
    ///
    /// - Returns: whether the report is done: the server has it, or will never accept it, because the message is gone.
    public mutating func answered(
        _ outcome: CallOutcome,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) -> Bool {
        switch outcome {
        case .accepted, .refused:
            gate = RequestGate()
            return true
        case .unauthorized, .failed:
            gate.answered(outcome, for: nil, now: now, random: random, policy: policy)
            return false
        }
    }
}
