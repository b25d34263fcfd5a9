import BelfryModel
import Foundation

/// Decides whether the first copy of an event may have been received in another week than this one (EVT-3).
///
/// If `events` is partitioned by week of receipt (FLEET-3), its key is unique only within a partition, so it detects
/// only repetitions within a week. A first copy from another week is searched before the insert, and only for events
/// that may have one: an event that happened in the current week has none. This does not depend on whether the table is
/// already divided: any process may divide it at any moment, as soon as other locks allow.
package enum EventRepetition {
    /// In milliseconds: longer than clocks differ and than a write takes. This close to the end of a week, two copies
    /// may be about to be stored in different weeks, so each write searches for the other copy. If two writes search
    /// for each other, the database runs one of them again.
    package static let margin: Int64 = 600_000

    /// - Parameters:
    ///   - deviceAt: the event's time by the device's clock.
    ///   - at: the event's time by the server's clock (EVT-9). A time in the future comes from a wrong clock.
    package static func mayBeOfAnotherWeek(deviceAt: Date, at: Date, receivedAt: Date) -> Bool {
        let received = receivedAt.milliseconds
        let week = CalendarPeriod(.week, of: received)
        return min(deviceAt, at).milliseconds < week.start + margin || received >= week.end - margin
            || at.milliseconds > received + margin
    }
}

extension EventRepository {
    /// The key is the device and the id.
    package static let storedQuery = KeyedQuery { asked in
        "SELECT 1 FROM events WHERE device_id = \(asked(.integer)) AND event_id = \(asked(.text))"
    }

    /// The given events that are already stored, among those that may have been received in another week. An engine
    /// without partitions has one key for the whole table, which detects all repetitions.
    func stored(_ events: [NewEvent]) throws -> Set<NewEvent.Key> {
        guard connection.dialect.partitions != nil else { return [] }
        let asked = Array(Set(events.lazy.filter { $0.mayBeOfAnotherWeek }.map { $0.key }))
        guard !asked.isEmpty else { return [] }
        let found = try connection.queryEach(Self.storedQuery, asked.map(\.arguments)) { $0.flag(0) }
        return Set(zip(asked, found).filter { !$0.1.isEmpty }.map { $0.0 })
    }
}
