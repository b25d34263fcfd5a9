import Foundation

/// How many messages of a campaign may be sent now (CAMP-5): a maximum for each second, however the work is divided
/// into steps, workers and restarts.
///
/// It counts in whole numbers (a message takes 1000 of `perSecond` units in each millisecond), so that rounding loses
/// and gains nothing. What a step has not used may be used later, within ``burstMilliseconds``. Older unused time is
/// lost.
package struct RateAllowance: Hashable, Sendable {
    /// How long unused time can be used later, in milliseconds.
    package static let burstMilliseconds: Int64 = 1_000
    /// The highest rate, in messages per second.
    package static let maximumPerSecond = 100_000

    private static let unitsPerMessage: Int64 = 1_000

    package let perSecond: Int
    /// The time of the next message, in units since 1970. It is stored between steps, and valid for this rate only. Nil
    /// before the first message.
    package private(set) var nextUnit: Int64?

    /// - Parameters:
    ///   - perSecond: 1 to ``maximumPerSecond``. Other values become the nearest of these.
    ///   - nextUnit: the stored value. Nil for a campaign that begins now.
    package init(perSecond: Int, nextUnit: Int64?) {
        self.perSecond = min(max(perSecond, 1), Self.maximumPerSecond)
        self.nextUnit = nextUnit
    }

    /// How many messages may be sent now.
    package func available(at now: Date) -> Int {
        let present = unit(now)
        let next = earliest(present)
        return next > present ? 0 : Int((present - next) / Self.unitsPerMessage) + 1
    }

    /// When the next message may be sent. `now` if that is now.
    package func nextDate(after now: Date) -> Date {
        let next = earliest(unit(now))
        guard next > unit(now) else { return now }
        // Rounded up to the millisecond in which it may be sent.
        let rate = Int64(perSecond)
        return Date(timeIntervalSince1970: Double((next + rate - 1) / rate) / 1_000)
    }

    /// Takes as many messages as may be sent now, at most the wanted number.
    ///
    /// - Returns: how many may be sent.
    package mutating func take(upTo wanted: Int, at now: Date) -> Int {
        let taken = min(available(at: now), max(wanted, 0))
        guard taken > 0 else { return 0 }
        nextUnit = earliest(unit(now)) + Int64(taken) * Self.unitsPerMessage
        return taken
    }

    /// The earliest unit that counts. Unused time that is older than the burst is lost. A message takes less than a
    /// second, so a unit further ahead was stored before the clock was set back, and is ignored.
    private func earliest(_ present: Int64) -> Int64 {
        let burst = Self.burstMilliseconds * Int64(perSecond)
        guard let nextUnit, nextUnit <= present + burst else { return present }
        return max(nextUnit, present - burst)
    }

    private func unit(_ date: Date) -> Int64 {
        // Rounded, because a Date is a fraction that is seldom exact. Limited to the year 4505, which fits into 64 bits
        // even at the highest rate.
        let milliseconds = min(max((date.timeIntervalSince1970 * 1_000).rounded(), 0), 80_000_000_000_000)
        return Int64(milliseconds) * Int64(perSecond)
    }
}
