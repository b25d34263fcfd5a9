import BelfryModel
import BelfryServerModel
import Foundation

extension FrequencyCap {
    /// The beginning of the period. Messages at or before this time do not count any more.
    package func windowStart(now: Date) -> Date {
        now.addingTimeInterval(-within.seconds)
    }

    /// Whether one more message may be sent now.
    ///
    /// - Parameter sent: when messages were sent to the same recipient, in any order.
    package func admits(sent: [Date], now: Date) -> Bool {
        let start = windowStart(now: now)
        return admits(count: sent.count { $0 > start && $0 <= now })
    }

    /// Whether one more message may be sent now, for a caller that has counted.
    ///
    /// - Parameter count: the number of messages after ``windowStart(now:)``.
    package func admits(count: Int) -> Bool {
        count < self.count
    }
}
