import Foundation

/// The state of the device's queue.
public struct QueueStatus: Hashable, Sendable {
    public var count: Int
    public var bytes: Int
    public var oldestAt: Date?
    /// The number of the contact for whom the oldest event was tracked.
    public var oldestOwner: Int?

    public init(count: Int = 0, bytes: Int = 0, oldestAt: Date? = nil, oldestOwner: Int? = nil) {
        self.count = count
        self.bytes = bytes
        self.oldestAt = oldestAt
        self.oldestOwner = oldestOwner
    }
}

/// How much the queue may hold; beyond it the oldest events are dropped, counted and reported (EVT-5).
public struct QueueLimits: Hashable, Sendable, Codable {
    public var count: Int
    public var bytes: Int
    /// In seconds.
    public var age: TimeInterval

    public init(count: Int = 100_000, bytes: Int = 33_554_432, age: TimeInterval = 30 * 86_400) {
        self.count = count
        self.bytes = bytes
        self.age = age
    }

    /// How many of the oldest events must be dropped. When the queue is full, a hundredth is dropped together, so that
    /// not every event needs a removal. The newest event always stays.
    public func overflow(count held: Int, bytes size: Int) -> Int {
        guard held > count || size > bytes else { return 0 }
        return min(max(held - count, held / 100, 1), max(held - 1, 0))
    }

    /// Older events are dropped.
    public func oldestAllowed(now: Date) -> Date {
        now.addingTimeInterval(-age)
    }
}

/// When events are uploaded, and in what batches (EVT-2).
public struct UploadPolicy: Hashable, Sendable, Codable {
    /// The number of waiting events that are sent at once.
    public var flushCount: Int
    public var flushBytes: Int
    /// The time for which an event waits for others, in seconds.
    public var flushAge: TimeInterval
    public var batchCount: Int
    /// The size of one request's body, below the server's 1 MiB.
    public var batchBytes: Int
    public var backoff: Backoff.Policy

    public init(
        flushCount: Int = 50,
        flushBytes: Int = 65_536,
        flushAge: TimeInterval = 30,
        batchCount: Int = 500,
        batchBytes: Int = 1_000_000,
        backoff: Backoff.Policy = .call
    ) {
        self.flushCount = flushCount
        self.flushBytes = flushBytes
        self.flushAge = flushAge
        self.batchCount = batchCount
        self.batchBytes = batchBytes
        self.backoff = backoff
    }
}

/// The limits of one request. The first event always fits.
public struct BatchLimit: Hashable, Sendable {
    public let count: Int
    public let bytes: Int

    public init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }
}

/// Whether a batch is sent, and if not, why.
public enum UploadDecision: Hashable, Sendable {
    case send(BatchLimit)
    case wait(until: Date, reason: WaitReason)
    case idle(IdleReason)
}

/// What happens to the batch after its response.
public enum BatchUploadResult: Hashable, Sendable {
    /// Stored, except those that the response rejects.
    case stored
    /// The only event of the batch is refused for good: it becomes a dead letter, and the others follow (EVT-4).
    case deadLetter(reason: String)
    /// Everything stays in the queue.
    case kept
    /// The server refuses all events: they stay in the queue, and the app gets a report.
    case heldBack
}

/// When to upload events, and how a response changes the queue (EVT-2, EVT-4, EVT-5).
public struct UploadRules: Hashable, Sendable, Codable {
    /// The number of dead letters in a row after which the server may be at fault: until something is accepted, the
    /// next event stays in the queue and is retried with growing delays.
    public static let maximumDeadLettersInARow = 10

    public private(set) var backoff = Backoff()
    /// The last failure, kept until a call succeeds, for support (REG-14).
    public private(set) var lastFailure: CallFailure?
    /// Everything must be sent now: the app was shown, is leaving, or asked for it.
    public private(set) var isFlushing = false
    /// The size of batches while the server refuses them, smaller than the policy's; otherwise nil.
    private var countLimit: Int?
    private var setAsideInARow = 0

    public init() {}

    /// Whether a batch is sent now.
    public func decide(_ queue: QueueStatus, now: Date, policy: UploadPolicy) -> UploadDecision {
        guard queue.count > 0 else { return .idle(.queueEmpty) }
        if let next = backoff.nextAttempt, next > now { return .wait(until: next, reason: .backingOff) }
        let batch = BatchLimit(count: countLimit ?? policy.batchCount, bytes: policy.batchBytes)
        let isFull = queue.count >= policy.flushCount || queue.bytes >= policy.flushBytes
        if isFlushing || isFull || countLimit != nil { return .send(batch) }
        // An event from the future was tracked before the clock was set back; it has waited long enough.
        guard let oldest = queue.oldestAt, oldest <= now else { return .send(batch) }
        let due = oldest.addingTimeInterval(policy.flushAge)
        return due > now ? .wait(until: due, reason: .collectingEvents) : .send(batch)
    }

    /// Everything must be sent now.
    public mutating func requestFlush() {
        isFlushing = true
    }

    /// The queue after a response, or when it is found empty: a flush ends when nothing is left.
    public mutating func noticed(_ queue: QueueStatus) {
        if queue.count == 0 { isFlushing = false }
    }

    /// Processes a response, or its absence.
    public mutating func answered(
        _ outcome: CallOutcome,
        batchCount: Int,
        now: Date,
        random: Double,
        policy: UploadPolicy
    ) -> BatchUploadResult {
        lastFailure = outcome.failure
        switch outcome {
        case .accepted:
            backoff.succeeded()
            setAsideInARow = 0
            countLimit = countLimit.flatMap { $0 * 2 < policy.batchCount ? $0 * 2 : nil }
            return .stored
        case .unauthorized:
            return .kept
        case .refused(let failure) where failure.isAboutContent:
            return rejected(failure, batchCount: batchCount, now: now, random: random, policy: policy)
        case .refused:
            backoff.failed(at: now, cause: .server, retryAfter: nil, random: random, policy: policy.backoff)
            return .heldBack
        case .failed(let failure, _, _) where failure.isTooLargeForOthers && batchCount > 1:
            countLimit = batchCount / 2
            return .kept
        case .failed(let failure, let cause, let retryAfter):
            backoff.failed(at: now, cause: cause, retryAfter: retryAfter, random: random, policy: policy.backoff)
            return failure.isUnknownApp ? .heldBack : .kept
        }
    }

    /// Halves the batch until the invalid event is alone.
    private mutating func rejected(
        _ failure: CallFailure,
        batchCount: Int,
        now: Date,
        random: Double,
        policy: UploadPolicy
    ) -> BatchUploadResult {
        let isTrusted = setAsideInARow < Self.maximumDeadLettersInARow
        if isTrusted { backoff.succeeded() }
        guard batchCount <= 1 else {
            countLimit = batchCount / 2
            return .kept
        }
        guard isTrusted else {
            backoff.failed(at: now, cause: .server, retryAfter: nil, random: random, policy: policy.backoff)
            return .heldBack
        }
        setAsideInARow += 1
        return .deadLetter(reason: failure.code ?? "status \(failure.status ?? 0)")
    }

    /// Ends a wait for the network; a `Retry-After` stays (REG-7).
    public mutating func networkReturned() {
        backoff.networkReturned()
    }

    /// The app was opened: a long wait is cut short (EVT-5).
    public mutating func appOpened() {
        backoff.appOpened()
    }

    /// A clock that was set back must not freeze a wait.
    public mutating func rebase(to now: Date) {
        backoff.rebase(to: now)
    }
}
