import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-3, FLEET-5: events in partitions by week where several servers hold them.
@Suite("Partitions on Citus", .enabled(if: TestCitus.isThere, TestCitus.reason))
struct CitusPartitionTests {
    private static let devices: ClosedRange<Int64> = 1...40
    private static let events = PartitionedTable.events

    private static func keep(
        _ database: any SQLDatabase, at now: Date, droppingBefore moment: Date = .distantPast
    ) async throws -> PartitionUpkeep {
        try await database.keepPartitions(of: .events, at: now, droppingBefore: moment)
    }

    /// Stores an event of each device.
    ///
    /// - Returns: which of them are new.
    private static func store(_ id: String, at moment: Date, in database: any SQLDatabase) async throws -> [Bool] {
        let new = try devices.map { device in
            NewEvent(
                Event(id: try EventID(id), kind: .custom, name: try EventName("n"), timestamp: moment), device: device,
                app: 1, contact: nil, at: moment, receivedAt: moment
            )
        }
        return try await database.write { try $0.events.insert(new) }
    }

    private static func names(_ database: any SQLDatabase) async throws -> [String]? {
        try await database.read { try $0.partitions(of: .events)?.parts?.map(\.name) }
    }

    private static func count(_ table: SQLText, _ database: any SQLDatabase) async throws -> Int64? {
        try await database.read { try $0.first("SELECT count(*) FROM \(table)", []) { $0.integer(0) } }
    }

    /// How many tables and indexes all workers together have of the first partition.
    private static func left(_ database: any SQLDatabase) async throws -> Int64? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT CAST(sum(CAST(result AS BIGINT)) AS BIGINT) FROM run_command_on_workers(format(
                    'SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = %L AND starts_with(c.relname, ''events_first'')', current_schema()))
                """,
                []
            ) { $0.integer(0) }
        }
    }

    @Test(
        """
        FLEET-3, FLEET-5: distributed events are divided, and divided ones distributed; then weeks are made, hold their \
        events, are read alone, and are gone from all servers when they are dropped
        """,
        .timeLimit(.minutes(10)), arguments: [false, true]
    )
    func weeks(isDividedBefore: Bool) async throws {
        let citus = try TestCitus()
        let epoch = ServiceWorld.epoch
        _ = try await Self.store("first", at: epoch, in: citus.database)
        if isDividedBefore {
            #expect(try await Self.keep(citus.database, at: epoch).isDivided)
        }
        _ = try citus.distribute(copyingRows: true)
        let entered = try citus.enter()
        defer { try? entered.close() }
        let database = entered.database
        #expect(try await Self.keep(database, at: epoch).isDivided == !isDividedBefore)
        #expect(try await Self.names(database) == ["events_first", "events_rest"])
        #expect(try await Self.count("events_first", database) == 40)
        // Nobody has made a week for a quarter of a year, so the rest takes the events until their week gets its own.
        let later = epoch.addingTimeInterval(120 * 86_400)
        let stored = try await Self.store("later", at: later, in: database)
        let again = try await Self.store("first", at: epoch, in: database)
        #expect(stored == [Bool](repeating: true, count: 40) && again == [Bool](repeating: false, count: 40))
        #expect(try await Self.count("events_rest", database) == 40)
        #expect(try await Self.keep(database, at: later).made == 9)
        let period = CalendarPeriod(.week, of: later.milliseconds)
        let week = Self.events.partition(of: period)
        #expect(try await Self.count("events_rest", database) == 0)
        #expect(try await Self.count(week, database) == 40)
        let known = try await Self.store("later", at: later, in: database)
        #expect(known == [Bool](repeating: false, count: 40))
        let plan = try await database.read { connection in
            try connection.query(
                """
                EXPLAIN SELECT count(*) FROM events
                WHERE received_at >= \(period.start) AND received_at < \(period.end)
                """,
                []
            ) { $0.text(0) }.joined(separator: "\n")
        }
        #expect(plan.contains(week.statement) && !plan.contains("events_first"), "\(plan)")
        let before = try #require(try await Self.left(database))
        #expect(before > 0)
        let dropped = try await Self.keep(database, at: later, droppingBefore: Date(milliseconds: period.start))
        #expect(dropped.dropped == 1 && !dropped.isHeldUp)
        #expect(try await Self.left(database) == 0)
        #expect(try await Self.count("events", database) == 40)
    }
}
