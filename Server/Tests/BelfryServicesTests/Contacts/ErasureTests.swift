import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct ErasureTests {
    /// The tables with rows of a device or a contact.
    private static let tables = [
        "contacts", "contact_tags", "devices", "refresh_tokens", "registrations", "events", "former_devices",
    ]

    @Test("REG-36: an erasure removes the person from every table, and leaves everybody else as they were")
    func everywhere() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var bystander = try await ServiceDevice.registered(world, 9, key: "bert", token: "token9")
        try await bystander.identify("bert")
        try await bystander.track(.test("of-bert"))
        var before: [String: Int] = [:]
        for table in Self.tables { before[table] = try await world.rows(table) }

        var devices: [ServiceDevice] = []
        for number in 1...2 {
            var device = try await ServiceDevice.started(world, number)
            try await device.tell(["city": "Anna's town"], key: "anna", tags: ["sports"])
            try await device.track(.test("e1"), .test("e2"))
            devices.append(device)
        }
        let erasure = try await world.contacts.erase("anna", app: world.app)
        #expect(erasure.removed.devices == 2 && erasure.removed.events == 4)
        for table in Self.tables { #expect(try await world.rows(table) == before[table], "\(table)") }
        #expect(try await world.owners() == ["of-bert": "bert"])
        #expect(await errorCode { try await world.directory.contact("anna", app: world.app) } == "notFound")
        #expect(await errorCode { try await world.profile(devices[0]) } == "notFound")
        #expect(await errorCode { try await world.contacts.erase("anna", app: world.app) } == "notFound")
        try await bystander.track(.test("of-bert-too"))
    }

    @Test("REG-36: every call of an erased device says so; another app's device with that id works")
    func gone() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "anna")
        _ = try await world.contacts.erase("anna", app: world.app)
        let caller = device.caller()
        #expect(await errorCode { try await device.track(.test("e1")) } == "erased")
        #expect(await errorCode { try await device.putToken("token1") } == "erased")
        #expect(await errorCode { try await device.deleteToken() } == "erased")
        let snapshot = device.snapshot(revision: 2)
        #expect(
            await errorCode {
                try await world.registrations.receive(snapshot, caller: try device.authenticated())
            } == "erased"
        )
        #expect(
            await errorCode {
                try await world.registrations.receipt(snapshot.registrationId, caller: try device.authenticated())
            } == "erased"
        )
        #expect(await errorCode { try await world.links.linkAnonymously(caller) } == "erased")
        let key = try ContactKey("anna")
        #expect(await errorCode { try await world.links.identify(key, field: nil, caller: caller) } == "erased")
        for token in [device.refreshToken ?? "", "unknown"] {
            #expect(await errorCode { try await world.links.refresh(token, caller: caller) } == "erased")
        }
        #expect(
            await errorCode {
                try await world.clients.putProperties(SystemProperties(), osPushEnabled: nil, caller: caller)
            } == "erased"
        )
        let erasure = try #require(try await world.clients.erasure(of: caller))
        #expect(erasure.state == nil, "only a client of v3 gets one")
        #expect(try await world.rows("devices") == 0)
        let other = try await world.apps.create(code: "other", name: "Other").app
        var elsewhere = caller
        elsewhere.app = other
        device.keep(try await world.links.linkAnonymously(elsewhere))
        // And the person may come back with another installation.
        var second = try await ServiceDevice.started(world, 2)
        try await second.identify("anna")
        #expect(try await second.contactKey == "anna")
    }

    @Test("REG-36, LED-3: the ledger keeps its rows without the person; pending ones end as suppressed")
    func ledger() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        _ = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        let sent = try await world.launch()
        try await world.sendToTheEnd()
        try await device.identify("anna")
        let waiting = try await world.launch()
        while try await world.planner.planNext() {}
        let before = try await world.counts(sent)
        #expect(before.accepted == 2)
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await world.counts(sent) == before)
        // Neither the known contact nor the anonymous one that it was.
        #expect(try await world.rows("deliveries", where: "contact_id IS NULL") == 2)
        let counts = try await world.counts(waiting)
        #expect(counts.audience == 2 && counts.suppressed == 1 && counts.pending == 1)
        try await world.sendToTheEnd()
        #expect(try await world.counts(waiting).accepted == 1)
        #expect(try await world.campaign(waiting).status == .completed)
    }

    @Test("REG-36: a contact with very many devices is erased in steps; an interrupted erasure is continued")
    func manyDevices() async throws {
        let world = try await ServiceWorld()
        let clients = try await world.makeFleet(250)
        let app = world.app.id
        let now = ServiceWorld.epoch
        try await world.database.write { connection in
            let guest = try connection.contacts.findOrInsert(app: app, key: "guest", known: true, now: now)
            try connection.execute(
                "UPDATE devices SET contact_id = ? WHERE app_id = ?", [.integer(guest), .integer(app)]
            )
        }
        let profile = try await world.directory.contact("guest", app: world.app)
        #expect(profile.deviceCount == 250)
        let newest = Array(clients.suffix(ContactProfile.maximumDevices).reversed())
        #expect(profile.devices.map(\.client) == newest)
        // It dies after its first write.
        let dying = ContactService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }), environment: world.environment
        )
        await #expect(throws: MortalDatabase.Dead.self) { try await dying.erase("guest", app: world.app) }
        #expect(try await world.rows("devices") == 150)
        #expect(try await world.rows("erased_devices") == 100)
        let erasure = try await world.contacts.erase("guest", app: world.app)
        // Its receipt tells of the whole erasure, with what went before.
        #expect(erasure.removed.devices == 250)
        #expect(try await world.rows("erasures") == 1)
        #expect(try await world.rows("devices") == 0)
        #expect(try await world.rows("contacts") == 0)
        #expect(try await world.rows("erased_devices") == 250)
    }

    @Test("REG-36: devices that have left a contact are processed in steps as well")
    func manyFormerDevices() async throws {
        let world = try await ServiceWorld()
        _ = try await world.makeFleet(230)
        let app = world.app.id
        let now = ServiceWorld.epoch
        try await world.database.write { connection in
            let guest = try connection.contacts.findOrInsert(app: app, key: "guest", known: true, now: now)
            try connection.execute(
                "INSERT INTO former_devices (app_id, contact_id, device_id) SELECT app_id, ?, id FROM devices",
                [.integer(guest)]
            )
            try connection.execute(
                """
                INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, attributes)
                SELECT id, 'e', app_id, ?, 'custom', 'n', 0, 0, '{}' FROM devices
                """,
                [.integer(guest)]
            )
        }
        let erasure = try await world.contacts.erase("guest", app: world.app)
        #expect(erasure.removed.devices == 0 && erasure.removed.events == 230)
        for table in ["events", "former_devices", "contacts"] {
            #expect(try await world.rows(table) == 0, "\(table)")
        }
        #expect(try await world.rows("devices") == 230)
    }

    @Test("REG-36: a device that has left stays, without the person's values")
    func formerDevice() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        try await device.tell(["city": "Anna's town"], key: "anna")
        try await device.identify("anna")
        try await device.track(.test("of-anna"))
        world.clock.advance(by: 1)
        try await device.linkAnonymously()
        try await device.track(.test("later"))
        let erasure = try await world.contacts.erase("anna", app: world.app)
        #expect(erasure.removed.devices == 0 && erasure.removed.events == 1)
        #expect(try await world.owners().keys.sorted() == ["later"])
        for table in ["devices", "registrations", "contacts"] {
            let columns = table == "devices" ? "applied" : table == "contacts" ? "attributes" : "snapshot"
            #expect(try await world.rows(table, where: "\(columns) LIKE '%Anna%'") == 0, "\(table)")
        }
        try await device.tell(["city": "Oslo"])
        #expect(try await world.profile(device).contact?.attributes == ["city": "Oslo"])
    }
}
