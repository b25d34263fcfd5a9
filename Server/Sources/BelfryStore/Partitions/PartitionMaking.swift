import BelfryModel
import Foundation

/// How the partition of a period is made beside the rest (FLEET-3): an engine that adds one looks through the rest for
/// rows of the period, and everybody waits meanwhile, unless a constraint of the rest proves that it has none.
package enum PartitionMaking: Hashable, Sendable {
    /// Rows that are moved out of the rest at most, since others wait for it.
    package static let mostMoved = 10_000
    /// Rows that are looked through at most, for the same reason.
    package static let mostLookedThrough = 100_000
    /// As long as the constraint is there the rest refuses rows of the period: so many milliseconds before it begins nobody
    /// has any whose clock is right, also when a process has died and left the constraint behind.
    static let distance: Int64 = 86_400_000

    /// Everybody waits for as long as it takes, which is a moment.
    case atOnce
    /// A constraint is made and validated before, and nobody waits for that.
    case proven
    /// The rows stay where they are, and those that come follow them.
    case left

    /// - Parameters:
    ///   - found: rows of the period in the rest, counted no further than ``mostMoved`` and one more.
    ///   - rest: rows in the rest, counted no further than ``mostLookedThrough`` and one more.
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
