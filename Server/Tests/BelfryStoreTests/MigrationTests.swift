import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Testing

struct MigrationTests {
    private static let tables = [
        "apps", "admin_keys", "audit_log", "credentials", "attributes", "contacts", "contact_tags", "devices",
        "refresh_tokens", "registrations", "events", "campaigns", "batches", "deliveries", "former_devices",
        "erased_devices", "idempotent_answers", "message_centers", "center_contents", "center_messages",
        "rich_confirmations", "badges", "center_engagement", "in_app_clocks", "in_app_copies", "in_app_clicks",
        "in_app_not_shown", "silent_pushes", "work_attempts", "registration_groups", "removed_attributes",
        "attribute_reviews", "erasures", "campaign_versions", "campaign_approvals", "campaign_comments",
        "rehearsals", "rehearsal_pages", "contact_links", "campaign_sums", "day_sums", "consent_days",
        "campaign_outcomes", "device_openings", "contact_openings", "dormant_devices", "contact_followings",
        "event_moves",
    ]

    @Test("STO-1: a fresh database has the newest schema", arguments: Engine.allCases)
    func fresh(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        #expect(try await store.read { try $0.schemaVersions } == Migration.all.map(\.version))
        for table in Self.tables {
            let rows = try await store.read {
                try $0.first(SQLText(ofTest: "SELECT count(*) FROM \(table)"), []) { $0.integer(0) }
            }
            #expect(rows == 0, "\(table)")
        }
    }

    @Test("STO-1: migrating again changes nothing and keeps the data", arguments: Engine.allCases)
    func repeated(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        _ = try await store.write { connection in
            let app = try connection.makeApp()
            try connection.migrate()
            return app
        }
        #expect(try await store.reopened { try $0.schemaVersions } == Migration.all.map(\.version))
        #expect(try await store.reopened { try $0.apps.all().map(\.code.rawValue) } == ["app"])
    }

    @Test(
        "FLEET-1: a program runs on the schema of the next version, which has added tables and columns, and leaves it",
        arguments: Engine.allCases
    )
    func next(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.write { connection in
            _ = try connection.makeApp()
            try connection.growToNextVersion(engine)
        }
        let second = try store.another()
        defer { try? second.close() }
        try await second.database.write { connection in
            let app = try connection.makeApp("second")
            try connection.attributes.define(try AttributeKey("city"), type: .string, app: app, now: storeEpoch)
            let device = try connection.devices.findOrInsert(app: app, client: try client(1), now: storeEpoch)
            let contact = try connection.contacts.findOrInsert(app: app, key: "anna", known: true, now: storeEpoch)
            let isStored = try connection.events.insert(
                try event("e-1"), device: device.id, app: app, contact: contact, now: storeEpoch
            )
            let isRegistered = try connection.registrations.insert(
                device: device.id, snapshot: snapshot("r-1", revision: 1), requestOrder: 1, now: storeEpoch
            )
            #expect(isStored && isRegistered)
            let campaign = try connection.makeCampaign(app: app)
            try connection.makeBatches(2, of: campaign)
            let batches = try connection.batches.claim(
                owner: "worker", until: seconds(15), now: storeEpoch, limit: 9
            )
            #expect(batches.count == 2)
            let claimed = try connection.registrations.claimWaiting(limit: 9)
            let found = try connection.campaigns.find(campaign)
            #expect(claimed.count == 1 && found != nil)
        }
        let found = try await second.database.read { (try $0.apps.all().count, try $0.newestSchema()) }
        #expect(found == (2, Migration.newest + 1))
    }

    @Test(
        "STO-1, FLEET-1: a database that a program of two versions later wrote is refused and left alone",
        arguments: Engine.allCases
    )
    func newer(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let future = Migration.newest + 2
        try await store.write { connection in
            _ = try connection.makeApp()
            try connection.execute("INSERT INTO schema_version (version) VALUES (?)", [.integer(future)])
        }
        let error = await #expect(throws: StoreError.self) { try await store.reopened { _ in } }
        #expect(error == .newerSchema(found: future, known: Migration.newest))
        #expect(error?.description.contains("newer version") == true)
        #expect(try await store.read { try $0.apps.all().count } == 1)
    }

    @Test(
        "STO-1, PERF-7: for campaigns of an older database any audience may depend on openings",
        arguments: Engine.allCases)
    func openings(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.write { connection in
            try connection.goBack(to: 8, engine)
            try connection.execute("INSERT INTO in_app_clocks (app_id, version, volatile) VALUES (7, 1, 0)")
        }
        #expect(try await store.read { try $0.inAppRevisions.find(app: 7).isVolatile } == false)
        #expect(try await store.reopened { try $0.inAppRevisions.find(app: 7).isVolatile })
    }

    @Test(
        """
        FLEET-1, FLEET-2: no program of version 25, to which a dormant device would be gone, starts on the schema of those \
        that move them
        """
    )
    func dormancy() {
        let newestAcceptedBy25 = 25 + 1
        #expect(Migration.newest > newestAcceptedBy25)
    }

    @Test(
        """
        FLEET-1, FLEET-3: version 29 divides the events: no program of version 27, which names the key of all of them, \
        starts on its schema, and those of version 28 do
        """
    )
    func division() throws {
        let (newestAcceptedBy27, newestAcceptedBy28) = (27 + 1, 28 + 1)
        let first = try #require(PartitionedTable.events.firstSchema)
        #expect(first > newestAcceptedBy27 && first <= newestAcceptedBy28)
        #expect(Migration.newest >= first)
        for table in PartitionedTable.all {
            let whole = TablePartitions(table: table, parts: nil)
            #expect(whole.areKept, "the upkeep divides \(table.name.statement)")
        }
    }

    @Test(
        "STO-1, FLEET-3: version 29 changes no table, so a start waits for no look at all events",
        arguments: Engine.allCases
    )
    func emptyDivision(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let number = try #require(PartitionedTable.events.firstSchema)
        let statements = try await store.read { connection in
            Migration.all.first { $0.version == number }?.statements(connection.dialect).count
        }
        #expect(statements == 0)
    }

    @Test("STO-1: the versions of the schema grow by one")
    func versions() {
        #expect(Migration.all.map(\.version) == Array(1...Migration.newest))
    }
}

extension SQLConnection {
    fileprivate var schemaVersions: [Int] {
        get throws {
            try query("SELECT version FROM schema_version ORDER BY version", []) { Int($0.integer(0)) }
        }
    }
}
