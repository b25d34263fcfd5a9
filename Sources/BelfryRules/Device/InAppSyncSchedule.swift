import Foundation

/// When the in-app messages are fetched: at the start of every session, when a silent push announces something new, and
/// when the app comes to the foreground, at most once in the interval (IAM-3).
///
/// A missed silent push costs nothing, because the next foreground fetches. It is stored before every fetch, so that a
/// restart neither forgets a due fetch nor bypasses a back-off.
public struct InAppSyncSchedule: Hashable, Sendable, Codable {
    /// Off while nothing can show messages.
    public private(set) var isEnabled = false
    /// If it has changed since a fetch began, the response is for another person (IAM-11).
    public private(set) var generation = 0
    /// The server's opaque text for the messages on the device (WIRE-9); nil requests everything.
    public private(set) var cursor: String?
    /// The version of the SDK that has read the responses up to the cursor.
    public private(set) var reader: String?
    /// When the contact's messages were fetched last; nil when they never were.
    public private(set) var fetchedAt: Date?
    public private(set) var gate = RequestGate()
    /// How often a fetch became due at once, in all and before the last successful one began.
    public private(set) var marks = 0
    private var seenMarks = 0
    /// How often the app came to the foreground, in all and before the last successful fetch began.
    public private(set) var showings = 0
    private var seenShowings = 0

    public init() {}

    /// Whether a session began, or a push announced something new, since the last successful fetch began.
    public var isFetchRequested: Bool { marks != seenMarks }

    /// Whether the messages must be fetched now. While the app is not shown only a push makes them due.
    public func decide(now: Date, appState: AppState, policy: InAppPolicy) -> CallDecision {
        guard isEnabled,
            isFetchRequested || (appState == .foreground && (fetchedAt == nil || showings != seenShowings))
        else { return .notNeeded }
        var due = Date.distantPast
        var reason = WaitReason.fetchedLately
        // A failed fetch is retried as soon as the back-off allows it.
        if !isFetchRequested, gate.backoff.failures == 0, let fetchedAt {
            due = fetchedAt.addingTimeInterval(policy.syncInterval)
        }
        if case .closed(let opening, _) = gate.opening(for: nil, now: now), opening > due {
            (due, reason) = (opening, .backingOff)
        }
        return due > now ? .wait(until: due, reason: reason) : .send
    }
}

// MARK: - Events

extension InAppSyncSchedule {
    public mutating func setEnabled(_ isEnabled: Bool) {
        guard isEnabled != self.isEnabled else { return }
        let next = generation + 1
        self = InAppSyncSchedule()
        self.isEnabled = isEnabled
        generation = next
    }

    /// A session began, a push announced something new, or the app asks for a fetch.
    public mutating func requestFetch() {
        if isEnabled { marks += 1 }
    }

    /// The app is shown.
    public mutating func enteredForeground() {
        if isEnabled { showings += 1 }
    }

    /// From now on another contact's messages are fetched.
    public mutating func contactChanged() {
        generation += 1
        cursor = nil
        fetchedAt = nil
    }

    /// A message was removed because of the clock alone, which may be wrong: the next fetch requests everything.
    public mutating func forgetCursor() {
        cursor = nil
    }

    /// Begins a fetch.
    ///
    /// - Returns: whether the response is read by another version of the SDK than the previous one. It may be able to
    ///   read messages that the other could not, so everything is requested.
    public mutating func begin(reader: String) -> Bool {
        guard self.reader != reader else { return false }
        self.reader = reader
        cursor = nil
        return true
    }

    /// - Parameters:
    ///   - cursor: from the response; nil when it cannot be trusted, so that the next fetch requests everything.
    ///   - marks: the value of ``marks`` when the fetch began.
    ///   - showings: the value of ``showings`` when the fetch began.
    public mutating func succeeded(cursor: String?, marks: Int, showings: Int, now: Date) {
        gate = RequestGate()
        self.cursor = cursor
        fetchedAt = now
        seenMarks = marks
        seenShowings = showings
    }

    /// Processes any other response. No error is final, because an operator may fix the cause.
    public mutating func failed(_ outcome: CallOutcome, now: Date, random: Double, policy: InAppPolicy) {
        var outcome = outcome
        if case .refused = outcome { outcome = outcome.toBeRepeated }
        gate.answered(outcome, for: nil, now: now, random: random, policy: policy.backoff)
    }

    /// Ends a wait for the network; a `Retry-After` stays (REG-7).
    public mutating func networkReturned() {
        gate.networkReturned()
    }

    /// The app was opened: a long wait is cut short (EVT-5).
    public mutating func appOpened() {
        gate.appOpened()
    }

    /// A clock that was set back must not freeze the schedule.
    public mutating func rebase(to now: Date) {
        fetchedAt = fetchedAt.map { min($0, now) }
        gate.rebase(to: now)
    }
}
