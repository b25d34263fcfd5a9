import Foundation

/// What one device's silent pushes have come to (PUSH-7). One push is under way at most.
public struct SilentPushState: Hashable, Sendable {
    /// Asked for, and not under way.
    public var waiting: SilentPushReasons
    /// What the push under way carries; empty when none is.
    public var carried: SilentPushReasons
    /// When there is something to do; while a worker is at it, when its lease ends. Nil: nothing is to be sent.
    public var dueAt: Date?
    /// The first attempt of the push that is not over yet.
    public var triedAt: Date?
    /// The last push that may have arrived.
    public var sentAt: Date?
    /// Names the push: another one for each, greater than the one before, the same at each attempt.
    public var number: Int64
    /// Attempts of the push that have come to an end.
    public var attempts: Int

    public init(
        waiting: SilentPushReasons = [], carried: SilentPushReasons = [], dueAt: Date? = nil, triedAt: Date? = nil,
        sentAt: Date? = nil, number: Int64 = 0, attempts: Int = 0
    ) {
        self.waiting = waiting
        self.carried = carried
        self.dueAt = dueAt
        self.triedAt = triedAt
        self.sentAt = sentAt
        self.number = number
        self.attempts = attempts
    }
}
