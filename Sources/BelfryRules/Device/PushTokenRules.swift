import BelfryModel
import Foundation

/// When the push token is sent or withdrawn: whenever it differs from what the server accepted (ID-5).
public struct PushTokenRules: GatedRules, Hashable, Sendable, Codable {
    public private(set) var accepted: StableDigest?
    public internal(set) var gate = RequestGate()
    /// The app has removed its token.
    public private(set) var removalIsWanted = false

    public init() {}

    /// The state that the server should have; nil while there is nothing to send.
    public func digestWanted(_ token: PushToken?) -> StableDigest? {
        if let token { return StableDigest(pushToken: token) }
        return removalIsWanted ? .removedPushToken : nil
    }

    /// Whether the token, or its removal, must be sent now.
    public func decide(_ token: PushToken?, now: Date) -> CallDecision {
        guard let wanted = digestWanted(token), wanted != accepted else { return .notNeeded }
        return gate.decision(about: wanted, now: now)
    }

    /// Whether the server must remove the token although the device has one, because there the device still belongs to
    /// a person who has left (ID-4). After the next link the token is sent again.
    public func decideWithdrawal(now: Date) -> CallDecision {
        guard accepted != .removedPushToken else { return .notNeeded }
        return gate.decision(about: .removedPushToken, now: now)
    }

    /// Until a response arrives it is unknown what the server has. Store this before the request is sent.
    public mutating func attempted() {
        accepted = nil
    }

    /// The app set a token.
    public mutating func set() {
        removalIsWanted = false
    }

    /// The app removed its token.
    public mutating func removed() {
        removalIsWanted = true
    }

    /// Processes a response, or its absence.
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

    /// The server has lost this device, or its token to another one that registered it (REG-27).
    public mutating func forgotten() {
        accepted = nil
    }
}

extension ContactRecord {
    /// The record as it may be sent: no push token while the operating system denies permission, or says that the
    /// person was never asked (REG-30), and no contact key of another field than the standard one (ID-3).
    public var reported: ContactRecord {
        var record = self
        if osPushEnabled == false || osPushIsUnasked { record.pushToken = nil }
        if contactField != nil { record.contactKey = nil }
        return record
    }
}
