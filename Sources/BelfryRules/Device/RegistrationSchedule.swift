import BelfryModel
import Foundation

/// Whether a registration must be sent, and why.
public enum RegistrationDecision: Hashable, Sendable {
    case send(SendReason)
    case wait(until: Date, reason: WaitReason)
    case idle(IdleReason)
}

/// When the device registers: at once the first time, then within a minute of a change and at most once a minute,
/// with growing delays after failures (REG-2 to REG-7, REG-21).
///
/// It knows records only by their digest. It is stored before every attempt, so that a restart neither forgets a
/// pending change nor bypasses the throttle.
public struct RegistrationSchedule: Hashable, Sendable, Codable {
    /// The delays, in seconds.
    public struct Policy: Hashable, Sendable, Codable {
        /// The minimum interval between attempts, whatever their result.
        public var minimumInterval: TimeInterval
        /// The time from the first change to the attempt, so that edits are sent together; at most `minimumInterval`.
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

    /// The maximum number of rejected fields that are kept. A Belfry server names at most 50, and counts the others in
    /// one more.
    static let maximumRejected = 64

    /// The highest revision that a Belfry server accepts. A higher one in a response is ignored, because there would be
    /// no number above it.
    static let highestRevision: Int64 = (1 << 53) - 1

    /// The highest revision that was used or seen; the next attempt gets one more.
    public private(set) var revision: Int64 = 0
    /// The revision that the server accepted last.
    public private(set) var acceptedRevision: Int64?
    /// The record that the server certainly has.
    public private(set) var accepted: StableDigest?
    /// When the record first differed from the accepted one.
    public private(set) var changedAt: Date?
    public private(set) var lastAttemptAt: Date?
    public private(set) var gate = RequestGate()
    /// The server's last result of a processed registration; nil: there is none for the present person (REG-25).
    public private(set) var result: RegistrationResult?
    /// Results up to this revision are about a person who has left the device (ID-4).
    private var formerRevision: Int64?

    public init() {}

    /// The decision for the present record. Call ``rebase(to:)`` before, so that a clock that was set back does not
    /// freeze it.
    ///
    /// - Parameter isHurried: the app is about to be suspended, or asked for a flush: edits are sent at once.
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

    /// Notes the record after an edit, at a start, or when the system changed something (REG-5). An edit that restores
    /// the server's record is no change.
    public mutating func noticed(_ record: StableDigest, now: Date) {
        if record == accepted {
            changedAt = nil
        } else {
            changedAt = changedAt ?? now
        }
    }

    /// Counts an attempt; store the schedule before the request is sent.
    ///
    /// Until a response arrives it is unknown which record the server has, so even a return to the former one is sent.
    ///
    /// - Returns: the revision of the attempt.
    public mutating func attempted(at now: Date) -> Int64 {
        lastAttemptAt = now
        accepted = nil
        // An earlier version of the SDK stored any revision that it received, and continued above it. The server will
        // send its revision again.
        if revision >= Self.highestRevision {
            revision = acceptedRevision.flatMap { $0 < Self.highestRevision ? $0 : nil } ?? 0
        }
        revision += 1
        return revision
    }

    /// Processes a 201. After a restored back-up, the server may have a higher revision than the one sent, or the same
    /// one from before. Then it ignored the snapshot, and the record stays pending with a revision above that (REG-21).
    ///
    /// - Parameters:
    ///   - isSuperseded: the server says that it does not apply the snapshot.
    ///   - current: the present record; it may have been edited while the request was in progress.
    public mutating func succeeded(
        _ record: StableDigest,
        sent: Int64,
        serverRevision: Int64,
        isSuperseded: Bool = false,
        current: StableDigest
    ) {
        gate = RequestGate()
        if serverRevision <= Self.highestRevision { revision = max(revision, serverRevision) }
        if serverRevision <= sent, !isSuperseded {
            accepted = record
            acceptedRevision = sent
        }
        // The pending change was made after the attempt began, so the attempt's time is a safe bound for it.
        changedAt = current == accepted ? nil : lastAttemptAt
    }

    /// Processes any response except a 201.
    public mutating func failed(
        _ outcome: CallOutcome,
        for record: StableDigest,
        now: Date,
        random: Double,
        policy: Policy
    ) {
        gate.answered(outcome, for: record, now: now, random: random, policy: policy.backoff)
    }

    /// Processes the server's result of a registration (REG-25).
    ///
    /// - Returns: the fields that are rejected now and were not before.
    public mutating func processed(_ new: RegistrationResult) -> [RejectedField] {
        // An older result can arrive late, in the response to a slow call.
        guard new.revision > formerRevision ?? 0, new.revision >= result?.revision ?? 0 else { return [] }
        let known = Set(result?.rejected ?? [])
        let rejected = Array(new.rejected.prefix(Self.maximumRejected))
        result = RegistrationResult(revision: new.revision, rejected: rejected)
        return rejected.filter { !known.contains($0) }
    }

    /// Another person uses the device from now on: the rejected fields of the former one's record are removed (ID-4).
    public mutating func personLeft() {
        result = nil
        formerRevision = revision
    }

    /// The server has lost this device: everything that it had accepted is sent again.
    public mutating func forgotten(now: Date) {
        accepted = nil
        changedAt = changedAt ?? now
    }

    /// Ends a wait for the network; a `Retry-After` stays (REG-7).
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
