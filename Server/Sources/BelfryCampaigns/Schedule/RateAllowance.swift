import Foundation

/// How many messages of a campaign may leave now (CAMP-5): at most so many in each second, however the work is
/// divided into steps, workers and restarts.
///
/// It counts in whole numbers (a message takes 1000 of `perSecond` units in each millisecond), so that nothing is lost
/// or gained by rounding. What a step left over may leave later, for ``burstMilliseconds``: time that nobody used
/// longer ago is gone.
package struct RateAllowance: Hashable, Sendable {
    /// For so long unused time can be made up for.
    package static let burstMilliseconds: Int64 = 1_000
    /// The highest rate.
    package static let maximumPerSecond = 100_000

    private static let unitsPerMessage: Int64 = 1_000

    package let perSecond: Int
    /// When the next message may leave, in units since 1970; kept between steps, and good for this rate alone. Nil
    /// before the first has left.
    package private(set) var nextUnit: Int64?

    /// - Parameters:
    ///   - perSecond: 1 to ``maximumPerSecond``; others are taken as the nearest of these.
    ///   - nextUnit: as it was kept; nil for a campaign that begins now.
    package init(perSecond: Int, nextUnit: Int64?) {
        self.perSecond = min(max(perSecond, 1), Self.maximumPerSecond)
        self.nextUnit = nextUnit
    }

    /// How many may leave now.
    package func available(at now: Date) -> Int {
        let present = unit(now)
        let next = earliest(present)
        return next > present ? 0 : Int((present - next) / Self.unitsPerMessage) + 1
    }

    /// When the next may leave; now, when one may.
    package func nextDate(after now: Date) -> Date {
        let next = earliest(unit(now))
        guard next > unit(now) else { return now }
        // The millisecond in which it may, not the one before.
        let rate = Int64(perSecond)
        return Date(timeIntervalSince1970: Double((next + rate - 1) / rate) / 1_000)
    }

    /// Takes as many as may leave now, and not more than are wanted.
    ///
    /// - Returns: how many leave.
    package mutating func take(upTo wanted: Int, at now: Date) -> Int {
        let taken = min(available(at: now), max(wanted, 0))
        guard taken > 0 else { return 0 }
        nextUnit = earliest(unit(now)) + Int64(taken) * Self.unitsPerMessage
        return taken
    }

    /// Unused time that is older than the burst is gone. A message takes less than a second, so what lies further ahead
    /// was said before the clock was set back, and is forgotten.
    private func earliest(_ present: Int64) -> Int64 {
        let burst = Self.burstMilliseconds * Int64(perSecond)
        guard let nextUnit, nextUnit <= present + burst else { return present }
        return max(nextUnit, present - burst)
    }

    private func unit(_ date: Date) -> Int64 {
        // To the nearest, for a Date is a fraction that is seldom exact. Up to the year 4505, which with the highest
        // rate still fits into 64 bits.
        let milliseconds = min(max((date.timeIntervalSince1970 * 1_000).rounded(), 0), 80_000_000_000_000)
        return Int64(milliseconds) * Int64(perSecond)
    }
}
