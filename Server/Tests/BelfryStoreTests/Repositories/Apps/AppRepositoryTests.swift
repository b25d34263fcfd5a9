import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Testing

struct AppRepositoryTests {
    @Test("STO-2: an app is found by its code and by its id, with its settings", arguments: Engine.allCases)
    func roundTrip(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        var settings = AppSettings()
        settings.anonymousContacts = false
        settings.contactFields = ["3", "id"]
        let id = try await store.write { [settings] connection in
            let id = try connection.makeApp("shop")
            try connection.apps.save(settings: settings, of: id)
            return id
        }
        let app = AppRecord(id: id, code: try AppCode("shop"), name: "shop", settings: settings)
        #expect(try await store.read { try $0.apps.find(id: id) } == app)
        #expect(try await store.read { try $0.apps.find(try AppCode("shop")) } == app)
        #expect(try await store.read { try $0.apps.find(try AppCode("SHOP")) } == nil)
        #expect(try await store.read { try $0.apps.all() } == [app])
        #expect(!app.settings.allowsAnonymousContacts)
    }

    @Test("STO-2: a code is unique", arguments: Engine.allCases)
    func duplicate(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let first = try await store.write { try $0.makeApp("shop") }
        let error = await #expect(throws: StoreError.self) { try await store.write { try $0.makeApp("shop") } }
        #expect(error == .duplicate(key: "shop"))
        #expect(try await store.read { try $0.apps.all().map(\.id) } == [first])
    }

    @Test("ADM-1: a key is found by its hash alone, and a hash is unique", arguments: Engine.allCases)
    func adminKeys(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let id = try await store.write {
            try $0.adminKeys.insert(hash: [1, 2], app: 7, scopes: ["read", "admin"], now: storeEpoch)
        }
        let key = try await store.read { try $0.adminKeys.find(hash: [1, 2]) }
        #expect(key?.id == id && key?.app == 7 && key?.scopes == ["read", "admin"])
        #expect(try await store.read { try $0.adminKeys.find(hash: [1]) } == nil)
        await #expect(throws: StoreError.duplicate(key: "an admin key's hash")) {
            try await store.write { try $0.adminKeys.insert(hash: [1, 2], app: 8, scopes: [], now: storeEpoch) }
        }
        #expect(try await store.read { try $0.adminKeys.find(hash: [1, 2]) } == key)
    }

    @Test("ADM-1: the audit log is read newest first", arguments: Engine.allCases)
    func audit(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let entries = (0..<3).map { number in
            AuditEntry(
                at: seconds(Double(number)), actor: "root", app: number == 0 ? nil : "shop", action: "launch",
                target: number == 2 ? nil : "\(number)"
            )
        }
        for entry in entries { try await store.write { try $0.audit.append(entry) } }
        #expect(try await store.read { try $0.audit.newest(2) } == [entries[2], entries[1]])
    }

    @Test("SEC-1: credentials are bytes with a revision that grows", arguments: Engine.allCases)
    func credentials(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        #expect(try await store.read { try $0.credentials.find(app: 1, provider: .apns) } == nil)
        let sealed: [[UInt8]] = [[0, 255, 39], [1], [0]]
        for (index, bytes) in sealed.enumerated() {
            try await store.write { try $0.credentials.save(bytes, app: 1, provider: .apns, now: storeEpoch) }
            let record = try await store.read { try $0.credentials.find(app: 1, provider: .apns) }
            #expect(record?.sealed == bytes)
            #expect(record?.revision == Int64(index + 1))
        }
        #expect(try await store.read { try $0.credentials.find(app: 2, provider: .apns) } == nil)
        #expect(try await store.read { try $0.credentials.find(app: 1, provider: .fcm) } == nil)
    }

    @Test("REG-25: the schema of an app is its own; defining again changes the type", arguments: Engine.allCases)
    func attributes(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            try connection.attributes.define(try AttributeKey("city"), type: .string, app: 1, now: storeEpoch)
            try connection.attributes.define(try AttributeKey("age"), type: .string, app: 1, now: storeEpoch)
            try connection.attributes.define(try AttributeKey("age"), type: .number, app: 1, now: storeEpoch)
            try connection.attributes.define(try AttributeKey("city"), type: .date, app: 2, now: storeEpoch)
        }
        #expect(try await store.read { try $0.attributes.schema(app: 1) } == ["city": .string, "age": .number])
        #expect(try await store.read { try $0.attributes.schema(app: 2) } == ["city": .date])
        #expect(try await store.read { try $0.attributes.schema(app: 3) } == [:])
    }

    @Test("REG-25: two spellings of one name are one attribute", arguments: Engine.allCases)
    func spellings(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            try connection.attributes.define(try AttributeKey("caf\u{e9}"), type: .string, app: 1, now: storeEpoch)
            try connection.attributes.define(try AttributeKey("cafe\u{301}"), type: .number, app: 1, now: storeEpoch)
            // As a version without this rule may have stored it.
            try connection.execute(
                "INSERT INTO attributes (app_id, name, type, created_at) VALUES (1, ?, 'number', 0)",
                [.text("cafe\u{301}")]
            )
        }
        #expect(try await store.read { try $0.attributes.schema(app: 1).keys.count } == 1)
    }
}
