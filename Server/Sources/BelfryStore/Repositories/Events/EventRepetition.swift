import BelfryModel
import Foundation

/// When the first copy of an event may have been received in another week than this one (EVT-3).
///
/// Where `events` is in partitions by week of receipt (FLEET-3), its key is one of each partition, and refuses a repetition
/// within a week alone. A first copy from another week is asked for before, and only for events that may have one: what has
/// happened in the week under way has none. Whether the table is divided by now is not asked: the upkeep of any process may do
/// that at any moment, once the locks of others let it.
package enum EventRepetition {
    /// In milliseconds: longer than clocks differ and than a write takes. So close to the end of a week two copies may be
    /// on their way into two of them, and both are asked for: of two writes that ask for each other one runs again.
    package static let margin: Int64 = 600_000

    /// - Parameters:
    ///   - deviceAt: its time by the device's clock.
    ///   - at: its time by the server's clock (EVT-9). One that is still to come is of a clock that was wrong.
    package static func mayBeOfAnotherWeek(deviceAt: Date, at: Date, receivedAt: Date) -> Bool {
        let received = receivedAt.milliseconds
        let week = CalendarPeriod(.week, of: received)
        return min(deviceAt, at).milliseconds < week.start + margin || received >= week.end - margin
            || at.milliseconds > received + margin
    }
}

extension EventRepository {
    /// The device and the id are its arguments.
    package static let storedQuery = KeyedQuery { asked in
        "SELECT 1 FROM events WHERE device_id = \(asked(.integer)) AND event_id = \(asked(.text))"
    }

    /// Those of some events that are there already, among those that may have been received in another week. An engine
    /// without partitions has one key for all, which refuses them.
    func stored(_ events: [NewEvent]) throws -> Set<NewEvent.Key> {
        guard connection.dialect.partitions != nil else { return [] }
        let asked = Array(Set(events.lazy.filter { $0.mayBeOfAnotherWeek }.map { $0.key }))
        guard !asked.isEmpty else { return [] }
        let found = try connection.queryEach(Self.storedQuery, asked.map(\.arguments)) { $0.flag(0) }
        return Set(zip(asked, found).filter { !$0.1.isEmpty }.map { $0.0 })
    }
}
