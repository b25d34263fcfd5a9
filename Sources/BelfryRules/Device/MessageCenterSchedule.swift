import Foundation

/// The parameters of fetching and keeping message center messages (MC-4, MC-7, MC-10).
public struct MessageCenterPolicy: Hashable, Sendable, Codable {
    /// Seconds from one fetch to the next while the app is shown.
    public var interval: TimeInterval
    /// Seconds for which a message stays on the device after the last fetch that had it.
    public var retention: TimeInterval
    /// The number of failures in a row after which the next attempt waits for the interval, unless there is something
    /// new.
    public var maximumAttempts: Int
    /// The maximum length of that wait, in seconds.
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

/// Why a success cannot come from a Belfry server.
public enum ResponseFlaw: String, Hashable, Sendable, Codable {
    case empty
    case unreadable
}

/// When the message centers are fetched: at once the first time, then at intervals while the app is shown, and at once
/// when a push announces something new (MC-4).
///
/// It is stored before every fetch, so that a restart neither forgets a due fetch nor bypasses a back-off.
public struct MessageCenterSchedule: Hashable, Sendable, Codable {
    /// The maximum number of remembered names that the app asked for and the last response did not list; beyond it the
    /// oldest are dropped.
    public static let maximumUnlisted = 8

    /// Off until the app turns it on (MC-1).
    public private(set) var isEnabled = false
    /// If it has changed since a fetch began, the response is for another person (MC-12).
    public private(set) var generation = 0
    /// When the contact's messages were last fetched; nil when they never were.
    public private(set) var fetchedAt: Date?
    public private(set) var attemptedAt: Date?
    /// The centers that the last response listed.
    public private(set) var listed: [String] = []
    /// The labels by the centers' names. Nil also in a state that an earlier version stored.
    private var labels: [String: String]?
    /// The disabled centers of the app; nil when the server does not say, like earlier versions.
    public private(set) var disabled: [String]?
    public private(set) var gate = RequestGate()
    /// The problem of the last response, until one can be read.
    public private(set) var flaw: ResponseFlaw?
    /// How often something new was announced, in all and before the last successful fetch began.
    public private(set) var marks = 0
    private var seenMarks = 0
    private var unlisted: [UnlistedMessageCenter] = []

    public init() {}

    /// The label of a listed center; nil when it has none.
    public func label(of name: String) -> String? { labels?[name] }

    /// Whether something new was announced since the last successful fetch began.
    public var isFetchRequested: Bool { marks != seenMarks }

    /// Whether the centers must be fetched now. While the app is not shown only a push makes them due.
    public func decide(now: Date, appState: AppState, policy: MessageCenterPolicy) -> CallDecision {
        guard isEnabled, isFetchRequested || appState == .foreground else { return .notNeeded }
        var due = Date.distantPast
        var reason = WaitReason.fetchedLately
        // A failed fetch is retried as soon as the back-off allows it.
        let hasFailed = gate.backoff.failures > 0
        if !isFetchRequested, !hasFailed, let fetchedAt { due = fetchedAt.addingTimeInterval(policy.interval) }
        if let until = heldUntil(now: now, policy: policy), until > due { (due, reason) = (until, .backingOff) }
        return due > now ? .wait(until: due, reason: reason) : .send
    }

    /// The end of the wait that failures cause; nil when there is none.
    private func heldUntil(now: Date, policy: MessageCenterPolicy) -> Date? {
        var until: Date?
        if case .closed(let opening, _) = gate.opening(for: nil, now: now) { until = opening }
        // New messages that a push announced certainly exist, so only the back-off and a `Retry-After` delay their
        // fetch.
        guard !isFetchRequested, hasGivenUp(policy: policy), let attemptedAt else { return until }
        let next = attemptedAt.addingTimeInterval(min(policy.interval, policy.longestGiveUp))
        return max(until ?? next, next)
    }

    /// Whether it has failed so often that it waits for the interval (MC-10).
    public func hasGivenUp(policy: MessageCenterPolicy) -> Bool {
        gate.backoff.failures >= policy.maximumAttempts
    }
}

// MARK: - Events

extension MessageCenterSchedule {
    public mutating func setEnabled(_ isEnabled: Bool) {
        guard isEnabled != self.isEnabled else { return }
        let next = generation + 1
        self = MessageCenterSchedule()
        self.isEnabled = isEnabled
        generation = next
    }

    /// From now on another contact's messages are shown (MC-12).
    public mutating func contactChanged() {
        generation += 1
        fetchedAt = nil
        listed = []
        labels = nil
        disabled = nil
        unlisted = []
        flaw = nil
    }

    /// A push announced something new.
    public mutating func requestFetch() {
        if isEnabled { marks += 1 }
    }

    /// Store this before the request is sent.
    public mutating func attempted(at now: Date) {
        attemptedAt = now
    }

    /// - Parameters:
    ///   - listed: the centers in the response.
    ///   - labels: the centers' labels, by name.
    ///   - disabled: the disabled centers; nil when the response does not say.
    ///   - marks: the value of ``marks`` when the fetch began.
    public mutating func succeeded(
        listed: [String], labels: [String: String] = [:], disabled: [String]? = nil, marks: Int, now: Date
    ) {
        gate = RequestGate()
        flaw = nil
        fetchedAt = now
        self.listed = listed
        self.labels = labels.isEmpty ? nil : labels
        self.disabled = disabled
        unlisted = []
        seenMarks = marks
    }

    /// Processes any other response. No error is final, because an operator may fix the cause.
    public mutating func failed(
        _ outcome: CallOutcome,
        flaw: ResponseFlaw? = nil,
        now: Date,
        random: Double,
        policy: MessageCenterPolicy
    ) {
        self.flaw = flaw
        var outcome = outcome
        if case .refused = outcome { outcome = outcome.toBeRepeated }
        gate.answered(outcome, for: nil, now: now, random: random, policy: policy.backoff)
    }

    /// Ends a wait for the network; a `Retry-After` stays (REG-7).
    public mutating func networkReturned() {
        let before = gate.backoff.nextAttempt
        gate.networkReturned()
        // If attempts ended because there was no network, they begin again with it.
        if gate.backoff.nextAttempt != before { attemptedAt = nil }
    }

    /// The app was opened: a long wait is cut short (EVT-5).
    public mutating func appOpened() {
        gate.appOpened()
    }

    /// A clock that was set back must not freeze the schedule.
    public mutating func rebase(to now: Date) {
        fetchedAt = fetchedAt.map { min($0, now) }
        attemptedAt = attemptedAt.map { min($0, now) }
        gate.rebase(to: now)
    }
}

// MARK: - Unlisted centers

/// A center that the app asked for and the server did not list: it is disabled or does not exist (MC-10).
public struct UnlistedMessageCenter: Hashable, Sendable, Codable {
    public let name: String
    /// Nil until the server was asked for the reason.
    public var failure: CallFailure?
    var isAnswered = false
}

extension MessageCenterSchedule {
    /// The app wants the messages of a center. An unlisted center is requested separately, once after each fetch, unless
    /// the response has said why it is not listed.
    ///
    /// - Returns: whether there is something new to request.
    public mutating func wanted(_ name: String) -> Bool {
        guard isEnabled, fetchedAt != nil, disabled == nil, !listed.contains(name),
            !unlisted.contains(where: { $0.name == name })
        else { return false }
        unlisted.append(UnlistedMessageCenter(name: name))
        unlisted.removeFirst(max(0, unlisted.count - Self.maximumUnlisted))
        return true
    }

    /// The next center to request separately.
    public func nextUnlisted(now: Date) -> String? {
        guard isEnabled, case .open = gate.opening(for: nil, now: now) else { return nil }
        return unlisted.first { !$0.isAnswered }?.name
    }

    /// Why the center was not listed; nil while this is unknown.
    public func failure(of name: String) -> CallFailure? {
        unlisted.first { $0.name == name }?.failure
    }

    /// The response for one center. If the center exists by now, all of them become due.
    public mutating func answered(_ name: String, _ outcome: CallOutcome) {
        if case .unauthorized = outcome { return }
        if outcome == .accepted {
            unlisted.removeAll { $0.name == name }
            return requestFetch()
        }
        guard let place = unlisted.firstIndex(where: { $0.name == name }) else { return }
        unlisted[place].failure = outcome.failure
        unlisted[place].isAnswered = true
    }
}
