import BelfryModel
import Foundation

/// What one device's silent pushes have come to (PUSH-7). One push is under way at most.
package struct SilentPushState: Hashable, Sendable {
    /// Asked for, and not under way.
    package var waiting: SilentPushReasons
    /// What the push under way carries; empty when none is.
    package var carried: SilentPushReasons
    /// When there is something to do; while a worker is at it, when its lease ends. Nil: nothing is to be sent.
    package var dueAt: Date?
    /// The first attempt of the push that is not over yet.
    package var triedAt: Date?
    /// The last push that may have arrived.
    package var sentAt: Date?
    /// Names the push: another one for each, greater than the one before, the same at each attempt.
    package var number: Int64
    /// Attempts of the push that have come to an end.
    package var attempts: Int

    package init(
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

/// What a device is to fetch when a silent push wakes it: reasons that come together share one push (PUSH-7).
package struct SilentPushReasons: OptionSet, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// In-app messages were published, changed or recalled (IAM-2).
    package static let inApp = SilentPushReasons(rawValue: 1)
    package static let messageCenter = SilentPushReasons(rawValue: 2)
    /// A re-installed app may take its contact back, if it shows that it gets this push (REG-23).
    package static let takeover = SilentPushReasons(rawValue: 4)
}
