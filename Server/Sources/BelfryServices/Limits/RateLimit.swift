/// A limit per minute or per day, and how much of it may be used at once after a pause (SEC-2, SEC-9). It counts calls,
/// bytes, events, or created things.
package struct RateLimit: Hashable, Sendable {
    package enum Period: Hashable, Sendable {
        case minute
        case day

        /// The milliseconds in which a 60,000th of the period's amount flows in.
        var tick: Int64 {
            switch self {
            case .minute: 1
            case .day: 1_440
            }
        }
    }

    package let amount: Int
    package let period: Period
    /// The amount that may be used at once.
    package let burst: Int

    /// The numbers are at least 1, so that nobody is blocked for good.
    package init(perMinute: Int, burst: Int) {
        amount = max(1, perMinute)
        period = .minute
        self.burst = max(1, burst)
    }

    /// A limit whose whole minute may be used at once.
    package init(perMinute: Int) {
        self.init(perMinute: perMinute, burst: perMinute)
    }

    /// A limit whose whole day may be used at once.
    package init(perDay: Int) {
        amount = max(1, perDay)
        period = .day
        burst = amount
    }

    /// The limit for several callers together.
    static func * (limit: RateLimit, factor: Int) -> RateLimit {
        RateLimit(amount: limit.amount * factor, period: limit.period, burst: limit.burst * factor)
    }

    /// One of this many equal parts, at least 1.
    static func / (limit: RateLimit, parts: Int) -> RateLimit {
        let parts = max(1, parts)
        return RateLimit(
            amount: max(1, limit.amount / parts), period: limit.period, burst: max(1, limit.burst / parts)
        )
    }

    private init(amount: Int, period: Period, burst: Int) {
        self.amount = amount
        self.period = period
        self.burst = burst
    }
}

/// A limit per minute, and one per day if the day counts as well.
package struct Quota: Hashable, Sendable {
    package let minute: RateLimit
    package let day: RateLimit?

    package init(minute: RateLimit, day: RateLimit? = nil) {
        self.minute = minute
        self.day = day
    }

    init(perMinute: Int, perDay: Int) {
        self.init(minute: RateLimit(perMinute: perMinute), day: RateLimit(perDay: perDay))
    }

    /// One of this many equal parts.
    static func / (quota: Quota, parts: Int) -> Quota {
        Quota(minute: quota.minute / parts, day: quota.day.map { $0 / parts })
    }
}
