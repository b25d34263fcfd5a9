import BelfryModel
import Foundation

/// The state of one device's silent pushes. The server's own pushes and those of campaigns share one budget (PUSH-7).
/// At most one push is in progress.
package struct SilentPushState: Hashable, Sendable {
    /// Reasons for a push that is not in progress yet.
    package var waiting: SilentPushReasons
    /// The reasons that the push in progress carries. Empty when none is in progress, and for a campaign's push without
    /// further reasons.
    package var carried: SilentPushReasons
    /// The campaign whose push is in progress. Nil when none is, or when it is the server's own.
    package var campaign: CampaignID?
    /// When the next work is due; while a worker processes it, when its lease ends. Nil: nothing is to be sent.
    package var dueAt: Date?
    /// When the server's own push, if it has not ended yet, was first attempted.
    package var triedAt: Date?
    /// When the last push was sent that may have arrived.
    package var sentAt: Date?
    /// When the last push was sent that a push service accepted.
    package var acceptedSince: Date?
    /// When it was last checked whether the device has entered an audience (IAM-15).
    package var lookedAt: Date?
    /// The number of the push. Each push has a greater number than the one before; all attempts of a push share its
    /// number.
    package var number: Int64
    /// For the server's own push, the attempts that have ended. For a campaign's push, those that may have arrived.
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

/// The data that a device is to fetch when a silent push wakes it. Reasons that come together share one push (PUSH-7).
package struct SilentPushReasons: OptionSet, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// In-app messages were published, changed or recalled (IAM-2).
    package static let inApp = SilentPushReasons(rawValue: 1)
    package static let messageCenter = SilentPushReasons(rawValue: 2)
    /// A re-installed app may take its contact back, if it proves that it gets this push (REG-23).
    package static let takeover = SilentPushReasons(rawValue: 4)

    /// The reasons that a push can contain.
    package static let sayable: SilentPushReasons = [.inApp, .messageCenter, .takeover]

    /// The question whether these changes have brought the device into the audience of a published in-app message
    /// (IAM-15). It is answered before a push is sent: it becomes ``inApp``, or nothing.
    package static func question(_ changes: AudienceChanges) -> SilentPushReasons {
        SilentPushReasons(rawValue: changes.rawValue << 3)
    }

    /// The reasons that a campaign's push can contain. The takeover's nonce is for one device, and comes with the
    /// server's own push.
    package var saidAlong: SilentPushReasons { said.subtracting(.takeover) }

    /// The reasons that a push contains.
    package var said: SilentPushReasons { intersection(.sayable) }

    /// The changes that the question is about. Empty: there is no question.
    package var changes: AudienceChanges { AudienceChanges(rawValue: rawValue >> 3) }
}

/// How often a device may be woken without its user noticing (PUSH-7).
package enum SilentPushBudget {
    /// Seconds between two pushes: APNs delivers two or three an hour, and drops the rest.
    package static let interval: TimeInterval = 1_200
    /// Seconds for which a push is retried. After that, the app's own next fetch is as good.
    package static let retryLimit: TimeInterval = 3_600
    /// Seconds after which every waiting push is due, even if a push service has asked for a pause of an hour.
    package static let longestWait: TimeInterval = 7_200
    /// Seconds after which a campaign's push without custom keys checks again whether another push in progress has
    /// arrived and so has replaced it.
    package static let recheck: TimeInterval = 15
    /// Seconds for which a device's changes are collected before it is checked whether it has entered an audience
    /// (IAM-15).
    package static let collecting: TimeInterval = 10
    /// Seconds from one such check to the next, so that a device's changes cost little however many there are.
    package static let lookInterval: TimeInterval = 300

    /// The earliest time of the next push.
    ///
    /// - Parameter sentAt: when the last push was sent that may have arrived.
    package static func nextDate(after sentAt: Date?, now: Date) -> Date {
        date(interval, after: sentAt, now: now)
    }

    /// The earliest time of the next check whether the device has entered an audience. It is not earlier than the next
    /// push could be.
    ///
    /// - Parameter lookedAt: when this was last checked.
    package static func nextLook(after lookedAt: Date?, sentAt: Date?, now: Date) -> Date {
        max(
            now.addingTimeInterval(collecting), nextDate(after: sentAt, now: now),
            date(lookInterval, after: lookedAt, now: now)
        )
    }

    private static func date(_ interval: TimeInterval, after last: Date?, now: Date) -> Date {
        guard let last else { return now }
        // A clock that was set back must not delay anything for longer than the interval.
        return max(now, min(last, now).addingTimeInterval(interval))
    }
}
