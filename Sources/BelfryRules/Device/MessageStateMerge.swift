import BelfryModel
import Foundation

/// What a person did with a message on this device, and the server does not know yet (MC-14).
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

/// What becomes of a state that was told.
public enum MessageStateVerdict: Hashable, Sendable {
    /// The server has it.
    case stored
    /// The server will never take it: the message is gone, or another's.
    case dropped
    /// It is told again.
    case kept
}

/// Joins what this device says about a message with what the server says, and tells it on (MC-14).
///
/// States only grow: deleted over read over unread. So devices may tell them in any order, and again.
public struct MessageStateMerge: Hashable, Sendable, Codable {
    /// States that wait on a device; beyond it the oldest go.
    public static let maximumPending = 1_000

    public private(set) var gate = CallGate()

    public init() {}

    /// The state that the person sees.
    public static func shown(server: MessageState, pending: MessageState?) -> MessageState {
        pending.map { server.joined($0) } ?? server
    }

    /// Whether the next one is to be told now.
    public func decide(_ next: PendingMessageState?, now: Date) -> CallDecision {
        guard next != nil else { return .notNeeded }
        switch gate.opening(for: nil, now: now) {
        case .open: return .send
        case .closed(let until, let reason): return .wait(until: until, reason: reason)
        }
    }

    /// Takes an answer, or its absence, into account.
    public mutating func answered(
        _ outcome: CallOutcome,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) -> MessageStateVerdict {
        switch outcome {
        case .accepted:
            gate = CallGate()
            return .stored
        case .refused:
            gate = CallGate()
            return .dropped
        case .unauthorized, .failed:
            gate.answered(outcome, for: nil, now: now, random: random, policy: policy)
            return .kept
        }
    }

    /// Ends a wait for the network; what the server asked for stays (REG-7).
    public mutating func networkReturned() {
        gate.networkReturned()
    }

    /// A clock that was set back must not freeze a wait.
    public mutating func rebase(to now: Date) {
        gate.rebase(to: now)
    }
}
