import BelfryModel
import Foundation

/// What is left of one caller's grants. It counts in whole numbers, so that nothing is won or lost by rounding.
package struct TokenBucket: Hashable, Sendable {
    /// What a weight of one takes: in each tick the limit's amount flows in, which makes one weight of a period's 60,000.
    private static let unit: Int64 = 60_000

    private var level: Int64
    /// Until when it was filled, in milliseconds since 1970.
    private var filledUntil: Int64

    /// A full one.
    package init(_ limit: RateLimit, now: Date) {
        level = Self.capacity(of: limit)
        filledUntil = now.milliseconds
    }

    /// Takes something out.
    ///
    /// - Parameter weight: what is heavier than a full bucket takes a full one.
    /// - Returns: nil when it is granted; else after how many seconds it will be, at least 1.
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

    /// Whether nothing is missing of it any more.
    func isFull(_ limit: RateLimit, now: Date) -> Bool {
        var filled = self
        filled.fill(limit, until: now.milliseconds)
        return filled.level >= Self.capacity(of: limit)
    }

    /// Puts back what was granted and is not used.
    package mutating func putBack(_ limit: RateLimit, _ weight: Int = 1) {
        level = min(Self.capacity(of: limit), level + Self.price(of: weight, limit))
    }

    /// A clock that was set back gives nothing for that moment; from there on the bucket fills again.
    private mutating func fill(_ limit: RateLimit, until moment: Int64) {
        let (elapsed, isEndless) = moment.subtractingReportingOverflow(filledUntil)
        guard moment > filledUntil else { return filledUntil = moment }
        let room = Self.capacity(of: limit) - level
        let ticks = elapsed / limit.period.tick
        let (inflow, isFlood) = ticks.multipliedReportingOverflow(by: Int64(limit.amount))
        level += isEndless || isFlood ? room : min(room, inflow)
        // What is no whole tick yet counts with the next one.
        filledUntil = isEndless ? moment : filledUntil + ticks * limit.period.tick
    }

    private static func capacity(of limit: RateLimit) -> Int64 {
        Int64(limit.burst) * unit
    }

    private static func price(of weight: Int, _ limit: RateLimit) -> Int64 {
        Int64(min(max(0, weight), limit.burst)) * unit
    }
}

/// The same for a minute and a day: what is granted counts in both, what is refused in neither.
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
