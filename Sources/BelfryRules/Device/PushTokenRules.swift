import BelfryModel
import Foundation

/// When the push token is sent or withdrawn: whenever it differs from what the server accepted (ID-5).
public struct PushTokenRules: Hashable, Sendable, Codable {
    public private(set) var accepted: StableDigest?
    public private(set) var gate = CallGate()
    /// The app said that there is no token any more.
    public private(set) var removalIsWanted = false

    public init() {}

    /// What the server should know; nil as long as there is nothing to say.
    public func digestWanted(_ token: PushToken?) -> StableDigest? {
        if let token { return StableDigest(pushToken: token) }
        return removalIsWanted ? .removedPushToken : nil
    }

    /// Whether the token, or its removal, is to be sent now.
    public func decide(_ token: PushToken?, now: Date) -> CallDecision {
        guard let wanted = digestWanted(token), wanted != accepted else { return .notNeeded }
        switch gate.opening(for: wanted, now: now) {
        case .open: return .send
        case .closed(let until, let reason): return .wait(until: until, reason: reason)
        }
    }

    /// Whether the server is to forget the token although the device has one: there the device is still that of a
    /// person who left it (ID-4). The next link has the token sent again.
    public func decideWithdrawal(now: Date) -> CallDecision {
        guard accepted != .removedPushToken else { return .notNeeded }
        switch gate.opening(for: .removedPushToken, now: now) {
        case .open: return .send
        case .closed(let until, let reason): return .wait(until: until, reason: reason)
        }
    }

    /// Until an answer comes nobody knows what the server has. Store this before the request leaves.
    public mutating func attempted() {
        accepted = nil
    }

    /// The app handed a token over.
    public mutating func set() {
        removalIsWanted = false
    }

    /// The app said that there is no token any more.
    public mutating func removed() {
        removalIsWanted = true
    }

    /// Takes an answer, or its absence, into account.
    public mutating func answered(
        _ outcome: CallOutcome,
        for wanted: StableDigest,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) {
        gate.answered(outcome, for: wanted, now: now, random: random, policy: policy)
        if outcome == .accepted { accepted = wanted }
    }

    /// The server lost this device.
    public mutating func forgotten() {
        accepted = nil
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
