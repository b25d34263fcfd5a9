import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-5: how a program goes about a database that several servers hold together. The stand-in shows what it asks; what a
/// cluster answers is tried by the tests on Citus.
struct DistributedDatabaseTests {
    private static func isDistributed(_ database: any SQLDatabase) async throws -> Bool {
        try await database.read { $0.dialect.isDistributed }
    }

    @Test("FLEET-5: a program knows from the catalog whether a database is distributed", arguments: Engine.allCases)
    func known(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let before = try await Self.isDistributed(store.database)
        #expect(!before)
        guard engine == .postgres else { return }
        // Citus alone distributes nothing.
        try await store.write { try CitusStandIn.install($0) }
        let beside = try await store.reopened { $0.dialect.isDistributed }
        #expect(!beside)
        try await store.write { try CitusStandIn.placeDevices($0) }
        let entered = try store.another()
        let reading = try await Self.isDistributed(entered.database)
        let writing = try await entered.database.write { $0.dialect.isDistributed }
        try entered.close()
        #expect(reading && writing)
        // Whoever entered it before has asked, and asks no more.
        let former = try await Self.isDistributed(store.database)
        #expect(!former)
    }

    private static func planning(_ database: any SQLDatabase) async throws -> String? {
        try await database.read { try $0.first("SELECT current_setting('plan_cache_mode')", []) { $0.text(0) } }
    }

    @Test("FLEET-5: statements are planned by their values, which say what servers are asked, and on one server once")
    func plans() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let modes = [try await Self.planning(store.database), try await Self.planning(entered.database)]
        #expect(modes == ["force_generic_plan", "auto"])
    }

    /// The address of a program has its searched schemas, and others may be allowed to make tables there.
    @Test("FLEET-5: a table with the name of Citus' catalog, but not in its place, makes no database a distributed one")
    func foreignTable() async throws {
        let store = try await CitusStandIn.store()
        let settings = PostgresSettings(
            address: try TestPostgres.address(schema: store.place.lastPathComponent), connections: 3,
            questions: .patient, now: { Date() }, jitter: { 0.5 }
        )
        let entered = try PostgresDatabase(settings)
        let isDistributed = try await Self.isDistributed(entered)
        entered.close()
        // Nor does one that cannot be read as the catalog keep a program out.
        try await store.write { connection in
            try connection.execute("DROP TABLE pg_dist_partition")
            try connection.execute("CREATE TABLE pg_dist_partition (name TEXT)")
        }
        let again = try PostgresDatabase(settings)
        let isDistributedThen = try await Self.isDistributed(again)
        again.close()
        #expect(!isDistributed && !isDistributedThen)
    }

    /// Above a place and so many of them, the first first.
    private static let next = KeyedQuery { asked in
        "SELECT place FROM marks WHERE name = \(asked(.text)) AND place > \(asked(.integer)) ORDER BY place LIMIT 2"
    }

    private static let keys: [[SQLValue]] = [
        [.text("a"), .integer(0)], [.text("b"), .integer(0)], [.text("a"), .integer(1)], [.null, .integer(0)],
        [.text("a"), .integer(3)],
    ]

    @Test(
        "FLEET-5, FLEET-4: many keys are asked for by a statement for each, which goes to one shard, in one round trip")
    func manyKeys() async throws {
        let store = try await CitusStandIn.store()
        try await store.write { connection in
            try connection.execute("CREATE TABLE marks (place BIGINT PRIMARY KEY, name TEXT)")
            let marks = (1...3 as ClosedRange<Int64>).map { place -> [SQLValue] in [.integer(place), .text("a")] }
            try connection.executeEach("INSERT INTO marks (place, name) VALUES (?, ?)", marks)
        }
        let log = StatementLog()
        let entered = try Engine.postgres.open(at: store.place, statements: log)
        defer { try? entered.close() }
        // The first of them connects. Both have one writer, who waits once for all keys, and once for the commit.
        var trips: [Int] = []
        var found: [[[Int64]]] = []
        for _ in 1...2 {
            let before = try #require(TestPostgres.roundTrips(of: entered.database))
            let asked = try await entered.database.write { try $0.queryEach(Self.next, Self.keys) { $0.integer(0) } }
            found.append(asked)
            trips.append(try #require(TestPostgres.roundTrips(of: entered.database)) - before)
        }
        #expect(found == Array(repeating: [[1, 2], [], [2, 3], [], []], count: 2))
        #expect(trips.last == 2)
        let asked = log.statements.filter { $0.contains("marks") }
        #expect(asked == [Self.next.rowSQL.statement])
        // One server is asked by one statement.
        let whole = try await store.read { try $0.queryEach(Self.next, Self.keys) { $0.integer(0) } }
        #expect(whole == found.first)
    }

    /// What holds in a transaction, after the settings of the session.
    private static func settings(
        _ names: [String], of database: any SQLDatabase, turn: WritePriority = .next
    ) async throws -> [String] {
        try await database.write(turn: turn) { connection in
            try names.map { name in
                let found = try connection.first("SELECT current_setting(?, true)", [.text(name)]) {
                    $0.optionalText(0)
                }
                return (found ?? nil) ?? "none"
            }
        }
    }

    @Test("FLEET-5: each transaction tells all servers for how long it waits for a lock, and by what it finds rows")
    func passedOn() async throws {
        let store = try await CitusStandIn.store()
        let log = StatementLog()
        let entered = try Engine.postgres.open(at: store.place, statements: log)
        defer { try? entered.close() }
        let names = ["citus.propagate_set_commands", "lock_timeout", "enable_seqscan", "jit"]
        let held = try await Self.settings(names, of: entered.database)
        #expect(held == ["local", "30s", "off", "off"])
        let passedOn = Set(log.statements.filter { $0.hasPrefix("SET LOCAL") })
        // Whoever entered the database has waited for as long as it takes.
        let expected: Set = [
            "SET LOCAL lock_timeout = 0", "SET LOCAL lock_timeout = 30000", "SET LOCAL enable_seqscan = off",
            "SET LOCAL jit = off",
        ]
        #expect(passedOn.isSuperset(of: expected))
        // One server hears it once, from the session.
        let plain = StatementLog()
        let other = try TestStore(.postgres, statements: plain)
        let own = try await Self.settings(names, of: other.database)
        let isSaidAgain = plain.statements.contains { $0.hasPrefix("SET LOCAL") }
        #expect(own == ["none", "30s", "off", "off"] && !isSaidAgain)
    }

    @Test("FLEET-5, PUSH-5: a commit that decides for several servers is on the disk before they hear of it")
    func synced() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let names = ["synchronous_commit"]
        let distributed = try await Self.settings(names, of: entered.database, turn: .unsynced)
        let whole = try await Self.settings(names, of: store.database, turn: .unsynced)
        #expect(distributed == ["on"] && whole == ["off"])
    }

    private static let mark: SQLText = "INSERT INTO marks (place) VALUES (?)"

    private static func insert(
        _ place: Int, of call: JointCall<Int, Int>, _ database: any SQLDatabase
    ) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            database.write(place, of: call, turn: .next) { continuation.resume(with: $0) }
        }
    }

    /// What a write says of prepared commits, for a call that changes rows of devices alone and for one that may change
    /// others; and how often the latter waits.
    private static func prepared(at store: TestStore) async throws -> (devices: [String], others: [String], trips: Int)
    {
        try await store.write { _ = try $0.execute("CREATE TABLE marks (place BIGINT PRIMARY KEY)") }
        let log = StatementLog()
        let entered = try Engine.postgres.open(at: store.place, statements: log)
        defer { try? entered.close() }
        func said() -> [String] { log.statements.filter { $0.contains("prepared_commits") } }
        let body: JointCall<Int, Int>.Body = { places, connection in
            try places.map { .success(try connection.execute(Self.mark, [.integer($0)])) }
        }
        _ = try await insert(1, of: JointCall(isOfDevices: true, body), entered.database)
        let devices = said()
        _ = try await insert(2, of: JointCall(body), entered.database)
        let others = said()
        let before = try #require(TestPostgres.roundTrips(of: entered.database))
        try await entered.database.write { _ = try $0.execute(Self.mark, [.integer(3)]) }
        let trips = try #require(TestPostgres.roundTrips(of: entered.database)) - before
        return (devices, others, trips)
    }

    @Test(
        """
        FLEET-5: a write of a distributed database begins with what has its commit prepared, without waiting for that, \
        but for what changes rows of devices alone; one server never hears of it
        """
    )
    func prepared() async throws {
        let distributed = try await Self.prepared(at: try await CitusStandIn.store())
        #expect(distributed.devices.isEmpty && distributed.others == ["DELETE FROM prepared_commits"])
        let whole = try await Self.prepared(at: try TestStore(.postgres))
        #expect(whole.devices.isEmpty && whole.others.isEmpty)
        // The statement with the beginning, the commit.
        #expect(distributed.trips == 2 && whole.trips == 2)
    }

    @Test("FLEET-5: the audience table of a new app gets its place beside the devices at once")
    func audienceTable() async throws {
        let store = try await CitusStandIn.store()
        // What is asked here of the stand-in is nothing to try on a cluster.
        let entered = try Engine.postgres.open(at: store.place, statements: nil)
        defer { try? entered.close() }
        let app = try await entered.database.write { try $0.makeApp() }
        let placed = try await store.read { connection in
            try connection.query(
                "SELECT logicalrelid::text FROM pg_dist_partition WHERE partkey = 'device_id' AND neighbour = 'devices'",
                []
            ) { $0.text(0) }
        }
        #expect(placed == ["audience_\(app)"])
    }
}
