import Foundation

/// When a kind of call may be made again. Each kind has its own gate, so that a failing one does not delay the others.
public struct RequestGate: Hashable, Sendable, Codable {
    /// Seconds for which a refused content is not sent again, unless it changes (REG-6).
    public static let refusalHolds: TimeInterval = 86_400

    /// Whether the call may be made, and from when on.
    public enum Opening: Hashable, Sendable {
        case open
        case closed(until: Date, reason: WaitReason)
    }

    public private(set) var backoff = Backoff()
    /// The content that the server refused for good.
    public private(set) var refusedContent: StableDigest?
    private var refusedAt: Date?
    /// The last failure, kept until a call succeeds, for support (REG-14).
    public private(set) var lastFailure: CallFailure?

    public init() {}

    /// - Parameter content: the content of the call.
    public func opening(for content: StableDigest?, now: Date) -> Opening {
        if let refusedAt, content == refusedContent {
            let until = refusedAt.addingTimeInterval(Self.refusalHolds)
            if until > now { return .closed(until: until, reason: .refused) }
        }
        if let next = backoff.nextAttempt, next > now {
            return .closed(until: next, reason: .backingOff)
        }
        return .open
    }

    /// The server refused this content, less than a day ago.
    public func isRefused(_ content: StableDigest?, now: Date) -> Bool {
        guard case .closed(_, .refused) = opening(for: content, now: now) else { return false }
        return true
    }

    /// The last failure, while the server's `Retry-After` runs.
    public func patience(now: Date) -> CallFailure? {
        guard let until = backoff.askedUntil, until > now else { return nil }
        return lastFailure
    }

    /// Processes a response, or its absence.
    public mutating func answered(
        _ outcome: CallOutcome,
        for content: StableDigest?,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) {
        switch outcome {
        case .accepted:
            self = RequestGate()
        case .unauthorized(let failure):
            lastFailure = failure
        case .refused(let failure):
            self = RequestGate()
            refusedContent = content
            refusedAt = now
            lastFailure = failure
        case .failed(let failure, let cause, let retryAfter):
            refusedContent = nil
            refusedAt = nil
            lastFailure = failure
            backoff.failed(at: now, cause: cause, retryAfter: retryAfter, random: random, policy: policy)
        }
    }

    /// Ends a wait for the network; a `Retry-After` stays (REG-7).
    public mutating func networkReturned() {
        backoff.networkReturned()
    }

    /// The app was opened: a long wait is cut short.
    public mutating func appOpened() {
        backoff.appOpened()
    }

    /// A clock that was set back must not freeze a wait.
    public mutating func rebase(to now: Date) {
        backoff.rebase(to: now)
        refusedAt = refusedAt.map { min($0, now) }
    }
}

/// Whether a call must be made now.
public enum CallDecision: Hashable, Sendable {
    case send
    case wait(until: Date, reason: WaitReason)
    case notNeeded
}

extension RequestGate {
    /// The decision about a wanted call.
    ///
    /// - Parameter content: the content of the call.
    func decision(about content: StableDigest?, now: Date) -> CallDecision {
        switch opening(for: content, now: now) {
        case .open: .send
        case .closed(let until, let reason): .wait(until: until, reason: reason)
        }
    }
}

/// The rules of calls that wait only at one gate.
protocol GatedRules {
    var gate: RequestGate { get set }
}

extension GatedRules {
    /// Ends a wait for the network; a `Retry-After` stays (REG-7).
    mutating func networkReturned() {
        gate.networkReturned()
    }

    /// The app was opened: a long wait is cut short (EVT-5).
    mutating func appOpened() {
        gate.appOpened()
    }

    /// A clock that was set back must not freeze a wait.
    mutating func rebase(to now: Date) {
        gate.rebase(to: now)
    }
}
