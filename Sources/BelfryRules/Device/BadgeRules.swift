import BelfryModel
import Foundation

/// What the badge needs next.
public enum BadgeDecision: Hashable, Sendable {
    /// The server is to be told that it is 0.
    case reset
    /// The server is to be asked.
    case fetch
    case wait(until: Date, reason: WaitReason)
    case notNeeded
}

/// The number on the app's icon, as server and device agree on it: of two that are told, the one with the greater
/// revision counts (BADGE-5).
public struct BadgeRules: Hashable, Sendable, Codable {
    public private(set) var badge = Badge.none
    /// Another number than a call began with, and its answer is about a person who has left (ID-4).
    public private(set) var generation = 0
    /// The server was told a number, and nobody knows whether it heard.
    public private(set) var isUncertain = false
    /// A person has left with a badge, and the server is to be told that it is 0.
    public private(set) var owesReset = false
    /// The icon may show something else, also after a kill.
    public private(set) var isUnshown = false
    /// The revision with which a person left whose badge the server takes back by itself; nil once it was asked.
    private var takenBackAfter: Int64?
    /// The newest pushes that have told theirs and may stand in the system's list, by their sid; nil when there is none.
    /// Those that do not stand there go when it is read.
    private var listed: [String]?
    /// The server may have begun to count its revisions anew.
    private var takesAnyAnswer = false
    public private(set) var gate = CallGate()

    public init() {}

    /// What the badge needs now.
    public func decide(now: Date) -> BadgeDecision {
        guard owesReset || isUncertain || takenBackAfter != nil else { return .notNeeded }
        switch gate.opening(for: nil, now: now) {
        case .open: return owesReset ? .reset : .fetch
        case .closed(let until, let reason): return .wait(until: until, reason: reason)
        }
    }

    /// An answer about something else has the badge along.
    public mutating func told(_ other: Badge) {
        guard other.revision > badge.revision else { return }
        take(other)
    }

    /// A push tells the badge as it comes; it may stand in the system's list afterwards.
    public mutating func told(_ other: Badge, by sid: String) {
        listed = ((listed ?? []).filter { $0 != sid } + [sid]).suffix(Self.maximumListed)
        told(other)
    }

    /// The pushes in the system's list tell their badges, whenever it is read. Each tells it once: as long as it stands
    /// there it would undo the word of a server that counts anew.
    ///
    /// - Parameter badges: by the sid of their push.
    public mutating func told(listed badges: [String: Badge]) {
        for (sid, badge) in badges where listed?.contains(sid) != true { told(badge) }
        listed = badges.isEmpty ? nil : badges.keys.sorted()
    }

    /// Of those that came since the list was read last: an app may be shown for weeks.
    public static let maximumListed = 100

    /// The server's own answer. One below the revision that the device knew is of a server that counts anew.
    ///
    /// While a reset is owed the number is that of a person who has left, and only its revision counts.
    ///
    /// - Parameter revision: the one of ``badge`` when the call began.
    public mutating func answered(_ other: Badge, askedAt revision: Int64) {
        if let left = takenBackAfter, other.revision <= left, other.count > 0 { owesReset = true }
        var other = other
        if owesReset { other.count = badge.count }
        if other.revision < revision || (takesAnyAnswer && badge.revision == revision) {
            take(other)
        } else {
            told(other)
        }
        takenBackAfter = nil
        takesAnyAnswer = false
        isUncertain = false
        gate = CallGate()
    }

    private mutating func take(_ other: Badge) {
        if other != badge { isUnshown = true }
        badge = other
    }

    /// The icon is to show it, whatever it shows now: a system changes it by itself.
    public mutating func toBeShown() {
        isUnshown = true
    }

    /// The icon shows that number.
    public mutating func shown(_ shown: Badge) {
        if shown == badge { isUnshown = false }
    }

    /// The server is about to be told a number. Store this before the request leaves.
    public mutating func attempted() {
        isUncertain = true
    }

    /// Anything but a badge.
    ///
    /// - Parameter wasOwn: nobody waits for the call, so one that the server refuses is not made again.
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
            gate = CallGate()
            return
        }
        gate.answered(outcome, for: nil, now: now, random: random, policy: policy)
    }

    /// The reset that was owed has been told, or a number of the next person in its place; whatever happened since is
    /// told again.
    ///
    /// - Parameter generation: as it was when the call began.
    public mutating func toldReset(generation: Int) {
        guard generation == self.generation else { return }
        owesReset = false
        takenBackAfter = nil
    }

    /// The person leaves the device: the number is theirs (ID-4). From a known one the server takes it back when the
    /// next contact is linked; to tell it then would undo what came for that one. Of any other it is told.
    ///
    /// - Parameter isTakenBack: the server has the device linked to a known contact.
    public mutating func personLeft(isTakenBack: Bool) {
        generation += 1
        isUnshown = true
        if badge.count > 0 || owesReset {
            owesReset = !isTakenBack
            takenBackAfter = isTakenBack ? badge.revision : nil
        }
        badge.count = 0
    }

    /// The server lost this device, and perhaps its count of revisions.
    public mutating func forgotten() {
        guard badge != .none else { return }
        takesAnyAnswer = true
        isUncertain = true
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
