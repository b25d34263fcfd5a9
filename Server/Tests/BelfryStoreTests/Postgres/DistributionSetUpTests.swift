import BelfryModel
import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-5: a database becomes one that several servers hold together. Here the stand-in is told of it, which refuses keys
/// as Citus does; the tests on Citus do the same on a cluster.
struct DistributionSetUpTests {
    private struct Placed: Hashable, Sendable {
        let method: String
        let key: String?
        let neighbour: String?
    }

    /// Of a directory.
    private struct Entry: Hashable, Sendable {
        let text: String
        let number: Int64
    }

    /// With the stand-in, and an app, so that there is an audience table.
    private static func store() async throws -> TestStore {
        let store = try await TestStore.withApps(.postgres, isRecycled: false)
        try await store.write { try CitusStandIn.install($0) }
        return store
    }

    /// What stands in the way of it on a cluster.
    enum Obstacle: CaseIterable, CustomTestStringConvertible {
        case oldCitus, noCoordinator, noWorkers, workersWithoutShards, lease

        var testDescription: String { "\(self)" }

        fileprivate var statement: SQLText {
            switch self {
            case .oldCitus:
                """
                CREATE OR REPLACE FUNCTION citus_version() RETURNS text
                LANGUAGE sql AS $version$ SELECT 'Citus 11.3.1 on nothing'::text $version$
                """
            case .noCoordinator: "DELETE FROM pg_dist_node WHERE groupid = 0"
            case .noWorkers: "DELETE FROM pg_dist_node WHERE groupid <> 0"
            case .workersWithoutShards: "UPDATE pg_dist_node SET shouldhaveshards = false"
            case .lease:
                """
                INSERT INTO registration_groups (owner, first_id, last_id, lease_until)
                VALUES ('a', 1, 9, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) + 50000)
                """
            }
        }

        fileprivate var words: String {
            switch self {
            case .oldCitus: "Citus 11.3.1. Version 12.1 or later"
            case .noCoordinator: "citus_set_coordinator_host"
            case .noWorkers, .workersWithoutShards: "citus_add_node"
            case .lease: "a lease has not ended"
            }
        }
    }

    private static func placed(_ store: TestStore) async throws -> [String: Placed] {
        let rows = try await store.read { connection in
            try connection.query(
                "SELECT logicalrelid::text, partmethod, partkey, neighbour FROM pg_dist_partition", []
            ) { row in
                let placed = Placed(method: row.text(1), key: row.optionalText(2), neighbour: row.optionalText(3))
                return (table: row.text(0), placed: placed)
            }
        }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.table, $0.placed) })
    }

    /// The columns of a table's key, in their order.
    private static func key(of table: String, _ store: TestStore) async throws -> String? {
        try await store.read { connection in
            try connection.first(
                """
                SELECT string_agg(a.attname::text, ' ' ORDER BY k.place)
                FROM pg_index x CROSS JOIN unnest(x.indkey::int2[]) WITH ORDINALITY AS k (number, place)
                JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number
                WHERE x.indrelid = ?::regclass AND x.indisprimary
                """,
                [.text(table)]
            ) { $0.text(0) }
        }
    }

    /// Those of the first app, in the order of their numbers.
    private static func entries(_ selection: String, _ store: TestStore) async throws -> [Entry] {
        let sql = SQLText(ofTest: "SELECT \(selection) WHERE app_id = 1 ORDER BY 2")
        return try await store.read { try $0.query(sql, []) { Entry(text: $0.text(0), number: $0.integer(1)) } }
    }

    private static func count(_ table: String, _ store: TestStore) async throws -> Int64? {
        try await store.read { try $0.first(SQLText(ofTest: "SELECT count(*) FROM \(table)"), []) { $0.integer(0) } }
    }

    @Test("FLEET-5: a database without Citus is refused, and stays as it is")
    func noCitus() async throws {
        let store = try await TestStore.withApps(.postgres, isRecycled: false)
        let refusal = try #require(throws: PostgresDistributionError.self) { _ = try CitusStandIn.setUp(store) }
        guard case .noCitus = refusal else {
            Issue.record("\(refusal)")
            return
        }
        #expect(try await Self.key(of: "registrations", store) == "id")
    }

    @Test(
        "FLEET-5, STO-3: what stands in the way on a cluster is named, and the database stays as it is",
        arguments: Obstacle.allCases)
    func refused(_ obstacle: Obstacle) async throws {
        let store = try await Self.store()
        _ = try await store.write { try $0.execute(obstacle.statement) }
        let refusal = try #require(throws: PostgresDistributionError.self) { _ = try CitusStandIn.setUp(store) }
        #expect(refusal.description.contains(obstacle.words), "\(refusal)")
        let placed = try await Self.placed(store)
        #expect(placed.isEmpty)
        #expect(try await Self.key(of: "registrations", store) == "id")
    }

    @Test("FLEET-5, PUSH-5: a lease that has ended, or that only a wrong clock can have written, keeps nobody from it")
    func nobodysLeases() async throws {
        let store = try await Self.store()
        try await store.write { connection in
            for lease in ["a": Int64(-1_000), "b": 3_600_000] {
                let end = Date().addingTimeInterval(Double(lease.value) / 1_000)
                try connection.registrationGroups.begin(1...9, owner: lease.key, until: end)
            }
        }
        let placed = try CitusStandIn.setUp(store)
        #expect(placed.contains("devices"))
    }

    @Test("FLEET-5, FLEET-1: who was cut off while the database was distributed goes on as on a distributed one")
    func cutOff() async throws {
        let store = try await Self.store()
        let settings = try CitusStandIn.settings(of: store)
        // Without its bell nobody sees it.
        let database = try PostgresDatabase(settings)
        let bell = PostgresBell(settings)
        defer {
            bell.close()
            database.close()
        }
        let before = try await database.read { $0.dialect.isDistributed }
        _ = try CitusStandIn.setUp(store)
        let (heard, hears) = AsyncStream.makeStream(of: SharedWork.self)
        bell.listen(isCounted: false) { hears.yield($0) }
        for await _ in heard { break }
        let after = try await database.read { $0.dialect.isDistributed }
        #expect(!before && after)
    }

    @Test("FLEET-5, CLI-6: the servers that hold a database together are named, and which of them do not answer")
    func nodes() async throws {
        let store = try await Self.store()
        let before = try await store.read { try CitusNode.all(of: $0, catalog: CitusStandIn.catalog) }
        #expect(before == nil)
        _ = try CitusStandIn.setUp(store)
        let nodes = try await store.read { try CitusNode.all(of: $0, catalog: CitusStandIn.catalog) }
        let expected = [
            CitusNode(host: "worker1", port: 5_432, answers: true),
            CitusNode(host: "worker2", port: 5_433, answers: false),
        ]
        #expect(nodes == expected)
    }

    @Test("FLEET-5: each table gets its place, beside the others of its owner, with keys that Citus takes; once")
    func places() async throws {
        let store = try await Self.store()
        let placed = try CitusStandIn.setUp(store)
        let found = try await Self.placed(store)
        var expected: [String: Placed] = [:]
        var tables = Distribution.tables.merging(Distribution.added) { $1 }
        for app in 1...2 { tables["audience_\(app)"] = .distributed(by: .device, column: "device_id") }
        let first: [Distribution.Owner: String] = [.device: "devices", .contact: "contacts", .text: "contact_keys"]
        for (table, place) in tables {
            switch place {
            case .reference: expected[table] = Placed(method: "n", key: nil, neighbour: nil)
            case .distributed(let owner, let column):
                let neighbour = first[owner].map { $0 == table ? "none" : $0 }
                expected[table] = Placed(method: "h", key: column, neighbour: neighbour)
            case .local: break
            }
        }
        #expect(Set(placed) == Set(expected.keys) && placed.count == expected.count)
        // Citus knows it where it is (``PreparedCommits``).
        expected["prepared_commits"] = Placed(method: "n", key: nil, neighbour: nil)
        #expect(found == expected)
        #expect(try await Self.key(of: "registrations", store) == "id device_id")
        #expect(try await Self.key(of: "refresh_tokens", store) == "token_hash device_id")
        let again = try CitusStandIn.setUp(store)
        #expect(again.isEmpty)
        let isDistributed = try await store.reopened { $0.dialect.isDistributed }
        #expect(isDistributed)
    }

    @Test("FLEET-5: rows that are there go along only if somebody asks for it, and then the directories lead to them")
    func rows() async throws {
        let store = try await Self.store()
        let token = try PushToken("token1", provider: .fcm, environment: .production)
        let made = try await store.write { connection in
            let contact = try connection.contacts.findOrInsert(app: 1, key: "anna", known: true, now: storeEpoch)
            var device = try connection.devices.insert(app: 1, client: try client(1), now: storeEpoch)
            device.pushToken = token
            try connection.devices.save(device)
            let dormant = try connection.devices.insert(app: 1, client: try client(2), now: storeEpoch)
            try connection.dormantDevices.take([dormant.id], app: 1)
            return (contact: contact, device: device.id, dormant: dormant.id)
        }
        let refusal = try #require(throws: PostgresDistributionError.self) { _ = try CitusStandIn.setUp(store) }
        guard case .rows(let tables) = refusal else {
            Issue.record("\(refusal)")
            return
        }
        #expect(Set(tables).isSuperset(of: ["contacts", "devices", "dormant_devices"]))
        let before = try await Self.placed(store)
        #expect(before.isEmpty)
        #expect(try await Self.key(of: "registrations", store) == "id")
        _ = try CitusStandIn.setUp(store, copyingRows: true)
        let keys = try await Self.entries("contact_key, contact_id FROM contact_keys", store)
        #expect(keys == [Entry(text: "anna", number: made.contact)])
        let clients = try await Self.entries("client_hash, device_id FROM client_ids", store)
        #expect(clients.map(\.number) == [made.device, made.dormant] && Set(clients.map(\.text)).count == 2)
        // The first half of SHA-256 of "token1".
        let tokens = try await Self.entries("token_hash, device_id FROM push_tokens", store)
        #expect(tokens == [Entry(text: "3z5rC7Zs6q3KT4TLw3H9Zg==", number: made.device)])
        #expect(try await Self.count("devices", store) == 1)
    }
}
