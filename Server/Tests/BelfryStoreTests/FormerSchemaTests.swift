import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// Databases that older programs made, and migrations as they landed (STO-5).
@Suite("Databases of every released version")
struct FormerSchemaTests {
    @Test("STO-5: a database of each released version gets the schema of a fresh one", arguments: SchemaDump.all)
    func schema(_ dump: SchemaDump) async throws {
        let former = try await dump.store()
        let migrated = try await former.reopened { try $0.structure(dump.engine) }
        let fresh = try TestStore(dump.engine)
        let wanted = try await fresh.write { connection in
            let shop = try connection.makeApp("shop")
            _ = try connection.makeApp("other")
            for (name, type) in [("age", AttributeType.number), ("born", .date), ("city", .string)] {
                try connection.attributes.define(try AttributeKey(name), type: type, app: shop, now: storeEpoch)
            }
            // Its columns stay for whoever defines it again.
            if dump.version >= 13 {
                let shoe = try AttributeKey("shoe")
                try connection.attributes.define(shoe, type: .number, app: shop, now: storeEpoch)
                _ = try connection.attributes.remove(shoe, app: shop, now: storeEpoch)
            }
            return try connection.structure(dump.engine)
        }
        #expect(migrated.filter { !wanted.contains($0) } == [], "what a fresh database does not have")
        #expect(wanted.filter { !migrated.contains($0) } == [], "what the migrated one lacks")
    }

    @Test("STO-5: what each released version had stored is all there after the migration", arguments: SchemaDump.all)
    func rows(_ dump: SchemaDump) async throws {
        let store = try await dump.store()
        let engine = dump.engine
        let before = try await store.read { try $0.rowCounts(engine) }
        #expect(before.values.filter { $0 == 0 }.count <= 1, "only the second app has no device")
        let after = try await store.reopened { try $0.rowCounts(engine) }
        // What was served counts no more since version 15.
        for (table, count) in before where !["schema_version", "rich_servings"].contains(table) {
            #expect(after[table] == count, "\(table)")
        }
        let second = try store.another()
        defer { try? second.close() }
        try await second.database.read { connection in
            #expect(try connection.apps.all().map(\.code.rawValue) == ["shop", "other"])
            let anna = try #require(try connection.contacts.find(app: 1, key: "anna"))
            #expect(anna.known && anna.attributes["city"] == "Paris" && anna.attributes["age"] == 31)
            let device = try #require(try connection.devices.find(app: 1, client: try client(1)))
            #expect(device.contact == anna.id && device.pushToken?.value == String(repeating: "aa", count: 32))
            let campaigns = try connection.campaigns.list(app: 1, before: nil, limit: 10)
            #expect(campaigns.map(\.name).suffix(2) == ["Sale", "Sale"])
            for listed in campaigns { #expect(try connection.campaigns.find(listed.id) != nil) }
            let delivery = try connection.deliveries.find(campaign: campaign(1), device: 2)
            #expect(delivery?.state == .rejected)
            #expect(try connection.audit.newest(9).first { $0.action == "device.revoke" }?.target == "2")
            if dump.version >= 7 { #expect(try connection.badges.find(device: 1) == Badge(count: 2, revision: 3)) }
            guard dump.version >= 12 else { return }
            #expect(try connection.workAttempts.quarantined(app: nil, before: nil, limit: 9).count == 1)
        }
    }

    @Test("STO-5: life goes on in a database of each released version", arguments: SchemaDump.all)
    func life(_ dump: SchemaDump) async throws {
        let store = try await dump.store()
        let second = try store.another()
        let counts = try await second.database.ask(.counting(app: 1)) { asked in
            let sql = try asked.connection.audienceSQL(app: 1)
            let conditions: [Condition] = [
                .everyone, .attribute("age", .equal(31)), .known(false), .deviceFact(.pushOptIn, .equal(true)),
                .all([.attribute("city", .equal("Paris")), .attribute("born", .less("2000-01-01"))]),
            ]
            return try conditions.map { try asked.count(app: 1, audience: sql.compile($0)) }
        }
        #expect(counts == [2, 1, 1, 1, 1])
        let numbers = try await second.database.write { connection in
            let device = try connection.devices.findOrInsert(app: 1, client: try client(7), now: storeEpoch)
            let isStored = try connection.events.insert(
                try event("e-9"), device: device.id, app: 1, contact: nil, now: storeEpoch)
            let isRegistered = try connection.registrations.insert(
                device: device.id, snapshot: snapshot("r-9", revision: 1), requestOrder: 1, now: storeEpoch)
            #expect(isStored && isRegistered)
            let campaign = try connection.makeCampaign(app: 1)
            return (device: device.id, app: try connection.makeApp("third"), campaign: campaign.number)
        }
        // The third device of those of version 26 is dormant.
        #expect(numbers.device == (dump.version < 26 ? 3 : 4) && numbers.app == 3, "numbers go on, none comes again")
        #expect(numbers.campaign > 2)
        try second.close()
    }

    @Test("STO-5: there is a database of each version that a released program made")
    func dumps() {
        for engine in Engine.allCases {
            let first = engine == .sqlite ? 1 : 6
            let versions = SchemaDump.all.filter { $0.engine == engine }.map(\.version)
            for version in SchemaDump.released where version >= first {
                #expect(versions.contains(version), "\(engine), version \(version): Scripts/dump-schema adds it")
            }
        }
    }

    /// Where `Scripts/dump-schema` wants the newest database; nil in other runs.
    private static let folder = ProcessInfo.processInfo.environment["BELFRY_TEST_SCHEMAS"].map { URL(filePath: $0) }

    @Test("STO-5: the newest database is handed to Scripts/dump-schema", .enabled(if: folder != nil))
    func handOver() async throws {
        let folder = try #require(Self.folder)
        for engine in Engine.allCases {
            let dump = try #require(SchemaDump.all.last { $0.engine == engine && $0.version < Migration.newest })
            let store = try await dump.store(isKept: true)
            try store.another().close()
            switch engine {
            case .sqlite:
                try store.close()
                let file = store.place.appending(path: "belfry.sqlite")
                try FileManager.default.copyItem(at: file, to: folder.appending(path: "belfry.sqlite"))
            case .postgres:
                try Data(store.place.lastPathComponent.utf8).write(to: folder.appending(path: "schema"))
            }
        }
        try Data("\(Migration.newest)".utf8).write(to: folder.appending(path: "version"))
    }

    @Test("STO-5: no migration is edited that has landed", arguments: Engine.allCases)
    func digests(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let found = try await store.read { connection in
            Migration.all.map { Self.digest($0.statements(connection.dialect)) }
        }
        let landed = Self.landed.compactMap { $0[engine] }
        #expect(landed.count == SchemaDump.released.last, "what has landed since gets its digest here: \(found)")
        for (index, digest) in landed.enumerated() {
            #expect(
                found[index] == digest,
                "version \(index + 1) is not what it was: leave it, and append a migration. It is \(found[index])"
            )
        }
    }

    /// Of the statements of each version, in order.
    private static let landed: [[Engine: String]] = [
        [.sqlite: "18d5732eb2e64f28", .postgres: "aa0c4939ba142bf1"],
        [.sqlite: "3e277867ed9e1744", .postgres: "3e277867ed9e1744"],
        [.sqlite: "c60090ed12b83910", .postgres: "f1a3fccbb76e8a16"],
        [.sqlite: "52441ba130b7b7be", .postgres: "cc9f5e4cc96d5f75"],
        [.sqlite: "d434fddd5e12f8ef", .postgres: "d434fddd5e12f8ef"],
        [.sqlite: "dad0d4c04fbf87e0", .postgres: "dad0d4c04fbf87e0"],
        [.sqlite: "7aae2c648732f4cd", .postgres: "14bcf620e069e732"],
        [.sqlite: "eddf91077113ca26", .postgres: "17dc7f87a351fbe4"],
        [.sqlite: "3bb724614e364487", .postgres: "3bb724614e364487"],
        [.sqlite: "ef21d201636a6c58", .postgres: "ef21d201636a6c58"],
        [.sqlite: "9eecf25477c0af43", .postgres: "9eecf25477c0af43"],
        [.sqlite: "257f3b7c9d36dce8", .postgres: "e7f994d485361716"],
        [.sqlite: "6cfef58545d1f733", .postgres: "6cfef58545d1f733"],
        [.sqlite: "1f8aba76a2690a6e", .postgres: "20bc02453c4105ee"],
        [.sqlite: "e16408ce18637d68", .postgres: "695705dd47aa2319"],
        [.sqlite: "b509473fececfc64", .postgres: "216e29caab50f592"],
        [.sqlite: "5d67e311e782fc74", .postgres: "5d67e311e782fc74"],
        [.sqlite: "c2befe7b0769676d", .postgres: "c2befe7b0769676d"],
        [.sqlite: "f145326b5b18ed68", .postgres: "4f3fc72bb5f95179"],
        [.sqlite: "e30d94abe10f6645", .postgres: "3a5b00d7f6011452"],
        [.sqlite: "7aa7161b3897be45", .postgres: "7cc4bbcff44a0bb9"],
        [.sqlite: "f5f01b06e360adcd", .postgres: "9acb723fc99e5dc6"],
        [.sqlite: "f05a8dce2cf28b2c", .postgres: "1957d3cde05d759c"],
        [.sqlite: "a3160dda9de0dc96", .postgres: "a3160dda9de0dc96"],
        [.sqlite: "4270299c75628e5f", .postgres: "4270299c75628e5f"],
        [.sqlite: "560c76d36ed48787", .postgres: "3b7150842c68f881"],
        [.sqlite: "cbf29ce484222325", .postgres: "cbf29ce484222325"],
        [.sqlite: "cf5200c079478464", .postgres: "cf5200c079478464"],
        [.sqlite: "cbf29ce484222325", .postgres: "cbf29ce484222325"],
    ]

    /// FNV-1a: nobody forges a migration, and one letter changes it.
    private static func digest(_ statements: [SQLText]) -> String {
        let bytes = statements.flatMap { $0.statement.utf8 + [0] }
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
