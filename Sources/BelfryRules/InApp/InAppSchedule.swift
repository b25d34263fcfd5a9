import Foundation

/// When the in-app messages are fetched: at the start of every session, when a silent push tells of something new, and
/// when the app comes to the foreground, then at most once in the interval (IAM-3).
///
/// A silent push that never comes costs nothing: the next foreground fetches. It is stored before every fetch, so that a
/// restart neither forgets that one is due nor beats a back-off.
public struct InAppSchedule: Hashable, Sendable, Codable {
    /// Off as long as nothing can show messages.
    public private(set) var isEnabled = false
    /// Another number than a fetch began with, and what it brings is for somebody else (IAM-11).
    public private(set) var generation = 0
    /// What the device holds, in the server's words (WIRE-9); nil asks for everything.
    public private(set) var cursor: String?
    /// Which version of the SDK has read the answers that led to the cursor.
    public private(set) var reader: String?
    /// When the contact's messages were fetched last; nil when they never were.
    public private(set) var fetchedAt: Date?
    public private(set) var gate = CallGate()
    /// How often a fetch became due at once, and how often before the last good one began.
    public private(set) var marks = 0
    private var seenMarks = 0
    /// The same of coming to the foreground.
    public private(set) var showings = 0
    private var seenShowings = 0

    public init() {}

    /// A session began, or a push told of something new, since the last good fetch began.
    public var isMarked: Bool { marks != seenMarks }

    /// Whether the messages are to be fetched now. While the app is not shown only a push makes them due.
    public func decide(now: Date, appState: AppState, policy: InAppPolicy) -> CallDecision {
        guard isEnabled, isMarked || (appState == .foreground && (fetchedAt == nil || showings != seenShowings)) else {
            return .notNeeded
        }
        var due = Date.distantPast
        var reason = WaitReason.fetchedLately
        // What failed is tried again as soon as the back-off allows it.
        if !isMarked, gate.backoff.failures == 0, let fetchedAt {
            due = fetchedAt.addingTimeInterval(policy.syncInterval)
        }
        if case .closed(let opening, _) = gate.opening(for: nil, now: now), opening > due {
            (due, reason) = (opening, .backingOff)
        }
        return due > now ? .wait(until: due, reason: reason) : .send
    }
}

// MARK: - What happens

extension InAppSchedule {
    public mutating func setEnabled(_ isEnabled: Bool) {
        guard isEnabled != self.isEnabled else { return }
        let next = generation + 1
        self = InAppSchedule()
        self.isEnabled = isEnabled
        generation = next
    }

    /// A session began, a push told of something new, or the app asks.
    public mutating func mark() {
        if isEnabled { marks += 1 }
    }

    /// The app is shown.
    public mutating func enteredForeground() {
        if isEnabled { showings += 1 }
    }

    /// Another contact's messages are to be fetched from now on.
    public mutating func contactChanged() {
        generation += 1
        cursor = nil
        fetchedAt = nil
    }

    /// A message was taken away by the clock alone, which may be wrong: the next fetch asks for everything.
    public mutating func forgetCursor() {
        cursor = nil
    }

    /// A fetch is about to begin.
    ///
    /// - Returns: whether another version of the SDK reads it than the last one. What that one could not read, this one
    ///   may: everything is asked for.
    public mutating func begin(reader: String) -> Bool {
        guard self.reader != reader else { return false }
        self.reader = reader
        cursor = nil
        return true
    }

    /// - Parameters:
    ///   - cursor: of the answer; nil when it is not to be trusted, and the next fetch asks for everything.
    ///   - marks: ``marks`` as they were when the fetch began.
    ///   - showings: ``showings`` as they were then.
    public mutating func succeeded(cursor: String?, marks: Int, showings: Int, now: Date) {
        gate = CallGate()
        self.cursor = cursor
        fetchedAt = now
        seenMarks = marks
        seenShowings = showings
    }

    /// Anything but messages. No refusal is for good: an operator may mend what it is about.
    public mutating func failed(_ outcome: CallOutcome, now: Date, random: Double, policy: InAppPolicy) {
        var outcome = outcome
        if case .refused = outcome { outcome = outcome.toBeRepeated }
        gate.answered(outcome, for: nil, now: now, random: random, policy: policy.backoff)
    }

    /// Ends a wait for the network; what the server asked for stays (REG-7).
    public mutating func networkReturned() {
        gate.networkReturned()
    }

    /// A clock that was set back must not freeze the schedule.
    public mutating func rebase(to now: Date) {
        fetchedAt = fetchedAt.map { min($0, now) }
        gate.rebase(to: now)
    }
}
