import BelfryModel
import Foundation

/// The next step for the badge.
public enum BadgeDecision: Hashable, Sendable {
    /// Tell the server that it is 0.
    case reset
    /// Fetch it from the server.
    case fetch
    case wait(until: Date, reason: WaitReason)
    case notNeeded
}

/// The badge, as server and device agree on it: of two values, the one with the greater revision counts (BADGE-5).
public struct BadgeRules: GatedRules, Hashable, Sendable, Codable {
    public private(set) var badge = Badge.none
    /// If it has changed since a call began, the response is about a person who has left (ID-4).
    public private(set) var generation = 0
    /// A set was sent to the server, but it is unknown whether it arrived.
    public private(set) var isUncertain = false
    /// A person has left with a badge, and the server must be told that it is 0.
    public private(set) var owesReset = false
    /// The icon may show another number, for example after a kill.
    public private(set) var isUnshown = false
    /// The revision with which a known person left, whose badge the server resets itself; nil once it was fetched.
    private var takenBackAfter: Int64?
    /// The newest pushes whose badge was read and that may be in the system's list, by their sid; nil when there is
    /// none. Pushes that are not in the list are removed when it is read.
    private var listed: [String]?
    /// Whether the server may start its revisions again.
    private var takesAnyAnswer = false
    /// The icon has shown another number, or may have, so the server is asked (BADGE-6).
    private var isInDoubt: Bool?
    public internal(set) var gate = RequestGate()

    public init() {}

    /// The next step at this time.
    public func decide(now: Date) -> BadgeDecision {
        guard owesReset || isUncertain || takenBackAfter != nil || isInDoubt == true else { return .notNeeded }
        switch gate.opening(for: nil, now: now) {
        case .open: return owesReset ? .reset : .fetch
        case .closed(let until, let reason): return .wait(until: until, reason: reason)
        }
    }

    /// A badge in another response.
    public mutating func received(_ other: Badge) {
        guard other.revision > badge.revision else { return }
        take(other)
    }

    /// A badge in a push that has just arrived; the push may be in the system's list afterwards.
    public mutating func received(_ other: Badge, by sid: String) {
        listed = ((listed ?? []).filter { $0 != sid } + [sid]).suffix(Self.maximumListed)
        received(other)
    }

    /// The badges of the pushes in the system's list, whenever it is read. Each counts once; otherwise it would
    /// override the badge of a server that has started its revisions again, for as long as it is in the list.
    ///
    /// - Parameter badges: by the sid of their push.
    public mutating func received(listed badges: [String: Badge]) {
        for (sid, badge) in badges where listed?.contains(sid) != true { received(badge) }
        listed = badges.isEmpty ? nil : badges.keys.sorted()
    }

    /// The maximum number of pushes since the list was last read: an app may be shown for weeks.
    public static let maximumListed = 100

    /// The server's response to a call. A lower revision than the device's comes from a server that has started its
    /// revisions again.
    ///
    /// While a reset is outstanding, the number belongs to a person who has left, and only its revision counts.
    ///
    /// - Parameter revision: the revision of ``badge`` when the call began.
    public mutating func answered(_ other: Badge, askedAt revision: Int64) {
        if let left = takenBackAfter, other.revision <= left, other.count > 0 { owesReset = true }
        var other = other
        if owesReset { other.count = badge.count }
        let isNews = (takesAnyAnswer || isInDoubt == true) && badge.revision == revision
        if other.revision < revision || isNews {
            take(other)
        } else {
            received(other)
        }
        takenBackAfter = nil
        takesAnyAnswer = false
        isInDoubt = nil
        isUncertain = false
        gate = RequestGate()
    }

    /// The number on the icon when the app is shown, where the platform can be asked. The system changes it by pushes
    /// that the app never saw, because the person swiped them away or an extension processed them. Until the server has
    /// answered, the badge is the number that the person sees (BADGE-6).
    ///
    /// - Parameter count: nil where the platform cannot be asked.
    public mutating func iconShows(_ count: Int?) {
        guard !isUnshown, !isUncertain, !owesReset, takenBackAfter == nil, count != badge.count else { return }
        isInDoubt = true
        if let count { badge.count = max(0, count) }
    }

    private mutating func take(_ other: Badge) {
        if other != badge { isUnshown = true }
        badge = other
    }

    /// The icon must be set, whatever it shows now, because the system changes it by itself.
    public mutating func toBeShown() {
        isUnshown = true
    }

    /// The icon shows this badge.
    public mutating func shown(_ shown: Badge) {
        if shown == badge { isUnshown = false }
    }

    /// A set is about to be sent. Store this before the request is sent.
    public mutating func attempted() {
        isUncertain = true
    }

    /// Processes any response except a badge.
    ///
    /// - Parameter wasOwn: no caller waits for the call, so it is not repeated if the server rejects it.
    public mutating func failed(
        _ outcome: CallOutcome,
        wasOwn: Bool,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) {
        if case .refused = outcome {
            guard wasOwn else { return }
            isUncertain = false
            owesReset = false
            takenBackAfter = nil
            isInDoubt = nil
            gate = RequestGate()
            return
        }
        gate.answered(outcome, for: nil, now: now, random: random, policy: policy)
    }

    /// The reset, or a number of the next person instead of it, has reached the server; later changes are sent again.
    ///
    /// - Parameter generation: the generation when the call began.
    public mutating func resetSent(generation: Int) {
        guard generation == self.generation else { return }
        owesReset = false
        takenBackAfter = nil
    }

    /// The person leaves the device, and the badge is theirs (ID-4). If the contact is known, the server resets the
    /// badge when the next contact is linked; a reset by the device would then overwrite the next contact's badge. For
    /// any other contact the device resets it.
    ///
    /// - Parameter isTakenBack: the server has the device linked to a known contact.
    public mutating func personLeft(isTakenBack: Bool) {
        generation += 1
        isUnshown = true
        isInDoubt = nil
        if badge.count > 0 || owesReset {
            owesReset = !isTakenBack
            takenBackAfter = isTakenBack ? badge.revision : nil
        }
        badge.count = 0
    }

    /// The server has lost this device, and perhaps its revisions.
    public mutating func forgotten() {
        guard badge != .none else { return }
        takesAnyAnswer = true
        isUncertain = true
    }
}
