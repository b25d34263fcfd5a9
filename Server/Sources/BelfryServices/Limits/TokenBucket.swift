import BelfryModel
import Foundation

/// What is left of one caller's grants. It counts in whole numbers, so that nothing is won or lost by rounding.
package struct TokenBucket: Hashable, Sendable {
    /// What one call takes. In each millisecond `perMinute` flows in, which makes one call out of a minute's 60,000.
    private static let call: Int64 = 60_000

    private var level: Int64
    /// Until when it was filled, in milliseconds since 1970.
    private var filledUntil: Int64

    /// A full one.
    package init(_ limit: RateLimit, now: Date) {
        level = Self.capacity(of: limit)
        filledUntil = now.milliseconds
    }

    /// Takes a call out.
    ///
    /// - Returns: nil when it is granted; else after how many seconds there will be one, at least 1.
    package mutating func take(_ limit: RateLimit, now: Date) -> Int? {
        fill(limit, until: now.milliseconds)
        guard level >= Self.call else {
            let flow = Int64(limit.perMinute)
            let milliseconds = (Self.call - level + flow - 1) / flow
            return Int((milliseconds + 999) / 1_000)
        }
        level -= Self.call
        return nil
    }

    /// Puts a call back that was granted and is not made.
    package mutating func putBack(_ limit: RateLimit) {
        level = min(Self.capacity(of: limit), level + Self.call)
    }

    /// A clock that was set back gives nothing for that moment; from there on the bucket fills again.
    private mutating func fill(_ limit: RateLimit, until moment: Int64) {
        let (elapsed, isEndless) = moment.subtractingReportingOverflow(filledUntil)
        let isLater = moment > filledUntil
        filledUntil = moment
        guard isLater else { return }
        let room = Self.capacity(of: limit) - level
        let (inflow, isFlood) = elapsed.multipliedReportingOverflow(by: Int64(limit.perMinute))
        level += isEndless || isFlood ? room : min(room, inflow)
    }

    private static func capacity(of limit: RateLimit) -> Int64 {
        Int64(limit.burst) * call
    }
}
