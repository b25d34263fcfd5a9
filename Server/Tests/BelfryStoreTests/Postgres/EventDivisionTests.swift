import BelfryModel
import BelfryServerTestSupport
import Foundation
import Synchronization
import Testing

@testable import BelfryStore

/// FLEET-3: how events come into partitions by week, and stay so. The clock of these tests stands on Saturday, 21 November
/// 2026, so the first partition goes until 18 January 2027.
@Suite("Events are divided, on PostgreSQL")
struct EventDivisionTests {
    static let whole = ["events_first", "events_rest"]

    private static func moment(_ text: String) throws -> Date { try #require(Timestamp.date(text)) }

    @discardableResult
    static func keep(
        _ database: any SQLDatabase, at now: Date = storeEpoch, droppingBefore moment: Date = .distantPast
    ) async throws -> PartitionUpkeep {
        try await database.keepPartitions(of: .events, at: now, droppingBefore: moment)
    }

    static func new(_ id: String, device: Int64 = 1, at: Date, receivedAt: Date? = nil) throws -> NewEvent {
        NewEvent(
            try event(id, at: at), device: device, app: 1, contact: nil, at: at, receivedAt: receivedAt ?? at
        )
    }

    /// - Returns: which of them are new.
    @discardableResult
    static func store(_ events: [NewEvent], in database: any SQLDatabase) async throws -> [Bool] {
        try await database.write { try $0.events.insert(events) }
    }

    static func number(_ database: any SQLDatabase, _ sql: SQLText) async throws -> Int64 {
        try await database.read { try $0.first(sql, []) { $0.integer(0) } ?? -1 }
    }

    private static func found(_ database: any SQLDatabase) async throws -> TablePartitions {
        try #require(try await database.read { try $0.partitions(of: .events) })
    }

    /// Nil: the table is in one piece.
    static func names(_ database: any SQLDatabase) async throws -> [String]? {
        try await found(database).parts?.map(\.name)
    }

    /// How many constraints of a division are there.
    static let bounds: SQLText = """
        SELECT count(*) FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
        WHERE n.nspname = current_schema() AND c.conname = 'events_end'
        """

    @Test("FLEET-3, STO-5: the events of a database of the version before are divided where they lie, and known again")
    func upgrade() async throws {
        let first = try #require(PartitionedTable.events.firstSchema)
        let formers = SchemaDump.all.filter { $0.engine == .postgres && $0.version < first }
        let dump = try #require(formers.last)
        let former = try await dump.store()
        let store = try former.another()
        defer { try? store.close() }
        let database = store.database
        #expect(try await Self.names(database) == nil, "The migration divides nothing.")
        let (count, file) = (
            try await Self.number(database, "SELECT count(*) FROM events"),
            try await Self.number(database, "SELECT pg_relation_filenode('events')")
        )
        #expect(try await Self.keep(database).isDivided)
        #expect(try await Self.names(database) == Self.whole)
        #expect(try await Self.number(database, "SELECT pg_relation_filenode('events_first')") == file)
        #expect(try await Self.number(database, "SELECT count(*) FROM events") == count)
        #expect(try await Self.number(database, Self.bounds) == 0)
        // It has those of before by its key alone, and asks for those of another week.
        let later = try Self.moment("2027-01-20T00:00:00Z")
        let isNew = try await Self.store(
            [
                try Self.new("e-1", at: storeEpoch), try Self.new("e-2", at: storeEpoch, receivedAt: later),
                try Self.new("e-1", device: 2, at: storeEpoch, receivedAt: later), try Self.new("e-3", at: later),
            ],
            in: database
        )
        #expect(isNew == [false, false, false, true])
        #expect(try await Self.keep(database) == PartitionUpkeep())
    }

    /// How far a process has come that stores events until it is told that it is over.
    private final class Progress: Sendable {
        let written = Mutex(0)
        private let state = Mutex(false)

        var isOver: Bool { state.withLock { $0 } }

        /// Nobody stores, or waits, any more: also where one of the two has failed.
        func end() { state.withLock { $0 = true } }

        /// Waits until so many were stored.
        func reach(_ count: Int) async {
            while !isOver, written.withLock({ $0 < count }) { await Task.yield() }
        }
    }

    @Test(
        "FLEET-3, FLEET-1: events are divided while another process stores some, and none is lost or stored twice",
        .timeLimit(.minutes(10))
    )
    func beside() async throws {
        let store = try TestStore(.postgres)
        let other = try store.another()
        defer { try? other.close() }
        // Of the last weeks.
        let old = try (0..<300).map { try Self.new("old\($0)", at: seconds(-86_400 * Double($0))) }
        try await Self.store(old, in: store.database)
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { progress.end() }
            group.addTask {
                defer { progress.end() }
                // By statements that were prepared before. Each event comes twice.
                while !progress.isOver {
                    let number = progress.written.withLock { $0 }
                    let new = try Self.new("new\(number)", at: storeEpoch)
                    #expect(try await Self.store([new], in: other.database) == [true])
                    #expect(try await Self.store([new], in: other.database) == [false])
                    progress.written.withLock { $0 += 1 }
                }
            }
            await progress.reach(5)
            var isDivided = false
            // Its writes may be in the way for a moment.
            while !isDivided { isDivided = try await Self.keep(store.database).isDivided }
            let before = progress.written.withLock { $0 }
            await progress.reach(before + 5)
            progress.end()
            try await group.waitForAll()
        }
        #expect(try await Self.names(store.database) == Self.whole)
        let count = Int64(300 + progress.written.withLock { $0 })
        #expect(try await Self.number(store.database, "SELECT count(*) FROM events") == count)
        #expect(try await Self.store(old, in: store.database).contains(true) == false)
    }

    /// Word for word, for a later program may ask otherwise.
    @Test("FLEET-3, FLEET-1: what a program of version 28 asks of events, it may ask of divided ones")
    func statementsOf28() async throws {
        let store = try TestStore(.postgres)
        try await Self.store([try Self.new("a", at: storeEpoch)], in: store.database)
        try await Self.keep(store.database)
        let inserted = try await store.write { connection in
            let values: [[SQLValue]] = ["a", "b"].map { id in
                [
                    .integer(1), .text(id), .integer(1), .null, .text("custom"), .text("n"), .date(storeEpoch), .null,
                    .date(storeEpoch), .null, .text("{}"),
                ]
            }
            return try values.map { values in
                try connection.execute(
                    """
                    INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, device_at, received_at,
                        session_id, attributes)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                    """,
                    values
                )
            }
        }
        #expect(inserted == [0, 1])
        // Its upkeep removes by rows what goes with no partition.
        let end = seconds(1)
        let removed = try await store.write { connection in
            try connection.execute(
                """
                DELETE FROM events WHERE (device_id, event_id) IN (
                    SELECT device_id, event_id FROM events WHERE device_id BETWEEN ? AND ? AND received_at < ?
                        AND received_at < CASE app_id WHEN ? THEN ? END LIMIT ?) AND received_at < ?
                """,
                [.integer(1), .integer(9), .date(end), .integer(1), .date(end), .integer(9), .date(end)]
            )
        }
        #expect(removed == 2)
    }

    @Test("FLEET-3: without a partition of its week an event is stored all the same, and moves when its week gets one")
    func missing() async throws {
        let store = try TestStore(.postgres)
        let database = store.database
        try await Self.keep(database)
        #expect(try await Self.found(database).missing(at: storeEpoch).isEmpty)
        // For a quarter of a year nobody has looked, and another server's clock is years ahead.
        let march = try Self.moment("2027-03-10T12:00:00Z")
        let far = try Self.moment("2099-01-01T00:00:00Z")
        let isNew = try await Self.store([try Self.new("a", at: march), try Self.new("b", at: far)], in: database)
        #expect(isNew == [true, true])
        #expect(try await Self.number(database, "SELECT count(*) FROM events_rest") == 2)
        let overdue = try await Self.found(database).overdue(at: march).map(\.description)
        #expect(overdue.count == 8 && overdue.first == "2027-03-08" && overdue.last == "2027-04-26")
        #expect(try await Self.keep(database, at: march).made == 9)
        #expect(try await Self.found(database).missing(at: march).isEmpty)
        #expect(try await Self.number(database, "SELECT count(*) FROM events_2027_03_08") == 1)
        #expect(try await Self.number(database, "SELECT count(*) FROM events_rest") == 1)
        // Their keys are there, too.
        let again = try await Self.store([try Self.new("a", at: march), try Self.new("b", at: far)], in: database)
        #expect(again == [false, false])
        // Without the rest as well, for an hour.
        _ = try await store.write { try $0.execute("DROP TABLE events_rest") }
        #expect(try await Self.store([try Self.new("c", at: march)], in: database) == [true])
        try await Self.keep(database, at: march)
        #expect(try await Self.found(database).hasRest)
    }

    @Test("FLEET-3, EVT-3: an event that comes again weeks later is known, in whichever partition its first copy lies")
    func repetitions() async throws {
        let store = try TestStore(.postgres)
        let database = store.database
        try await Self.keep(database)
        try await Self.keep(database, at: try Self.moment("2027-01-15T00:00:00Z"))
        let receipts = [
            storeEpoch, try Self.moment("2027-01-19T10:00:00Z"), try Self.moment("2027-01-26T10:00:00Z"),
            try Self.moment("2027-02-03T10:00:00Z"),
        ]
        let first = try receipts.enumerated().map { try Self.new("e\($0)", at: $1) }
        #expect(try await Self.store(first, in: database) == [true, true, true, true])
        let parts = try await store.read { connection in
            try connection.query("SELECT tableoid::regclass::text FROM events ORDER BY received_at", []) { $0.text(0) }
        }
        #expect(Set(parts).count == 4, "\(parts)")
        let last = try Self.moment("2027-02-10T10:00:00Z")
        let again = try receipts.enumerated().map { try Self.new("e\($0)", at: $1, receivedAt: last) }
        #expect(try await Self.store(again, in: database) == [false, false, false, false])
        #expect(try await Self.number(database, "SELECT count(*) FROM events") == 4)
    }

    @Test("FLEET-3, EVT-7: a week is dropped once the moment is behind all of it, and no other")
    func retention() async throws {
        let store = try TestStore(.postgres)
        let database = store.database
        try await Self.store([try Self.new("a", at: storeEpoch)], in: database)
        try await Self.keep(database)
        let now = try Self.moment("2027-01-20T00:00:00Z")
        try await Self.keep(database, at: now)
        let week = try Self.moment("2027-01-25T00:00:00Z")
        try await Self.store([try Self.new("b", at: now), try Self.new("c", at: week)], in: database)
        #expect(try await Self.keep(database, at: now, droppingBefore: storeEpoch).dropped == 0)
        let end = try Self.moment("2027-01-18T00:00:00Z")
        #expect(try await Self.keep(database, at: now, droppingBefore: end.addingTimeInterval(-0.001)).dropped == 0)
        #expect(try await Self.keep(database, at: now, droppingBefore: end).dropped == 1)
        #expect(try await Self.keep(database, at: now, droppingBefore: week).dropped == 1)
        let left = try await store.read { try $0.query("SELECT event_id FROM events", []) { $0.text(0) } }
        #expect(left == ["c"])
        let names = try #require(try await Self.names(database))
        #expect(!names.contains("events_first") && !names.contains("events_2027_01_18"))
        // What a clock that was set back receives has no partition any more, and a place.
        #expect(try await Self.store([try Self.new("d", at: storeEpoch)], in: database) == [true])
    }

    @Test("FLEET-3, CAMP-3: an audience by events of a period is looked for in the partitions that may have some")
    func audiences() async throws {
        let fixture = try await AudienceFixture(
            .postgres, schema: [:], people: [Person(name: "anna", attributes: [:])], isRecycled: false)
        let database = fixture.store.database
        try await Self.keep(database)
        let now = try Self.moment("2027-02-20T00:00:00Z")
        for text in ["2027-01-18T00:00:00Z", "2027-02-20T00:00:00Z"] {
            try await Self.keep(database, at: try Self.moment(text))
        }
        /// What of a clause's plan names partitions.
        func plan(_ within: String?) async throws -> String {
            let period = try within.map { try ISODuration($0) }
            return try await fixture.store.ask { asked in
                let connection = asked.connection
                let audience = try connection.audienceSQL(app: 1, now: now)
                    .compile(.event(EventClause(name: "purchase", within: period)))
                let count = AudienceRepository.count(
                    app: 1, audience: audience, devices: 1...50_000, candidates: nil)
                return try connection.query("EXPLAIN \(count.sql)", count.arguments) { $0.text(0) }
                    .joined(separator: "\n")
            }
        }
        let all = try await plan(nil)
        #expect(all.contains("events_first") && all.contains("events_2027_02_15"), "\(all)")
        let lately = try await plan("P7D")
        #expect(!lately.contains("events_first") && !lately.contains("events_2027_02_01"), "\(lately)")
        #expect(lately.contains("events_2027_02_08") && lately.contains("events_2027_02_15"), "\(lately)")
    }

    @Test(
        "FLEET-3, FLEET-5: where several servers hold the events, the divided table and each week get their place there"
    )
    func distributed() async throws {
        let store = try await CitusStandIn.store()
        // What is asked here of the stand-in is nothing to try on a cluster.
        let entered = try Engine.postgres.open(at: store.place, statements: nil)
        defer { try? entered.close() }
        let march = try Self.moment("2027-03-10T12:00:00Z")
        #expect(try await Self.keep(entered.database).isDivided)
        try await Self.store([try Self.new("a", at: march)], in: entered.database)
        #expect(try await Self.keep(entered.database, at: march).made == 9)
        #expect(try await entered.database.keepPartitions(of: .auditLog, at: march, droppingBefore: march).isDivided)
        let placed = try await store.read { connection in
            try connection.query(
                "SELECT logicalrelid::text, neighbour FROM pg_dist_partition WHERE partkey = 'device_id'", []
            ) { "\($0.text(0)) beside \($0.text(1))" }
        }
        // Citus places by itself what is made as a partition from the start: the rest.
        let weeks = PartitionedTable.events.wanted(at: march).map { week in
            "\(PartitionedTable.events.partition(of: week).statement) beside events"
        }
        #expect(Set(placed) == Set(["events beside events_first"] + weeks))
        #expect(try await Self.number(store.database, "SELECT count(*) FROM events_2027_03_08") == 1)
        #expect(try await Self.number(store.database, "SELECT count(*) FROM events_rest") == 0)
    }

    @Test("FLEET-3, CLI-2: whoever stops ends a division, and everything is as before")
    func cancelled() async throws {
        let store = try TestStore(.postgres)
        let database = store.database
        try await Self.store([try Self.new("a", at: storeEpoch)], in: database)
        let stopped = Task {
            while !Task.isCancelled { await Task.yield() }
            try await Self.keep(database)
        }
        stopped.cancel()
        await #expect(throws: CancellationError.self) { try await stopped.value }
        #expect(try await Self.names(database) == nil)
        #expect(try await Self.number(database, Self.bounds) == 0)
        #expect(try await Self.keep(database).isDivided)
    }

    @Test("FLEET-3: beside a rest that holds much a week is made before it begins")
    func largeRest() async throws {
        let store = try TestStore(.postgres)
        let database = store.database
        try await Self.keep(database)
        let far = try Self.moment("2099-01-01T00:00:00Z")
        _ = try await store.write { connection in
            try connection.execute(
                """
                INSERT INTO events (device_id, event_id, app_id, kind, name, at, received_at, attributes)
                SELECT n, 'e', 1, 'custom', 'n', 0, ?, '{}' FROM generate_series(1, ?) n
                """,
                [.date(far), .integer(PartitionMaking.mostLookedThrough + 1)]
            )
        }
        let january = try Self.moment("2027-01-10T00:00:00Z")
        let made = try await Self.keep(database, at: january).made
        #expect(made == 7)
        #expect(try await Self.found(database).missing(at: january).isEmpty)
        let march = try Self.moment("2027-03-03T00:00:00Z")
        #expect(try await Self.store([try Self.new("a", at: march)], in: database) == [true])
        #expect(try await Self.number(database, "SELECT count(*) FROM events_2027_03_01") == 1)
    }
}
