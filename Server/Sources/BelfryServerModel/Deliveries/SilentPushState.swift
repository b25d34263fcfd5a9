import BelfryModel
import Foundation

/// The state of one device's silent pushes: the server's own and those of campaigns share one budget (PUSH-7). At most
/// one push is under way.
package struct SilentPushState: Hashable, Sendable {
    /// Asked for, and not under way.
    package var waiting: SilentPushReasons
    /// What the push under way carries; empty when none is, and for a campaign's push that carries nothing else.
    package var carried: SilentPushReasons
    /// The campaign whose push is under way; nil when none is, or it is one of the server's own.
    package var campaign: CampaignID?
    /// When there is something to do; while a worker is at it, when its lease ends. Nil: nothing is to be sent.
    package var dueAt: Date?
    /// The first attempt of the server's own push that is not over yet.
    package var triedAt: Date?
    /// The last push that may have arrived.
    package var sentAt: Date?
    /// When the last push left that a push service accepted.
    package var acceptedSince: Date?
    /// When it was last found out whether the device has entered an audience (IAM-15).
    package var lookedAt: Date?
    /// Names the push: another one for each, greater than the one before, the same at each attempt.
    package var number: Int64
    /// Attempts of the server's own push that have come to an end; of a campaign's push, those that may have arrived.
    package var attempts: Int

    package init(
        waiting: SilentPushReasons = [], carried: SilentPushReasons = [], campaign: CampaignID? = nil,
        dueAt: Date? = nil, triedAt: Date? = nil, sentAt: Date? = nil, acceptedSince: Date? = nil,
        lookedAt: Date? = nil,
        number: Int64 = 0, attempts: Int = 0
    ) {
        self.waiting = waiting
        self.carried = carried
        self.campaign = campaign
        self.dueAt = dueAt
        self.triedAt = triedAt
        self.sentAt = sentAt
        self.acceptedSince = acceptedSince
        self.lookedAt = lookedAt
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

    /// What a push can say.
    package static let sayable: SilentPushReasons = [.inApp, .messageCenter, .takeover]

    /// The question whether the device has entered the audience of a published in-app message by these changes (IAM-15).
    /// It is answered before a push is sent: by ``inApp``, or by nothing.
    package static func question(_ changes: AudienceChanges) -> SilentPushReasons {
        SilentPushReasons(rawValue: changes.rawValue << 3)
    }

    /// What a campaign's push says of them: a nonce is for one device, and comes with the server's own push.
    package var saidAlong: SilentPushReasons { said.subtracting(.takeover) }

    /// What a push says of them.
    package var said: SilentPushReasons { intersection(.sayable) }

    /// The changes that are asked about; none: there is no question.
    package var changes: AudienceChanges { AudienceChanges(rawValue: rawValue >> 3) }
}

/// How often a device may be woken without its user noticing (PUSH-7).
package enum SilentPushBudget {
    /// Seconds between two pushes: APNs delivers two or three an hour, and drops the rest.
    package static let interval: TimeInterval = 1_200
    /// Seconds for which a push is tried: the app's own next fetch is as good as a late one.
    package static let retryLimit: TimeInterval = 3_600
    /// Seconds after which every push that waits is due, also one that a push service has sent away for an hour.
    package static let longestWait: TimeInterval = 7_200
    /// Seconds after which a campaign's push that says nothing of its own looks whether one that is under way has
    /// arrived, and so has served it.
    package static let recheck: TimeInterval = 15
    /// Seconds for which changes of a device are collected before it is found out whether it has entered an audience
    /// (IAM-15).
    package static let collecting: TimeInterval = 10
    /// Seconds from one such look to the next, so that a device's changes cost little however many there are.
    package static let lookInterval: TimeInterval = 300

    /// When the next push may leave.
    ///
    /// - Parameter sentAt: the last one that may have arrived.
    package static func nextDate(after sentAt: Date?, now: Date) -> Date {
        date(interval, after: sentAt, now: now)
    }

    /// When it may be found out whether the device has entered an audience: when a push could leave, too.
    ///
    /// - Parameter lookedAt: when it was last found out.
    package static func nextLook(after lookedAt: Date?, sentAt: Date?, now: Date) -> Date {
        max(
            now.addingTimeInterval(collecting), nextDate(after: sentAt, now: now),
            date(lookInterval, after: lookedAt, now: now)
        )
    }

    private static func date(_ interval: TimeInterval, after last: Date?, now: Date) -> Date {
        guard let last else { return now }
        // A clock that was set back must not hold anything up for longer than that.
        return max(now, min(last, now).addingTimeInterval(interval))
    }
}
