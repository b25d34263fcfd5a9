import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-3: what the repositories ask of events in partitions by week of receipt. How they come into them is in
/// ``EventDivisionTests``.
@Suite("Events in partitions, on PostgreSQL")
struct EventPartitionTests {
    private static let week = CalendarPeriod(.week, of: storeEpoch.milliseconds)
    /// The first moment of the next week.
    private static let monday = Date(milliseconds: week.end)

    /// Until that moment one partition has them, and another one from then on.
    private static func divided() async throws -> TestStore {
        let store = try TestStore(.postgres)
        let statements: [SQLText] = [
            "ALTER TABLE events RENAME TO events_first",
            "CREATE TABLE events (LIKE events_first INCLUDING DEFAULTS) PARTITION BY RANGE (received_at)",
            "ALTER TABLE events ATTACH PARTITION events_first FOR VALUES FROM (MINVALUE) TO (\(week.end))",
            "CREATE TABLE events_later (LIKE events_first INCLUDING ALL)",
            "ALTER TABLE events ATTACH PARTITION events_later FOR VALUES FROM (\(week.end)) TO (MAXVALUE)",
        ]
        try await store.write { connection in
            for statement in statements { try connection.execute(statement) }
        }
        return store
    }

    private static func new(_ id: String, device: Int64 = 1, at: Date, receivedAt: Date) throws -> NewEvent {
        NewEvent(try event(id, at: at), device: device, app: 1, contact: 4, at: at, receivedAt: receivedAt)
    }

    private static func number(_ store: TestStore, _ sql: SQLText) async throws -> Int64 {
        try await store.read { try $0.first(sql, []) { $0.integer(0) } ?? -1 }
    }

    @Test("EVT-3, FLEET-3: an event is stored once, though its copies come in two weeks, together or alone")
    func acrossWeeks() async throws {
        let store = try await Self.divided()
        let (before, after) = (Self.monday.addingTimeInterval(-3_600), Self.monday.addingTimeInterval(3_600))
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        let inserted = try await store.write { connection in
            let earlier = try ["a", "b", composed].map { try Self.new($0, at: before, receivedAt: before) }
            let together = [
                try Self.new("c", at: after, receivedAt: after), try Self.new("a", at: before, receivedAt: after),
                try Self.new("d", at: before, receivedAt: after), try Self.new("a", at: before, receivedAt: after),
                try Self.new("c", at: after, receivedAt: after), try Self.new("d", at: before, receivedAt: after),
                try Self.new("a", device: 2, at: before, receivedAt: after),
                try Self.new(decomposed, at: before, receivedAt: after),
                try Self.new(composed, at: before, receivedAt: after),
            ]
            return [
                try connection.events.insert(earlier), try connection.events.insert(together),
                try connection.events.insert([try Self.new("b", at: before, receivedAt: after)]),
                try connection.events.insert([try Self.new("c", at: after, receivedAt: after)]),
                try connection.events.insert([try Self.new("e", at: after, receivedAt: after)]),
            ]
        }
        #expect(inserted[0] == [true, true, true])
        #expect(inserted[1] == [true, false, true, false, false, false, true, true, false])
        #expect(inserted[2...] == [[false], [false], [true]])
        #expect(try await Self.number(store, "SELECT count(*) FROM events_first") == 3)
        #expect(try await Self.number(store, "SELECT count(*) FROM events_later") == 5)
    }

    @Test(
        "EVT-3, STO-2: of two copies that two processes store at once, on both sides of a week's end, one is new",
        .timeLimit(.minutes(10))
    )
    func atOnce() async throws {
        let store = try await Self.divided()
        let other = try store.another()
        defer { try? other.close() }
        let (sunday, monday) = (Self.monday.addingTimeInterval(-1), Self.monday.addingTimeInterval(1))
        let old = try Self.new("a", at: sunday, receivedAt: sunday)
        let young = try Self.new("a", at: sunday, receivedAt: monday)
        let (begun, announcement) = AsyncStream<Void>.makeStream()
        let release = Handover<Bool>()
        async let first = store.write { connection -> [Bool] in
            let isNew = try connection.events.insert([old])
            announcement.finish()
            _ = release.wait()
            return isNew
        }
        for await _ in begun {}
        let second = try? await other.database.write { try $0.events.insert([young]) }
        release.give(true)
        let inserted = try await first
        #expect(inserted == [false] && second == [true])
        #expect(try await Self.number(store, "SELECT count(*) FROM events") == 1)
    }

    @Test("FLEET-3: lists, moves, retention and erasure of events take all partitions for one table")
    func statements() async throws {
        let store = try await Self.divided()
        let moments = (0..<6).map { Self.monday.addingTimeInterval(Double($0 - 3) * 86_400) }
        try await store.write { connection in
            for (number, moment) in moments.enumerated() {
                _ = try connection.events.insert(
                    try event("e\(number)", at: moment), device: 1, app: 1, contact: 4, now: moment
                )
            }
        }
        #expect(try await Self.number(store, "SELECT count(*) FROM events_later") == 3)
        var seen: [EventRow] = []
        while seen.count < 100 {
            let cursor = seen.last.map { (at: $0.at.milliseconds, id: $0.eventID) }
            let page = try await store.read { try $0.events.ofDevice(1, before: cursor, limit: 2) }
            if page.isEmpty { break }
            seen += page
        }
        #expect(seen.map(\.eventID) == ["e5", "e4", "e3", "e2", "e1", "e0"])
        try await store.write { try $0.eventMoves.begin(of: 1, from: 4, to: 5) }
        #expect(try await Self.number(store, "SELECT count(*) FROM events WHERE contact_id = 5") == 6)
        let removed = try await store.write { connection in
            try (0..<3).map { _ in
                try connection.housekeeping.deleteEvents(of: 1...1, before: [1: Self.monday], limit: 2).count
            }
        }
        #expect(removed == [2, 1, 0])
        let erased = try await store.write { connection -> Int in
            var room = MoveRoom.atOnce
            return try connection.events.deleteSome(of: 1, contact: 5, from: nil, in: &room).count
        }
        #expect(erased == 3)
    }

    @Test("FLEET-3, EVT-7: retention looks for events in the partitions that may have some old enough")
    func prunes() async throws {
        let store = try await Self.divided()
        let moment = SQLValue.date(Self.monday.addingTimeInterval(-86_400))
        let plans = try await store.read { connection in
            [
                try connection.plan(
                    of: HousekeepingRepository.expiredEventsSQL(apps: 1),
                    [.integer(1), .integer(100), moment, .integer(1), moment, .integer(9)], .postgres
                ),
                try connection.plan(
                    of: HousekeepingRepository.deleteEventSQL, [.integer(1), .text("e1"), moment], .postgres
                ),
            ]
        }
        for plan in plans {
            let steps = plan.split(separator: "\n").filter { !$0.contains("Delete on") }.joined(separator: "\n")
            #expect(steps.contains("events_first") && !steps.contains("events_later"), "\(plan)")
        }
    }
}
