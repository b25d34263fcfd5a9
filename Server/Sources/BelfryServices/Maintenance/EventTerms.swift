import BelfryStore
import Foundation

/// How long the apps keep their events (EVT-7): which events are deleted by rows, and which with their partition
/// (FLEET-3).
struct EventTerms {
    /// For each app that deletes its events after a term: the date before which they are deleted.
    let limits: [Int64: Date]
    /// The date before which no app keeps any event. Nil while an app keeps its events for good, or when there is no
    /// app.
    let over: Date?

    init(_ apps: [AppRecord], at now: Date) {
        limits = apps.reduce(into: [:]) { limits, app in
            guard let days = app.settings.eventRetentionDays else { return }
            limits[app.id] = now.addingTimeInterval(-Double(days) * 86_400)
        }
        over = limits.count == apps.count ? limits.values.min() : nil
    }

    /// The dates before which events are deleted row by row. Events of the longest term are left to the partition,
    /// which is dropped within a week. Events of shorter terms would have to wait for the longest one.
    ///
    /// - Parameter partitions: nil where the engine has none.
    func byRows(beside partitions: TablePartitions?) -> [Int64: Date] {
        guard let over, let partitions else { return limits }
        return limits.mapValues { $0 == over ? partitions.removedByRows(before: over) : $0 }
    }
}
