import Foundation

/// What the server is still to be told about the rich content of a message (MC-9, WIRE-11).
public struct RichContentReport: Hashable, Sendable {
    /// The message.
    public let id: String
    /// The device has stored it and confirms that; else it has it no more and withdraws the confirmation.
    public let isStored: Bool

    public init(id: String, isStored: Bool) {
        self.id = id
        self.isStored = isStored
    }
}

/// When reports about rich content are sent: one after the other, again and again until the server has them. They are
/// stored with what they report, so they survive kills, and outages of any length.
public struct RichContentReports: GatedRules, Hashable, Sendable, Codable {
    /// The maximum number of reports that wait; beyond it the oldest are dropped. What such a report would have said is
    /// found out when the content is wanted: the server refuses it, and the device withdraws.
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
    /// - Returns: whether the report is settled: the server has it, or will never take it, for the message is gone.
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
