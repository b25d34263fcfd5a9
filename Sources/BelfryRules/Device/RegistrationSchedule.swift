import BelfryModel
import Foundation

/// Whether a registration is to be sent, and why.
public enum RegistrationDecision: Hashable, Sendable {
    case send(SendReason)
    case wait(until: Date, reason: WaitReason)
    case idle(IdleReason)
}

/// When the device registers: at once the first time, then within a minute of a change and at most once a minute,
/// with growing delays after failures (REG-2 to REG-7, REG-21).
///
/// It knows records by their digest only. It is stored before every attempt, so that a restart neither forgets a
/// pending change nor beats the throttle.
public struct RegistrationSchedule: Hashable, Sendable, Codable {
    /// The seconds that matter.
    public struct Policy: Hashable, Sendable, Codable {
        /// From one attempt to the next, whatever became of it.
        public var minimumInterval: TimeInterval
        /// From the first change to the attempt, so that edits travel together; at most `minimumInterval`.
        public var collecting: TimeInterval
        public var backoff: Backoff.Policy

        public init(
            minimumInterval: TimeInterval = 60,
            collecting: TimeInterval = 10,
            backoff: Backoff.Policy = .registration
        ) {
            self.minimumInterval = minimumInterval
            self.collecting = collecting
            self.backoff = backoff
        }
    }

    /// The highest revision that was used or seen; the next attempt gets one more.
    public private(set) var revision: Int64 = 0
    /// The revision that the server accepted last.
    public private(set) var acceptedRevision: Int64?
    /// What the server has for certain.
    public private(set) var accepted: StableDigest?
    /// When the record first differed from what was accepted.
    public private(set) var changedAt: Date?
    public private(set) var lastAttemptAt: Date?
    public private(set) var gate = CallGate()

    public init() {}

    /// The decision for the record as it is now. Call ``rebase(to:)`` before, lest a clock that was set back freezes it.
    ///
    /// - Parameter isHurried: the app is about to be suspended, or asked for a flush: edits are not collected.
    public func decide(
        _ record: StableDigest,
        now: Date,
        appState: AppState,
        isHurried: Bool,
        policy: Policy
    ) -> RegistrationDecision {
        if record == accepted { return .idle(.nothingChanged) }
        if appState == .backgroundWake { return .idle(.backgroundWake) }
        var due = Date.distantPast
        var reason = WaitReason.throttled
        func hold(until: Date, _ why: WaitReason) {
            if until > due { (due, reason) = (until, why) }
        }
        if let lastAttemptAt {
            hold(until: lastAttemptAt.addingTimeInterval(policy.minimumInterval), .throttled)
        }
        if accepted != nil, let changedAt, !isHurried {
            hold(until: changedAt.addingTimeInterval(min(policy.collecting, policy.minimumInterval)), .collectingEdits)
        }
        if case .closed(let until, let why) = gate.opening(for: record, now: now) {
            hold(until: until, why)
        }
        return due > now ? .wait(until: due, reason: reason) : .send(sendReason)
    }

    private var sendReason: SendReason {
        if lastAttemptAt == nil { return .first }
        return accepted == nil || gate.backoff.failures > 0 ? .retry : .changed
    }

    /// Takes note of the record after an edit, at a start, or when the system changed something (REG-5).
    /// An edit that restores what the server has is no change.
    public mutating func noticed(_ record: StableDigest, now: Date) {
        if record == accepted {
            changedAt = nil
        } else {
            changedAt = changedAt ?? now
        }
    }

    /// Counts an attempt; store the schedule before the request leaves.
    ///
    /// Until an answer comes nobody knows which record the server has, so even a return to the former one is sent.
    ///
    /// - Returns: the revision that the attempt carries.
    public mutating func attempted(at now: Date) -> Int64 {
        lastAttemptAt = now
        accepted = nil
        revision += 1
        return revision
    }

    /// A 201. The server may know a higher revision than the one sent, after a restored back-up: then it ignored the
    /// snapshot, and the record stays pending above that revision (REG-21).
    ///
    /// - Parameter current: the record as it is by now; edits may have come while the request was under way.
    public mutating func succeeded(
        _ record: StableDigest,
        sent: Int64,
        serverRevision: Int64,
        current: StableDigest
    ) {
        gate = CallGate()
        revision = max(revision, serverRevision)
        if serverRevision <= sent {
            accepted = record
            acceptedRevision = sent
        }
        // What is pending now changed after the attempt began, so the attempt's time is a safe bound for it.
        changedAt = current == accepted ? nil : lastAttemptAt
    }

    /// Anything but a 201.
    public mutating func failed(
        _ outcome: CallOutcome,
        for record: StableDigest,
        now: Date,
        random: Double,
        policy: Policy
    ) {
        gate.answered(outcome, for: record, now: now, random: random, policy: policy.backoff)
    }

    /// The server lost this device: whatever it accepted is to be said again.
    public mutating func forgotten(now: Date) {
        accepted = nil
        changedAt = changedAt ?? now
    }

    /// Ends a wait for the network; what the server asked for stays (REG-7).
    public mutating func networkReturned() {
        gate.networkReturned()
    }

    /// A clock that was set back must not freeze the schedule.
    public mutating func rebase(to now: Date) {
        changedAt = changedAt.map { min($0, now) }
        lastAttemptAt = lastAttemptAt.map { min($0, now) }
        gate.rebase(to: now)
    }
}
