import BelfryModel
import Foundation

/// The rest of one caller's limit. It counts in whole numbers, so that rounding neither adds nor removes anything.
package struct TokenBucket: Hashable, Sendable {
    /// The units of a weight of one: in each tick the limit's amount flows in, so a weight of one flows in in a
    /// 60,000th of the period's ticks.
    private static let unit: Int64 = 60_000

    private var level: Int64
    /// The time up to which the bucket was filled, in milliseconds since 1970.
    private var filledUntil: Int64

    /// A full bucket.
    package init(_ limit: RateLimit, now: Date) {
        level = Self.capacity(of: limit)
        filledUntil = now.milliseconds
    }

    /// Takes a weight out.
    ///
    /// - Parameter weight: one that exceeds a full bucket takes a full one.
    /// - Returns: nil if it is granted; otherwise the seconds until it would be, at least 1.
    package mutating func take(_ limit: RateLimit, _ weight: Int = 1, now: Date) -> Int? {
        fill(limit, until: now.milliseconds)
        let price = Self.price(of: weight, limit)
        guard level >= price else {
            let flow = Int64(limit.amount)
            let milliseconds = (price - level + flow - 1) / flow * limit.period.tick
            return Int((milliseconds + 999) / 1_000)
        }
        level -= price
        return nil
    }

    /// Whether the bucket is full again.
    func isFull(_ limit: RateLimit, now: Date) -> Bool {
        var filled = self
        filled.fill(limit, until: now.milliseconds)
        return filled.level >= Self.capacity(of: limit)
    }

    /// Puts an unused grant back.
    package mutating func putBack(_ limit: RateLimit, _ weight: Int = 1) {
        level = min(Self.capacity(of: limit), level + Self.price(of: weight, limit))
    }

    /// If the clock was set back, nothing flows in at that moment; then the bucket fills again.
    private mutating func fill(_ limit: RateLimit, until moment: Int64) {
        let (elapsed, isEndless) = moment.subtractingReportingOverflow(filledUntil)
        guard moment > filledUntil else { return filledUntil = moment }
        let room = Self.capacity(of: limit) - level
        let ticks = elapsed / limit.period.tick
        let (inflow, isFlood) = ticks.multipliedReportingOverflow(by: Int64(limit.amount))
        level += isEndless || isFlood ? room : min(room, inflow)
        // The rest of a tick counts with the next one.
        filledUntil = isEndless ? moment : filledUntil + ticks * limit.period.tick
    }

    private static func capacity(of limit: RateLimit) -> Int64 {
        Int64(limit.burst) * unit
    }

    private static func price(of weight: Int, _ limit: RateLimit) -> Int64 {
        Int64(min(max(0, weight), limit.burst)) * unit
    }
}

/// A bucket per minute and one per day: a granted call counts in both, a rejected one in neither.
struct QuotaBucket: Hashable, Sendable {
    private var minute: TokenBucket
    private var day: TokenBucket?

    init(_ quota: Quota, now: Date) {
        minute = TokenBucket(quota.minute, now: now)
        day = quota.day.map { TokenBucket($0, now: now) }
    }

    mutating func take(_ quota: Quota, _ weight: Int, now: Date) -> Int? {
        if let wait = minute.take(quota.minute, weight, now: now) { return wait }
        guard let limit = quota.day, let wait = day?.take(limit, weight, now: now) else { return nil }
        minute.putBack(quota.minute, weight)
        return wait
    }

    func isFull(_ quota: Quota, now: Date) -> Bool {
        guard minute.isFull(quota.minute, now: now) else { return false }
        guard let limit = quota.day else { return true }
        return day?.isFull(limit, now: now) ?? true
    }

    mutating func putBack(_ quota: Quota, _ weight: Int) {
        minute.putBack(quota.minute, weight)
        if let limit = quota.day { day?.putBack(limit, weight) }
    }
}
