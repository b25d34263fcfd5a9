import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

/// FLEET-5, FLEET-6: the schema and the statements on a real Citus cluster.
///
/// Over the statements of a whole run it takes minutes: each is tried on a connection of its own, in a transaction that
/// is rolled back.
@Suite("Citus", .enabled(if: TestCitus.isThere, TestCitus.reason))
struct CitusTests {
    private static let app: Int64 = 1

    /// Statements that name the shard of each key, and that Citus refuses all the same.
    private static let manyKeys = FanOut(
        "Many keys are asked for by one statement, which finds each as if it were alone.",
        ["SELECT found.*, asked.place FROM unnest(…) WITH ORDINALITY AS asked (…) CROSS JOIN LATERAL (…) found"]
    )

    @Test("FLEET-5: Citus takes each table to its place, but for those with keys that are to change")
    func places() async throws {
        let citus = try await Self.cluster()
        var refused: Set<String> = []
        for table in try await citus.database.read({ try $0.tableNames(.postgres) }) {
            guard let statement = Self.placing(table), let error = citus.error(of: statement) else { continue }
            #expect(error.contains("cannot create constraint on"), "\(table): \(error)")
            refused.insert(table)
        }
        let expected = Distribution.tables.keys.filter { table in
            ShardTests.keysToChange.contains { $0.hasPrefix(table) }
        }
        #expect(refused == Set(expected))
    }

    @Test("FLEET-5: what Citus refuses of the statements is a listed fan-out, or asks for many keys at once")
    func statements() async throws {
        let citus = try await Self.cluster()
        _ = try citus.distribute(copyingRows: false)
        let sources = try StatementSources()
        var tried = 0
        for statement in Set(try await ShardTests.issued()) {
            guard let trial = CitusTrial(of: statement, app: Self.app) else { continue }
            tried += 1
            guard let error = citus.error(of: trial.script), CitusTrial.isOfCitus(error) else { continue }
            let squeezed = StatementPattern.squeezed(statement)
            guard sources.isOfRepositories(squeezed) else { continue }
            let isListed = (FanOut.all + [Self.manyKeys]).contains { $0.contains(squeezed) }
            #expect(isListed, "\(error): \(statement)")
        }
        #expect(tried > 0)
    }

    @Test("FLEET-5: a database is distributed in one transaction, with its rows, and a program finds them there")
    func setUp() async throws {
        let citus = try await Self.cluster()
        let device = try await citus.database.write { connection in
            let contact = try connection.contacts.findOrInsert(
                app: Self.app, key: "anna", known: true, now: ServiceWorld.epoch
            )
            let device = try connection.devices.insert(
                app: Self.app, client: try DeviceID("0d4e3a5e-3a2b-4c6f-9a51-7e0b0a4f7c11"), now: ServiceWorld.epoch
            )
            return (contact: contact, id: device.id)
        }
        // Whoever does not ask for rows to be copied is told of them.
        let error = try #require(throws: (any Error).self) { _ = try citus.distribute(copyingRows: false) }
        #expect("\(error)".contains("The database has rows already"))
        let placed = try citus.distribute(copyingRows: true)
        let again = try citus.distribute(copyingRows: true)
        #expect(Set(placed).isSuperset(of: ["devices", "contacts", "apps", "audience_1", "push_tokens"]))
        #expect(again.isEmpty)
        let entered = try citus.enter()
        defer { try? entered.close() }
        let found = try await entered.database.read { connection in
            let ids = try connection.query("SELECT id FROM devices", []) { $0.integer(0) }
            let key = try connection.first("SELECT contact_id FROM contact_keys WHERE contact_key = 'anna'", []) {
                $0.integer(0)
            }
            return (isDistributed: connection.dialect.isDistributed, ids: ids, key: key)
        }
        #expect(found.isDistributed && found.ids == [device.id] && found.key == device.contact)
    }

    /// Somebody who reads what the transaction below changes, and changes what it has read.
    private static let rival = """
        BEGIN ISOLATION LEVEL SERIALIZABLE;
        SELECT number FROM mine;
        UPDATE theirs SET number = number + 1;
        COMMIT
        """

    /// A conflict that the coordinator finds at its own commit, behind that of the workers. A deferred trigger would not
    /// do: PostgreSQL runs those before Citus sends the workers anything.
    @Test("FLEET-5: a commit that the coordinator refuses after a worker has done its part leaves nothing there")
    func refusedCommit() async throws {
        let citus = try await Self.cluster()
        _ = try citus.distribute(copyingRows: false)
        for statement in [
            "CREATE TABLE parts (id BIGINT NOT NULL)",
            "SELECT create_distributed_table('parts', 'id', colocate_with => 'none')",
            "CREATE TABLE mine (number BIGINT NOT NULL)", "INSERT INTO mine VALUES (0)",
            "CREATE TABLE theirs (number BIGINT NOT NULL)", "INSERT INTO theirs VALUES (0)",
        ] {
            let error = citus.error(of: statement)
            try #require(error == nil)
        }
        let entered = try citus.enter()
        defer { try? entered.close() }
        let runs = Mutex(0)
        try await entered.database.write { connection in
            let run = runs.withLock { runs -> Int in
                runs += 1
                return runs
            }
            try connection.execute("INSERT INTO parts (id) VALUES (1)")
            _ = try connection.first("SELECT number FROM theirs", []) { $0.integer(0) }
            try connection.execute("UPDATE mine SET number = number + 1")
            guard run == 1 else { return }
            let error = citus.error(of: Self.rival)
            try #require(error == nil)
        }
        let count = try await entered.database.read { connection in
            try connection.first("SELECT count(*) FROM parts", []) { $0.integer(0) }
        }
        // It has run again, and what the first run had on the worker is gone.
        let ran = runs.withLock { $0 }
        #expect(ran == 2 && count == 1)
    }

    @Test("FLEET-5: on a cluster an installation that is new, and one that was there before, is found by its client id")
    func clientIDs() async throws {
        let citus = try await Self.cluster()
        let ids = [
            try DeviceID("0D4E3A5E-3A2B-4C6F-9A51-7E0B0A4F7C11"), try DeviceID("0D4E3A5E-3A2B-4C6F-9A51-7E0B0A4F7C12"),
        ]
        let former = try await citus.database.write { connection in
            try connection.devices.insert(app: Self.app, client: ids[0], now: ServiceWorld.epoch).id
        }
        _ = try citus.distribute(copyingRows: true)
        let entered = try citus.enter()
        defer { try? entered.close() }
        let new = try await entered.database.write { connection in
            try connection.devices.insert(app: Self.app, client: ids[1], now: ServiceWorld.epoch).id
        }
        let found = try await entered.database.read { connection in
            let lookups = ids.map { NewDeviceLookup(app: Self.app, client: $0, key: "nobody") }
            return (
                numbers: try ids.flatMap { try connection.devices.numbers(app: Self.app, client: $0) },
                pages: try ids.flatMap { id in
                    try connection.devices.list(app: Self.app, .client(id), before: nil, limit: 2).devices.map(\.id)
                },
                matches: try connection.devices.lookUp(lookups)
            )
        }
        #expect(found.numbers == [former, new] && found.pages == [former, new])
        let areUnlinked = found.matches.allSatisfy(\.hasUnlinked)
        #expect(areUnlinked)
    }

    @Test(
        "FLEET-5, REG-20, PUSH-7: work that waits is claimed on a cluster, each device's where it is, and no more then")
    func claims() async throws {
        let citus = try await Self.cluster()
        let devices = try await citus.database.write { connection in
            let clients = ["0d4e3a5e-3a2b-4c6f-9a51-7e0b0a4f7c11", "0d4e3a5e-3a2b-4c6f-9a51-7e0b0a4f7c12"]
            let devices = try clients.map { client in
                try connection.devices.insert(app: Self.app, client: DeviceID(client), now: ServiceWorld.epoch).id
            }
            for device in devices {
                _ = try connection.registrations.insert(
                    "r", revision: 1, snapshot: "{}", device: device, order: PropertyOrder(), now: ServiceWorld.epoch
                )
            }
            try connection.silentPushes.insert(devices, app: Self.app)
            let rows = devices.map { device in
                SilentPushRow(device: device, state: SilentPushState(waiting: .inApp, dueAt: ServiceWorld.epoch))
            }
            try connection.silentPushes.save(rows, owner: nil)
            return devices
        }
        _ = try citus.distribute(copyingRows: true)
        let entered = try citus.enter()
        defer { try? entered.close() }
        let claimed = try await entered.database.write { connection in
            let waiting = try connection.registrations.waitingSnapshots(limit: 9, maximumBytes: 1 << 20)
            let alone = try connection.registrations.claimWaiting(waiting[0].key)
            let rows = try connection.registrations.claimWaiting(limit: 9)
            for row in rows {
                try connection.registrations.finish(row.key, status: .processed, rejected: [], now: ServiceWorld.epoch)
            }
            return (alone: alone?.device, devices: rows.map(\.device))
        }
        #expect(claimed.alone == devices[0] && claimed.devices == devices)
        let due = try await entered.database.read { try $0.silentPushes.nextDue() }
        let leased = try await entered.database.write { connection in
            let rows = try connection.silentPushes.due(app: Self.app, now: ServiceWorld.epoch, limit: 9)
            try connection.silentPushes.save(rows, owner: "a")
            try connection.silentPushes.inherit(from: [devices[0]], by: devices[1])
            return rows.map(\.device).sorted()
        }
        #expect(due == [Self.app: ServiceWorld.epoch] && leased == devices)
        let left = try await entered.database.write { connection in
            try connection.registrationGroups.begin(1...9, owner: "a", until: ServiceWorld.epoch)
            return (
                registrations: try connection.registrations.claimWaiting(limit: 9).count,
                parted: try connection.registrationGroups.part(by: ServiceWorld.epoch, except: "b"),
                due: try connection.silentPushes.due(app: Self.app, now: ServiceWorld.epoch, limit: 9).count,
                abandoned: try connection.silentPushes.abandoned(now: ServiceWorld.epoch, limit: 9).map(\.row.device)
            )
        }
        #expect(left.registrations == 0 && left.parted == 0 && left.due == 0)
        #expect(left.abandoned == devices)
    }

    @Test(
        "FLEET-5: writes that read on one server what the other changes there both commit, unless they hold the contact",
        .timeLimit(.minutes(10)), arguments: [false, true]
    )
    func twoServers(isHeld: Bool) async throws {
        let citus = try await Self.cluster()
        _ = try citus.distribute(copyingRows: false)
        let programs = [try citus.enter(), try citus.enter()]
        defer { for program in programs { try? program.close() } }
        let rows = try await programs[0].database.write { try Self.apart($0) }
        let turns: [Turn] = [
            Turn(
                read: "SELECT revision FROM devices WHERE id = ?", of: rows.device,
                change: "UPDATE contacts SET updated_at = ? WHERE id = ?", to: rows.contact
            ),
            Turn(
                read: "SELECT updated_at FROM contacts WHERE id = ?", of: rows.contact,
                change: "UPDATE devices SET revision = ? WHERE id = ?", to: rows.device
            ),
        ]
        let arrived = [Arrival(), Arrival()]
        let seen = try await withThrowingTaskGroup(of: Bool.self) { group in
            for place in 0...1 {
                group.addTask {
                    try await programs[place].database.write { connection in
                        if isHeld { try connection.hold([rows.contact]) }
                        let value = try connection.first(turns[place].read, [.integer(turns[place].of)]) {
                            $0.integer(0)
                        }
                        if !isHeld {
                            arrived[place].note()
                            arrived[1 - place].wait()
                        }
                        try connection.execute(
                            turns[place].change, [.integer(Self.changed), .integer(turns[place].to)]
                        )
                        return value == Self.changed
                    }
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        // Neither has seen what the other one wrote, which is nobody's order; or the second has.
        let count = seen.filter(\.self).count
        #expect(count == (isHeld ? 1 : 0))
    }

    /// A write that reads one row and changes another.
    private struct Turn: Sendable {
        let read: SQLText
        let of: Int64
        let change: SQLText
        let to: Int64
    }

    /// Whether a write has read. The other one waits for it on its own thread.
    private final class Arrival: Sendable {
        private let isNoted = Mutex(false)

        func note() { isNoted.withLock { $0 = true } }

        func wait() {
            while !isNoted.withLock({ $0 }) { sched_yield() }
        }
    }

    /// What neither row has before.
    private static let changed: Int64 = 77

    /// A contact and a device, on two servers.
    private static func apart(_ connection: any SQLConnection) throws -> (contact: Int64, device: Int64) {
        let contact = try connection.contacts.findOrInsert(
            app: Self.app, key: "anna", known: true, now: ServiceWorld.epoch
        )
        let server = try Self.server(of: contact, in: "contacts", connection)
        for number in 0..<200 {
            let client = try DeviceID("0d4e3a5e-3a2b-4c6f-9a51-\(String(format: "%012d", number))")
            let device = try connection.devices.insert(app: Self.app, client: client, now: ServiceWorld.epoch)
            guard try Self.server(of: device.id, in: "devices", connection) == server else {
                return (contact: contact, device: device.id)
            }
        }
        throw TestCitus.Missing()
    }

    /// The server on which a row of a table is.
    private static func server(of id: Int64, in table: String, _ connection: any SQLConnection) throws -> Int64? {
        try connection.first(
            """
            SELECT groupid FROM pg_dist_placement
            WHERE shardid = get_shard_id_for_distribution_column(CAST(? AS regclass), CAST(? AS BIGINT))
            """,
            [.text(table), .integer(id)]
        ) { $0.integer(0) }
    }

    /// With an app, so that there is an audience table, which has columns of attributes.
    private static func cluster() async throws -> TestCitus {
        let citus = try TestCitus()
        let number = try await citus.database.write { connection in
            let app = try connection.apps.insert(
                code: try AppCode("shop"), name: "Shop", settings: AppSettings(), now: ServiceWorld.epoch
            )
            for name in ["age", "born", "city", "size"] {
                try connection.attributes.define(
                    try AttributeKey(name), type: .number, app: app, now: ServiceWorld.epoch
                )
            }
            return app
        }
        try #require(number == app)
        return citus
    }

    /// How Citus is told of a table's place, whatever lies beside it; nil for a table that stays where it is.
    private static func placing(_ table: String) -> String? {
        switch Distribution.place(of: table) {
        case .reference?: "SELECT create_reference_table('\(table)')"
        case .distributed(_, let column)?:
            "SELECT create_distributed_table('\(table)', '\(column)', colocate_with => 'none')"
        case .local?, nil: nil
        }
    }
}
