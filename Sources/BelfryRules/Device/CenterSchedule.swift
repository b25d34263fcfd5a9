import Foundation

/// The seconds and numbers that a device's talk about message centres keeps to (MC-4, MC-7, MC-10).
public struct CenterPolicy: Hashable, Sendable, Codable {
    /// Seconds from one fetch to the next while the app is shown.
    public var interval: TimeInterval
    /// Seconds for which a message stays on the device after the last fetch that had it.
    public var retention: TimeInterval
    /// So many failures in a row, and the next attempt waits for the interval, unless something new was told of.
    public var maximumAttempts: Int
    /// Seconds for which it waits then at most.
    public var longestGiveUp: TimeInterval
    public var backoff: Backoff.Policy

    public init(
        interval: TimeInterval = 300,
        retention: TimeInterval = 15 * 86_400,
        maximumAttempts: Int = 5,
        longestGiveUp: TimeInterval = 900,
        backoff: Backoff.Policy = .call
    ) {
        self.interval = interval
        self.retention = retention
        self.maximumAttempts = maximumAttempts
        self.longestGiveUp = longestGiveUp
        self.backoff = backoff
    }
}

/// What is wrong with a success that no Belfry server gives.
public enum AnswerFlaw: String, Hashable, Sendable, Codable {
    case empty
    case unreadable
}

/// When the message centres are fetched: at once the first time, then at intervals while the app is shown, and at once
/// when a push tells of something new (MC-4).
///
/// It is stored before every fetch, so that a restart neither forgets that one is due nor beats a back-off.
public struct CenterSchedule: Hashable, Sendable, Codable {
    /// Names that the last answer did not list and the app asked for; of more the oldest go.
    public static let maximumUnlisted = 8

    /// Off until the app turns it on (MC-1).
    public private(set) var isEnabled = false
    /// Another number than a fetch began with, and what it brings is for somebody else (MC-12).
    public private(set) var generation = 0
    /// When the contact's messages were fetched last; nil when they never were.
    public private(set) var fetchedAt: Date?
    public private(set) var attemptedAt: Date?
    /// The centres that the last answer listed.
    public private(set) var listed: [String] = []
    /// What people see in the place of their names, where they have one. Nil also in what an earlier version stored.
    private var labels: [String: String]?
    public private(set) var gate = CallGate()
    /// Of the last answer, until one can be read.
    public private(set) var flaw: AnswerFlaw?
    /// How often something new was told of, and how often before the last good fetch began.
    public private(set) var marks = 0
    private var seenMarks = 0
    private var unlisted: [UnlistedCenter] = []

    public init() {}

    /// What people see in the place of a listed centre's name; nil: the name.
    public func label(of name: String) -> String? { labels?[name] }

    /// Something new was told of since the last good fetch began.
    public var isMarked: Bool { marks != seenMarks }

    /// Whether the centres are to be fetched now. While the app is not shown only a push makes them due.
    public func decide(now: Date, appState: AppState, policy: CenterPolicy) -> CallDecision {
        guard isEnabled, isMarked || appState == .foreground else { return .notNeeded }
        var due = Date.distantPast
        var reason = WaitReason.fetchedLately
        // What failed is tried again as soon as the back-off allows it.
        let hasFailed = gate.backoff.failures > 0
        if !isMarked, !hasFailed, let fetchedAt { due = fetchedAt.addingTimeInterval(policy.interval) }
        if let until = heldUntil(now: now, policy: policy), until > due { (due, reason) = (until, .backingOff) }
        return due > now ? .wait(until: due, reason: reason) : .send
    }

    /// Until when failures hold a fetch up; nil when they do not.
    private func heldUntil(now: Date, policy: CenterPolicy) -> Date? {
        var until: Date?
        if case .closed(let opening, _) = gate.opening(for: nil, now: now) { until = opening }
        // What a push told of is there to be had; only the back-off and the server's own word hold it up.
        guard !isMarked, hasGivenUp(policy: policy), let attemptedAt else { return until }
        let next = attemptedAt.addingTimeInterval(min(policy.interval, policy.longestGiveUp))
        return max(until ?? next, next)
    }

    /// It failed so often that it waits for the interval (MC-10).
    public func hasGivenUp(policy: CenterPolicy) -> Bool {
        gate.backoff.failures >= policy.maximumAttempts
    }
}

// MARK: - What happens

extension CenterSchedule {
    public mutating func setEnabled(_ isEnabled: Bool) {
        guard isEnabled != self.isEnabled else { return }
        let next = generation + 1
        self = CenterSchedule()
        self.isEnabled = isEnabled
        generation = next
    }

    /// Another contact's messages are to be shown from now on (MC-12).
    public mutating func contactChanged() {
        generation += 1
        fetchedAt = nil
        listed = []
        labels = nil
        unlisted = []
        flaw = nil
    }

    /// A push told of something new.
    public mutating func mark() {
        if isEnabled { marks += 1 }
    }

    /// Store this before the request leaves.
    public mutating func attempted(at now: Date) {
        attemptedAt = now
    }

    /// - Parameters:
    ///   - listed: the centres of the answer.
    ///   - labels: what people see in the place of their names, by name.
    ///   - marks: ``marks`` as they were when the fetch began.
    public mutating func succeeded(listed: [String], labels: [String: String] = [:], marks: Int, now: Date) {
        gate = CallGate()
        flaw = nil
        fetchedAt = now
        self.listed = listed
        self.labels = labels.isEmpty ? nil : labels
        unlisted = []
        seenMarks = marks
    }

    /// Anything but messages. No refusal is for good: an operator may mend what it is about.
    public mutating func failed(
        _ outcome: CallOutcome,
        flaw: AnswerFlaw? = nil,
        now: Date,
        random: Double,
        policy: CenterPolicy
    ) {
        self.flaw = flaw
        var outcome = outcome
        if case .refused = outcome { outcome = outcome.toBeRepeated }
        gate.answered(outcome, for: nil, now: now, random: random, policy: policy.backoff)
    }

    /// Ends a wait for the network; what the server asked for stays (REG-7).
    public mutating func networkReturned() {
        let before = gate.backoff.nextAttempt
        gate.networkReturned()
        // Who gave up for want of a network begins anew with it.
        if gate.backoff.nextAttempt != before { attemptedAt = nil }
    }

    /// A clock that was set back must not freeze the schedule.
    public mutating func rebase(to now: Date) {
        fetchedAt = fetchedAt.map { min($0, now) }
        attemptedAt = attemptedAt.map { min($0, now) }
        gate.rebase(to: now)
    }
}

// MARK: - Centres that were not listed

/// A centre that the app asked for and the server did not list: it is disabled, or there is none (MC-10).
public struct UnlistedCenter: Hashable, Sendable, Codable {
    public let name: String
    /// Nil until the server was asked why.
    public var failure: CallFailure?
    var isAnswered = false
}

extension CenterSchedule {
    /// The app wants the messages of a centre. One that was not listed is asked for by itself, once after each fetch.
    ///
    /// - Returns: whether there is something new to ask.
    public mutating func wanted(_ name: String) -> Bool {
        guard isEnabled, fetchedAt != nil, !listed.contains(name), !unlisted.contains(where: { $0.name == name })
        else { return false }
        unlisted.append(UnlistedCenter(name: name))
        unlisted.removeFirst(max(0, unlisted.count - Self.maximumUnlisted))
        return true
    }

    /// The next centre to be asked for by itself.
    public func nextUnlisted(now: Date) -> String? {
        guard isEnabled, case .open = gate.opening(for: nil, now: now) else { return nil }
        return unlisted.first { !$0.isAnswered }?.name
    }

    /// Why the centre was not listed; nil as long as nobody knows.
    public func failure(of name: String) -> CallFailure? {
        unlisted.first { $0.name == name }?.failure
    }

    /// The answer for one centre. One that is there by now makes all of them due.
    public mutating func answered(_ name: String, _ outcome: CallOutcome) {
        if case .unauthorized = outcome { return }
        if outcome == .accepted {
            unlisted.removeAll { $0.name == name }
            return mark()
        }
        guard let place = unlisted.firstIndex(where: { $0.name == name }) else { return }
        unlisted[place].failure = outcome.failure
        unlisted[place].isAnswered = true
    }
}
