import Foundation

/// When the device's properties are sent: when they changed since the last accepted ones, or when no client state is
/// stored (ID-2).
public struct PropertiesRules: GatedRules, Hashable, Sendable, Codable {
    public private(set) var accepted: StableDigest?
    public internal(set) var gate = RequestGate()
    /// The server responded without a client state; repeating the call would not help.
    private var answeredWithoutState = false

    public init() {}

    /// Whether the properties must be sent now.
    public func decide(_ properties: StableDigest, hasClientState: Bool, now: Date) -> CallDecision {
        let isMissingState = !hasClientState && !answeredWithoutState
        guard properties != accepted || isMissingState else { return .notNeeded }
        return gate.decision(about: properties, now: now)
    }

    /// The server has responded about this device once; a link may follow.
    public private(set) var isSettled = false

    /// Until a response arrives it is unknown what the server has. Store this before the request is sent.
    public mutating func attempted() {
        accepted = nil
    }

    /// Call at every start.
    public mutating func launched() {
        answeredWithoutState = false
    }

    /// Processes a response, or its absence.
    public mutating func answered(
        _ outcome: CallOutcome,
        for properties: StableDigest,
        hasClientState: Bool,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) {
        gate.answered(outcome.withoutToken, for: properties, now: now, random: random, policy: policy)
        if gate.refusedContent != nil { isSettled = true }
        guard outcome == .accepted else { return }
        isSettled = true
        accepted = properties
        answeredWithoutState = !hasClientState
    }

    /// The server has lost this device.
    public mutating func forgotten() {
        accepted = nil
    }
}
