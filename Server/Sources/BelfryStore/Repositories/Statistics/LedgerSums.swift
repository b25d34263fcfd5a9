/// How many messages were accepted, not sent, and engaged with, in a day or a part of it.
package struct LedgerSums: Hashable, Sendable {
    /// Accepted by push services, or downloaded by devices.
    package var accepted = 0
    package var suppressed = 0
    package var rejected = 0
    package var displayed = 0
    package var opened = 0

    package init() {}

    package init(accepted: Int = 0, suppressed: Int = 0, rejected: Int = 0, displayed: Int = 0, opened: Int = 0) {
        self.accepted = accepted
        self.suppressed = suppressed
        self.rejected = rejected
        self.displayed = displayed
        self.opened = opened
    }

    package static func + (left: LedgerSums, right: LedgerSums) -> LedgerSums {
        LedgerSums(
            accepted: left.accepted + right.accepted, suppressed: left.suppressed + right.suppressed,
            rejected: left.rejected + right.rejected, displayed: left.displayed + right.displayed,
            opened: left.opened + right.opened
        )
    }

    package static func - (left: LedgerSums, right: LedgerSums) -> LedgerSums {
        LedgerSums(
            accepted: left.accepted - right.accepted, suppressed: left.suppressed - right.suppressed,
            rejected: left.rejected - right.rejected, displayed: left.displayed - right.displayed,
            opened: left.opened - right.opened
        )
    }
}

/// The sums of a campaign in a quarter of an hour.
package struct QuarterSums: Hashable, Sendable {
    /// The length of a quarter of an hour, in milliseconds.
    package static let length: Int64 = 900_000

    /// The quarter of an hour, counted from 1970.
    package let quarter: Int64
    package var sums: LedgerSums

    package init(quarter: Int64, sums: LedgerSums) {
        self.quarter = quarter
        self.sums = sums
    }
}

/// The sums of an app on a day.
package struct DaySums: Hashable, Sendable {
    /// Days since 1970, in the app's time zone.
    package let day: Int64
    package var sums: LedgerSums

    package init(day: Int64, sums: LedgerSums) {
        self.day = day
        self.sums = sums
    }
}

/// How many devices of an app may get pushes, according to the last count on a day.
package struct ConsentDay: Hashable, Sendable {
    package let day: Int64
    package let devices: Int
    package let optedIn: Int
    package let countedAt: Int64

    package init(day: Int64, devices: Int, optedIn: Int, countedAt: Int64) {
        self.day = day
        self.devices = devices
        self.optedIn = optedIn
        self.countedAt = countedAt
    }
}
