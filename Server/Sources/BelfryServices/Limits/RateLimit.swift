/// How much somebody is granted: so much in a minute or a day in the long run, and some at once after a rest (SEC-2,
/// SEC-9). What is counted are calls, bytes, events, or things that are made.
package struct RateLimit: Hashable, Sendable {
    package enum Period: Hashable, Sendable {
        case minute
        case day

        /// In how many milliseconds a 60,000th of the period's amount flows in.
        var tick: Int64 {
            switch self {
            case .minute: 1
            case .day: 1_440
            }
        }
    }

    package let amount: Int
    package let period: Period
    /// What may come at once.
    package let burst: Int

    /// The numbers are 1 at least, so that nobody is shut out for good.
    package init(perMinute: Int, burst: Int) {
        amount = max(1, perMinute)
        period = .minute
        self.burst = max(1, burst)
    }

    /// All of it may come at once.
    package init(perMinute: Int) {
        self.init(perMinute: perMinute, burst: perMinute)
    }

    /// All of it may come at once.
    package init(perDay: Int) {
        amount = max(1, perDay)
        period = .day
        burst = amount
    }

    /// The same limit for several at once.
    static func * (limit: RateLimit, factor: Int) -> RateLimit {
        RateLimit(amount: limit.amount * factor, period: limit.period, burst: limit.burst * factor)
    }

    private init(amount: Int, period: Period, burst: Int) {
        self.amount = amount
        self.period = period
        self.burst = burst
    }
}

/// What somebody is granted in a minute, and in a day where that is counted as well.
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
}
