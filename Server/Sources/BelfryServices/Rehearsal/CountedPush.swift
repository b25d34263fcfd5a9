import BelfryCampaigns
import BelfryServerModel
import Foundation

/// A notification that counts against frequency caps (CAMP-5) in virtual time.
struct CountedPush: Hashable, Sendable {
    /// As of when it counts.
    let at: Date
    /// From then on it does not: a send that was under way has ended. Nil: nothing ends it.
    var until: Date?

    func counts(at date: Date) -> Bool {
        guard let until else { return true }
        return date < until
    }
}

extension FrequencyCap {
    /// Whether one more message may leave now.
    ///
    /// - Parameter pushes: those to the same recipient, in any order.
    func admits(_ pushes: [CountedPush], now: Date) -> Bool {
        admits(sent: pushes.filter { $0.counts(at: now) }.map(\.at), now: now)
    }
}
