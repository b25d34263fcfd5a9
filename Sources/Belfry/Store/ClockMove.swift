import BelfryModel
import Foundation
import GRDB

extension StoreChange {
    /// The device's clock was set: what was tracked by the former one waits from so much later on, or earlier.
    struct ClockMove: Sendable {
        /// Seconds; negative when it was set back.
        let jump: TimeInterval
        /// By the clock as it was set.
        let now: Date
    }
}

extension StoreChange.ClockMove {
    /// Changes since when events wait, and how old dead letters are, but not the time that they say: only their age goes by
    /// it. Those are left that may be of the clock as it was set, so that none is older for it.
    func apply(to db: Database) throws {
        let former = now.addingTimeInterval(-jump).milliseconds
        let move = now.milliseconds - former
        if move > 0 {
            let bound: StatementArguments = [move, former]
            try db.execute(sql: "UPDATE event SET tracked_at = tracked_at + ? WHERE tracked_at <= ?", arguments: bound)
            try db.execute(
                sql: "UPDATE set_aside SET tracked_at = tracked_at + ? WHERE tracked_at <= ?", arguments: bound
            )
        } else {
            // Else the first event, which is of the future, would keep all behind it from ever being too old.
            let bound: StatementArguments = [move, now.milliseconds]
            try db.execute(sql: "UPDATE event SET tracked_at = tracked_at + ? WHERE tracked_at > ?", arguments: bound)
            try db.execute(
                sql: "UPDATE set_aside SET tracked_at = tracked_at + ? WHERE tracked_at > ?", arguments: bound
            )
        }
    }
}
