import Foundation

extension LocalDateTime {
    /// More than the offset of any zone from UTC, in seconds.
    private static let reach: Int64 = 86_400

    /// The local time in a zone at this moment, to the second.
    public init(_ date: Date, in zone: TimeZone) {
        let offset = Int64(zone.secondsFromGMT(for: date))
        self.init(secondsInUTC: Int64(date.timeIntervalSince1970.rounded(.down)) + offset)
    }

    /// The moment at which it is this local time in a zone.
    ///
    /// If the clocks skip it (spring), it is the moment at which they skip; if it occurs twice (autumn), the first of
    /// the two.
    public func date(in zone: TimeZone) -> Date {
        moments(in: zone).first ?? gapEnd(in: zone)
    }

    /// The first moment after `date` at which it is this local time in a zone, or at which the clocks skip it; nil when
    /// all are past.
    public func date(in zone: TimeZone, after date: Date) -> Date? {
        let moments = moments(in: zone)
        return (moments.isEmpty ? [gapEnd(in: zone)] : moments).first { $0 > date }
    }

    /// Every moment with this local time, in order: usually one, none in a gap, two in an overlap.
    private func moments(in zone: TimeZone) -> [Date] {
        let before = Self.offset(of: zone, at: secondsInUTC - Self.reach)
        let after = Self.offset(of: zone, at: secondsInUTC + Self.reach)
        let candidates = before == after ? [before] : [max(before, after), min(before, after)]
        return candidates.filter { Self.offset(of: zone, at: secondsInUTC - $0) == $0 }
            .map { Date(timeIntervalSince1970: TimeInterval(secondsInUTC - $0)) }
    }

    /// The moment of the change that skips this time, found by bisection.
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

    /// The offset in seconds east of UTC.
    private static func offset(of zone: TimeZone, at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }
}

extension Timestamp {
    /// The date of a text with an optional offset. Without one it is in `zone`, and a day without a time is its
    /// midnight (ADM-2). Nil for anything else.
    public static func date(_ text: String, in zone: TimeZone) -> Date? {
        date(text) ?? LocalDateTime(text)?.date(in: zone)
    }
}
