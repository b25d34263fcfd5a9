import BelfryModel
import Foundation
import GRDB

extension StoreChange {
    /// The device's clock was set: the tracking times of waiting events are moved by the same amount.
    struct ClockMove: Sendable {
        /// The change in seconds; negative when the clock was set back.
        let jump: TimeInterval
        /// The present time by the new clock.
        let now: Date
    }
}

extension StoreChange.ClockMove {
    /// Moves the times since when events wait and dead letters exist, by which their age is measured, but not the
    /// timestamps in the events. Times that may already be by the new clock are not moved, so that nothing becomes
    /// older because of this.
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
            // Otherwise the first event, whose time is in the future, would keep all later ones from ever becoming too
            // old.
            let bound: StatementArguments = [move, now.milliseconds]
            try db.execute(sql: "UPDATE event SET tracked_at = tracked_at + ? WHERE tracked_at > ?", arguments: bound)
            try db.execute(
                sql: "UPDATE set_aside SET tracked_at = tracked_at + ? WHERE tracked_at > ?", arguments: bound
            )
        }
    }
}
