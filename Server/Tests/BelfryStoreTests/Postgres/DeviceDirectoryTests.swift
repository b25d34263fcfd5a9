import BelfryModel
import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-5: on a distributed database directories say which installations have a client id or a push token. Whoever goes by
/// them finds what one server finds by its indexes. The stand-in shows it.
struct DeviceDirectoryTests {
    private static let lower = "00000000-0000-4000-8000-00000000000a"
    private static let upper = "00000000-0000-4000-8000-00000000000A"
    private static let spellings = [lower, upper, "old-id", "OLD-ID", "nobody"]
    /// An epoch after an erasure.
    private static let drawn: Int64 = 1 << 40

    private static func token(_ value: String, _ provider: PushProvider = .fcm) throws -> PushToken {
        try PushToken(value, provider: provider, environment: .production)
    }

    /// What happens to installations, one after the other.
    private enum Step: CaseIterable, Sendable {
        case arrival, firstLinks, tokens, link, move, sleep, newHolder, waking, afterErasure, end, refusal, cleared
        case erasure

        func take(_ connection: any SQLConnection) throws {
            let devices = connection.devices
            switch self {
            case .arrival:
                // 1 to 4.
                let named: [(app: Int64, id: String)] = [(1, upper), (1, "old-id"), (1, "OLD-ID"), (2, lower)]
                for (app, id) in named { _ = try devices.insert(app: app, client: try DeviceID(id), now: storeEpoch) }
            case .firstLinks:
                // 5 and 6.
                let new = try linked(lower, key: "anna", connection)
                _ = try devices.insert([new, new])
            case .tokens:
                try give(token("token1"), to: 1, connection)
                try give(token("token2"), to: 2, connection)
                try give(token("token1", .webpush), to: 3, connection)
                try give(token("token1"), to: 4, connection)
            case .link:
                let contact = try connection.contacts.findOrInsert(app: 1, key: "bert", known: true, now: storeEpoch)
                try change(1, connection) { $0.contact = contact }
            case .move: try give(token("token1"), to: 5, connection)
            case .sleep: try connection.dormantDevices.take([2, 5], app: 1)
            case .newHolder: try give(token("token1"), to: 6, connection)
            case .waking: try connection.dormantDevices.wake(5)
            case .afterErasure:
                // 7.
                _ = try devices.insert(app: 1, client: try DeviceID(lower), epoch: drawn, now: storeEpoch)
            case .end:
                try change(1, connection) {
                    $0.contact = nil
                    $0.epoch = 1
                }
            case .refusal:
                let optOut = OptOut(reason: .tokenInvalid, at: storeEpoch)
                try connection.optOuts.record([TokenOptOut(device: 6, token: "token1", optOut: optOut)])
            case .cleared:
                for number: Int64 in [3, 6] { try change(number, connection) { $0.pushToken = nil } }
            case .erasure:
                for number: Int64 in [2, 5] { try devices.delete(number) }
                try connection.erasedDevices.insert([try DeviceID(lower)], app: 1, now: storeEpoch)
            }
        }
    }

    private static func linked(_ id: String, key: String, _ connection: any SQLConnection) throws -> NewDevice {
        let contact = try connection.contacts.findOrInsert(app: 1, key: key, known: true, now: storeEpoch)
        let link = NewDevice.Link(contact: contact, isKnown: true, order: 0)
        return NewDevice(app: 1, client: try DeviceID(id), link: link, now: storeEpoch)
    }

    private static func change(
        _ number: Int64, _ connection: any SQLConnection, _ change: (inout DeviceRow) -> Void
    ) throws {
        var device = try #require(try connection.devices.findAnywhere(id: number))
        change(&device)
        try connection.devices.save(device)
    }

    /// Nobody else has the token then.
    private static func give(_ token: PushToken, to number: Int64, _ connection: any SQLConnection) throws {
        let app = try #require(try connection.devices.find(id: number)).app
        for other in try connection.devices.others(holding: token, app: app, than: number) {
            try change(other.id, connection) { $0.pushToken = nil }
        }
        try change(number, connection) { $0.pushToken = token }
    }

    /// What everybody finds who looks for installations by an id or a token.
    private struct Seen: Hashable, Sendable {
        var devices: [DeviceRow?] = []
        var holders: [[DeviceRow]] = []
        var numbers: [[Int64]] = []
        var counts: [[String: Int]] = []
        var pages: [DevicePage] = []
        var outlines: [[DeviceOutline]] = []
        var matches: [NewDeviceMatch] = []
    }

    private static func look(_ connection: any SQLConnection) throws -> Seen {
        var seen = Seen()
        for app: Int64 in [1, 2] {
            for spelling in spellings { try look(for: try DeviceID(spelling), app: app, connection, &seen) }
            for values in [["token1"], ["token2", "token1", "token1"], ["none"]] {
                try page(.pushTokens(values), app: app, connection, &seen)
            }
            for held in [try token("token1"), try token("token1", .webpush), try token("token2")] {
                let others = try connection.devices.others(holding: held, app: app, than: 1)
                seen.holders.append(others.sorted { $0.id < $1.id })
            }
        }
        return seen
    }

    private static func look(
        for client: DeviceID, app: Int64, _ connection: any SQLConnection, _ seen: inout Seen
    ) throws {
        let devices = connection.devices
        seen.devices.append(try devices.find(app: app, client: client))
        for table in DeviceTable.allCases {
            seen.devices.append(try devices.find(app: app, client: client, in: table))
            seen.devices.append(try devices.unlinked(app: app, client: client, in: table))
            for epoch: Int64 in [0, 1, drawn] {
                seen.devices.append(try devices.unconfirmed(app: app, client: client, epoch: epoch, in: table))
            }
        }
        seen.numbers.append(try devices.numbers(app: app, client: client))
        seen.counts.append(try devices.installations(of: [client], app: app))
        seen.outlines.append(try devices.outlines(app: app, client: client, limit: 2))
        try page(.client(client), app: app, connection, &seen)
        let lookups = ["anna", "nobody", nil].map { NewDeviceLookup(app: app, client: client, key: $0) }
        seen.matches += try devices.lookUp(lookups)
    }

    private static func page(
        _ search: DeviceSearch, app: Int64, _ connection: any SQLConnection, _ seen: inout Seen
    ) throws {
        for cursor: Int64? in [nil, 5] {
            seen.pages.append(try connection.devices.list(app: app, search, before: cursor, limit: 2))
        }
    }

    /// How many entries are missing, or lead where nothing is, or say something else than the row.
    private static func wrong(_ connection: any SQLConnection) throws -> Int64? {
        try connection.first(
            """
            WITH d AS (
                SELECT id, app_id, client_id, push_token, contact_id, epoch FROM devices
                UNION ALL SELECT id, app_id, client_id, push_token, contact_id, epoch FROM dormant_devices
            ), clients AS (
                SELECT app_id, (encode(substring(sha256(convert_to(
                    CASE WHEN length(client_id) = 36 THEN lower(client_id) ELSE client_id END, 'UTF8'
                )) FROM 1 FOR 16), 'base64') COLLATE "C") AS hash, id,
                    CASE WHEN contact_id IS NULL AND epoch < 4294967296 THEN 1 ELSE 0 END AS unlinked
                FROM d
            ), tokens AS (
                SELECT app_id, (encode(substring(sha256(convert_to(push_token, 'UTF8')) FROM 1 FOR 16), 'base64')
                    COLLATE "C") AS hash, id
                FROM d WHERE push_token IS NOT NULL
            )
            SELECT count(*) FROM (
                (SELECT app_id, hash, id, unlinked FROM clients
                    EXCEPT SELECT app_id, client_hash, device_id, unlinked FROM client_ids)
                UNION ALL (SELECT app_id, client_hash, device_id, unlinked FROM client_ids
                    EXCEPT SELECT app_id, hash, id, unlinked FROM clients)
                UNION ALL (SELECT app_id, hash, id, 0 FROM tokens
                    EXCEPT SELECT app_id, token_hash, device_id, 0 FROM push_tokens)
                UNION ALL (SELECT app_id, token_hash, device_id, 0 FROM push_tokens
                    EXCEPT SELECT app_id, hash, id, 0 FROM tokens)) wrong
            """,
            []
        ) { $0.integer(0) }
    }

    /// Distributes a database that nobody uses.
    private static func distribute(_ store: TestStore) async throws {
        try await store.write { try CitusStandIn.install($0) }
        _ = try CitusStandIn.setUp(store, copyingRows: true)
    }

    @Test(
        """
        FLEET-5, WIRE-20, REG-27, REG-36, FLEET-2: on a distributed database everybody finds the installations of an id \
        and of a token that one server finds, whenever it was distributed
        """,
        arguments: [0, 6, 9, 13]
    )
    func story(_ before: Int) async throws {
        let plain = try await TestStore.withApps(.postgres, isRecycled: false)
        let store = try await TestStore.withApps(.postgres, isRecycled: false)
        for step in Step.allCases.prefix(before) {
            try await plain.write { try step.take($0) }
            try await store.write { try step.take($0) }
        }
        try await Self.distribute(store)
        let entered = try store.another()
        defer { try? entered.close() }
        for count in before...Step.allCases.count {
            let last = count > before ? Step.allCases[count - 1] : nil
            if let last {
                try await plain.write { try last.take($0) }
                try await entered.database.write { try last.take($0) }
            }
            let expected = try await plain.read { try Self.look($0) }
            let found = try await entered.database.read { try Self.look($0) }
            let wrong = try await entered.database.read { try Self.wrong($0) }
            #expect(found == expected, "\(String(describing: last))")
            #expect(wrong == 0, "\(String(describing: last))")
        }
    }

    /// A distributed database after some of the steps.
    private static func distributed(
        after steps: [Step]
    ) async throws -> (store: TestStore, entered: OpenTestStore) {
        let store = try await TestStore.withApps(.postgres, isRecycled: false)
        try await distribute(store)
        let entered = try store.another()
        for step in steps { try await entered.database.write { try step.take($0) } }
        return (store: store, entered: entered)
    }

    @Test("FLEET-5: an entry that leads nowhere, or to another installation, does no harm")
    func stale() async throws {
        let (store, entered) = try await Self.distributed(after: Array(Step.allCases.prefix(9)))
        defer { try? entered.close() }
        let before = try await entered.database.read { try Self.look($0) }
        // More than are read at once.
        try await store.write { connection in
            try connection.execute(
                """
                INSERT INTO client_ids (app_id, client_hash, device_id, unlinked)
                SELECT c.app_id, c.client_hash, s.number, CASE WHEN s.number > 990 THEN 1 ELSE 0 END
                FROM (SELECT DISTINCT app_id, client_hash FROM client_ids) c
                CROSS JOIN (SELECT generate_series(1, 8) AS number UNION ALL SELECT generate_series(750, 1000)) s
                ON CONFLICT DO NOTHING
                """
            )
            try connection.execute(
                """
                INSERT INTO push_tokens (app_id, token_hash, device_id)
                SELECT c.app_id, c.token_hash, s.number
                FROM (SELECT DISTINCT app_id, token_hash FROM push_tokens) c
                CROSS JOIN (SELECT generate_series(1, 8) AS number UNION ALL SELECT generate_series(750, 1000)) s
                ON CONFLICT DO NOTHING
                """
            )
        }
        let after = try await entered.database.read { try Self.look($0) }
        #expect(after == before)
    }

    /// How often somebody waits for the server who looks in a transaction that may write, and then for its end.
    private static func trips(
        _ database: any SQLDatabase, _ look: @escaping @Sendable (any SQLConnection) throws -> Void
    ) async throws -> Int {
        var least = Int.max
        // The first of them may connect.
        for _ in 1...2 {
            let before = try #require(TestPostgres.roundTrips(of: database))
            try await database.write { try look($0) }
            least = min(least, try #require(TestPostgres.roundTrips(of: database)) - before)
        }
        return least
    }

    @Test("FLEET-5, WIRE-20, SEC-9: the unlinked installation of an id costs the same, however many others it has")
    func crowd() async throws {
        let (store, entered) = try await Self.distributed(after: [.arrival])
        defer { try? entered.close() }
        let plain = try await TestStore.withApps(.postgres, isRecycled: false)
        try await plain.write { try Step.arrival.take($0) }
        let look: @Sendable (any SQLConnection) throws -> Void = { connection in
            let id = try DeviceID(Self.lower)
            _ = try #require(try connection.devices.unlinked(app: 1, client: id))
            _ = try connection.devices.lookUp([NewDeviceLookup(app: 1, client: id, key: nil)])
        }
        let alone = try await Self.trips(entered.database, look)
        let many: @Sendable (any SQLConnection) throws -> Void = { connection in
            let new = try Self.linked(Self.lower, key: "anna", connection)
            _ = try connection.devices.insert(Array(repeating: new, count: 250))
        }
        try await entered.database.write(many)
        try await plain.write(many)
        let among = try await Self.trips(entered.database, look)
        #expect(among == alone)
        let expected = try await plain.read { try Self.look($0) }
        let found = try await entered.database.read { try Self.look($0) }
        #expect(found == expected)
        let wrong = try await store.read { try Self.wrong($0) }
        #expect(wrong == 0)
    }

    @Test("FLEET-5, FLEET-4: what new installations need is asked for in one round trip, and what there is in a second")
    func roundTrips() async throws {
        let distributed = try await Self.distributed(after: [.arrival, .firstLinks])
        defer { try? distributed.entered.close() }
        let database = distributed.entered.database
        let new = try await Self.trips(database) { connection in
            let lookups = try (1...20).map { number in
                NewDeviceLookup(app: 1, client: try client(100 + number), key: "person-\(number)")
            }
            _ = try connection.devices.lookUp(lookups)
        }
        let known = try await Self.trips(database) { connection in
            let lookups = try ["old-id", "OLD-ID", Self.lower].map { id in
                NewDeviceLookup(app: 1, client: try DeviceID(id), key: "anna")
            }
            let matches = try connection.devices.lookUp(lookups)
            let areKnown = matches.allSatisfy { $0.hasUnlinked && $0.contact != nil }
            #expect(areKnown)
        }
        // With the commit.
        #expect(new == 2 && known == 3)
    }

    @Test("FLEET-5: one server is asked what it was asked before; a distributed database is asked for nothing of it")
    func statements() async throws {
        var former: Set<String> = [DeviceRepository.listByTokenSQL(PostgresDialect()).statement]
        for id in [try DeviceID(Self.lower), try DeviceID("old-id")] {
            let named = DeviceRepository.ids(of: id).sql
            for table in DeviceTable.allCases {
                former.insert(DeviceRepository.findSQL(named, in: table).statement)
                former.insert(DeviceRepository.listOfClientSQL(named, in: table).statement)
                former.insert(DeviceRepository.unlinkedSQL(isUUID: id.isUUID, in: table).statement)
            }
        }
        let steps = Step.allCases
        let plainLog = StatementLog()
        let plain = try TestStore(.postgres, statements: plainLog)
        try await plain.write { connection in
            for code in ["one", "two"] { _ = try connection.makeApp(code) }
            for step in steps { try step.take(connection) }
            _ = try Self.look(connection)
        }
        let store = try await TestStore.withApps(.postgres, isRecycled: false)
        try await Self.distribute(store)
        let log = StatementLog()
        let entered = try Engine.postgres.open(at: store.place, statements: log)
        defer { try? entered.close() }
        try await entered.database.write { connection in
            for step in steps { try step.take(connection) }
            _ = try Self.look(connection)
        }
        let asked = Set(plainLog.statements)
        #expect(former.subtracting(asked) == [])
        let ofDirectories = asked.filter { statement in
            ["client_ids", "push_tokens", "id, app_id, client_id, push_token, CASE"].contains { statement.contains($0) }
        }
        #expect(ofDirectories == [])
        let distributed = Set(log.statements)
        #expect(former.intersection(distributed) == [])
        let byID = distributed.filter { $0.contains("lower(client_id)") }
        let byNumber = byID.filter { $0.contains("WHERE id = ? AND app_id = ?") }
        #expect(!byID.isEmpty && byID == byNumber)
        let areByToken = distributed.contains { $0.contains("FROM push_tokens WHERE app_id = ? AND token_hash = ?") }
        #expect(areByToken)
    }
}
