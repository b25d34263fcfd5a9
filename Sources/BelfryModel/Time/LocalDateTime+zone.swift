import Foundation

extension LocalDateTime {
    /// More than any zone is ahead of UTC or behind it, in seconds.
    private static let reach: Int64 = 86_400

    /// What a clock on the wall shows at that moment, to the second.
    public init(_ date: Date, in zone: TimeZone) {
        let offset = Int64(zone.secondsFromGMT(for: date))
        self.init(secondsInUTC: Int64(date.timeIntervalSince1970.rounded(.down)) + offset)
    }

    /// The moment at which the clocks of a zone show this time.
    ///
    /// Where they skip it (spring), it is the moment at which they skip; where they show it twice (autumn), the first
    /// of the two.
    public func date(in zone: TimeZone) -> Date {
        moments(in: zone).first ?? gapEnd(in: zone)
    }

    /// The first moment after `date` at which the clocks of a zone show this time or skip it; nil when all are past.
    public func date(in zone: TimeZone, after date: Date) -> Date? {
        let moments = moments(in: zone)
        return (moments.isEmpty ? [gapEnd(in: zone)] : moments).first { $0 > date }
    }

    /// Every moment at which the clocks show it, in order: one as a rule, none in a gap, two in an overlap.
    private func moments(in zone: TimeZone) -> [Date] {
        let before = Self.offset(of: zone, at: secondsInUTC - Self.reach)
        let after = Self.offset(of: zone, at: secondsInUTC + Self.reach)
        let candidates = before == after ? [before] : [max(before, after), min(before, after)]
        return candidates.filter { Self.offset(of: zone, at: secondsInUTC - $0) == $0 }
            .map { Date(timeIntervalSince1970: TimeInterval(secondsInUTC - $0)) }
    }

    /// The moment of the change that skips this time, found by halving.
    private func gapEnd(in zone: TimeZone) -> Date {
        let before = Self.offset(of: zone, at: secondsInUTC - Self.reach)
        var early = secondsInUTC - Self.reach
        var late = secondsInUTC + Self.reach
        while late - early > 1 {
            let middle = early + (late - early) / 2
            if Self.offset(of: zone, at: middle) == before { early = middle } else { late = middle }
        }
        return Date(timeIntervalSince1970: TimeInterval(late))
    }

    /// Seconds east of UTC.
    private static func offset(of zone: TimeZone, at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }
}

extension Timestamp {
    /// The date of a text that may leave its offset out: then it is in `zone`, and a day alone is its midnight
    /// (ADM-2). Nil for anything else.
    public static func date(_ text: String, in zone: TimeZone) -> Date? {
        date(text) ?? LocalDateTime(text)?.date(in: zone)
    }
}
