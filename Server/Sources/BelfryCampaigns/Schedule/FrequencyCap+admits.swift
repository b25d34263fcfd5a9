import BelfryModel
import BelfryServerModel
import Foundation

extension FrequencyCap {
    /// Messages before this moment do not count any more; one at it does not either.
    package func windowStart(now: Date) -> Date {
        now.addingTimeInterval(-within.seconds)
    }

    /// Whether one more message may leave now.
    ///
    /// - Parameter sent: when messages left to the same recipient, in any order.
    package func admits(sent: [Date], now: Date) -> Bool {
        let start = windowStart(now: now)
        return admits(count: sent.count { $0 > start && $0 <= now })
    }

    /// The same for whoever counted them.
    ///
    /// - Parameter count: messages after ``windowStart(now:)``.
    package func admits(count: Int) -> Bool {
        count < self.count
    }
}
