import BelfryCampaigns
import BelfryServerModel
import Foundation

/// A notification that counts against frequency caps (CAMP-5) in virtual time.
struct CountedPush: Hashable, Sendable {
    /// The time from which it counts.
    let at: Date
    /// The time from which it no longer counts, because the send in progress has ended; nil if it counts until the
    /// period is over.
    var until: Date?

    func counts(at date: Date) -> Bool {
        guard let until else { return true }
        return date < until
    }
}

extension FrequencyCap {
    /// Whether one more message may be sent now.
    ///
    /// - Parameter pushes: the pushes to the same recipient, in any order.
    func admits(_ pushes: [CountedPush], now: Date) -> Bool {
        admits(sent: pushes.filter { $0.counts(at: now) }.map(\.at), now: now)
    }
}
