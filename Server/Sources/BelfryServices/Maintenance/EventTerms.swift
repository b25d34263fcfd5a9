import BelfryStore
import Foundation

/// For how long the apps keep their events (EVT-7): what goes by rows, and what goes with its partition (FLEET-3).
struct EventTerms {
    /// For each app that keeps its events for a while only, the moment since which it keeps them.
    let limits: [Int64: Date]
    /// Of before that moment no app keeps anything; nil while one keeps its events for good, or there is no app.
    let over: Date?

    init(_ apps: [AppRecord], at now: Date) {
        limits = apps.reduce(into: [:]) { limits, app in
            guard let days = app.settings.eventRetentionDays else { return }
            limits[app.id] = now.addingTimeInterval(-Double(days) * 86_400)
        }
        over = limits.count == apps.count ? limits.values.min() : nil
    }

    /// The moments of before which events go one by one. Those of the longest term are left to the partition that goes
    /// within a week; those of shorter terms would have to wait for the longest one.
    ///
    /// - Parameter partitions: nil where the engine has none.
    func byRows(beside partitions: TablePartitions?) -> [Int64: Date] {
        guard let over, let partitions else { return limits }
        return limits.mapValues { $0 == over ? partitions.removedByRows(before: over) : $0 }
    }
}
