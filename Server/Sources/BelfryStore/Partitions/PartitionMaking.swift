import BelfryModel
import Foundation

/// How to make the partition of a period beside the default partition (FLEET-3). An engine that adds a partition scans
/// the default partition for rows of the period, and all other transactions wait meanwhile, unless a constraint proves
/// that there are none.
package enum PartitionMaking: Hashable, Sendable {
    /// The most rows that are moved out of the default partition, since other transactions wait for it.
    package static let mostMoved = 10_000
    /// The most rows that are scanned, for the same reason.
    package static let mostLookedThrough = 100_000
    /// As long as the constraint exists, the default partition refuses rows of the period. So many milliseconds before
    /// the period begins, no device with a correct clock has such rows, even if a process has died and left the
    /// constraint behind.
    static let distance: Int64 = 86_400_000

    /// Make the partition directly; other transactions wait, but only for a moment.
    case atOnce
    /// Make and validate a constraint first; other transactions do not wait for that.
    case proven
    /// Make no partition: the rows stay in the default partition, and later rows of the period go there too.
    case left

    /// - Parameters:
    ///   - found: rows of the period in the default partition, counted up to one more than ``mostMoved``.
    ///   - rest: rows in the default partition, counted up to one more than ``mostLookedThrough``.
    package init(_ period: CalendarPeriod, at now: Date, found: Int, rest: Int) {
        if found <= Self.mostMoved, rest <= Self.mostLookedThrough {
            self = .atOnce
        } else if found == 0, period.start - now.milliseconds >= Self.distance {
            self = .proven
        } else {
            self = .left
        }
    }
}
