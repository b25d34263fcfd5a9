import BelfryModel
import Foundation

/// A message state on this device that the server does not know yet (MC-14).
public struct PendingMessageState: Hashable, Sendable {
    public let id: String
    public let state: MessageState
    /// The number of the contact whose message it is (ID-7).
    public let owner: Int

    public init(id: String, state: MessageState, owner: Int) {
        self.id = id
        self.state = state
        self.owner = owner
    }
}

/// The result of sending a state.
public enum MessageStateResult: Hashable, Sendable {
    /// The server has it.
    case stored
    /// The server will never accept it: the message is gone, or another contact's.
    case dropped
    /// It is sent again.
    case kept
}

/// Merges the message states of this device with the server's, and schedules their upload (MC-14).
///
/// States only grow: deleted over read over unread. So devices may send them in any order, and repeatedly.
public struct MessageStateMerge: GatedRules, Hashable, Sendable, Codable {
    /// The maximum number of states that wait; beyond it the oldest are dropped.
    public static let maximumPending = 1_000

    public internal(set) var gate = RequestGate()

    public init() {}

    /// The state that the person sees.
    public static func shown(server: MessageState, pending: MessageState?) -> MessageState {
        pending.map { server.joined($0) } ?? server
    }

    /// Whether the next one must be sent now.
    public func decide(_ next: PendingMessageState?, now: Date) -> CallDecision {
        guard next != nil else { return .notNeeded }
        return gate.decision(about: nil, now: now)
    }

    /// Processes a response, or its absence.
    public mutating func answered(
        _ outcome: CallOutcome,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) -> MessageStateResult {
        switch outcome {
        case .accepted:
            gate = RequestGate()
            return .stored
        case .refused:
            gate = RequestGate()
            return .dropped
        case .unauthorized, .failed:
            gate.answered(outcome, for: nil, now: now, random: random, policy: policy)
            return .kept
        }
    }
}
