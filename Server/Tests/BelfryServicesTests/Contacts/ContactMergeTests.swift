import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("Contacts that are merged")
struct ContactMergeTests {
    /// Two people with a device each, who turn out to be one.
    private static func people(_ world: ServiceWorld) async throws -> (ann: ServiceDevice, anna: ServiceDevice) {
        for name in ["city", "age", "name"] {
            try await world.apps.defineAttribute(name, type: .string, app: world.app)
        }
        var ann = try await ServiceDevice.started(world, 1)
        try await ann.identify("ann")
        try await ann.tell(["city": "Paris", "age": "30"], key: "ann", tags: ["old", "both"])
        world.clock.advance(by: 60)
        var anna = try await ServiceDevice.started(world, 2)
        try await anna.identify("anna")
        try await anna.tell(["city": "Oslo", "name": "Anna"], key: "anna", tags: ["new", "both"])
        world.clock.advance(by: 60)
        // One value of the first is newer than the other's.
        try await ann.tell(["city": "Paris", "age": "30", "name": "Ann"], key: "ann", tags: ["old", "both"])
        return (ann, anna)
    }

    private static func merge(_ world: ServiceWorld, _ key: String, into other: String) async throws -> Int {
        try await world.contacts.merge(key, into: other, field: "into", app: world.app).devices
    }

    @Test("ADM-5, SEC-2: a step of a merge takes no further device once it has taken long: each may have said much")
    func slowDevices() async throws {
        let world = try await ServiceWorld()
        for number in 1...5 {
            var device = try await ServiceDevice.started(world, number)
            try await device.identify("ann")
        }
        var anna = try await ServiceDevice.started(world, 6)
        try await anna.identify("anna")
        let other = try #require(try await anna.row.contact)
        let dying = ContactService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }), environment: world.slowEnvironment
        )
        // One goes along whatever time it takes, and then one after each fifth of a second of half a second.
        await #expect(throws: MortalDatabase.Dead.self) {
            try await dying.merge("ann", into: "anna", field: "into", app: world.app)
        }
        #expect(try await world.rows("devices", where: "contact_id = \(other)") == 4)
        #expect(try await Self.merge(world, "ann", into: "anna") == 2)
    }

    @Test("ADM-5: devices, attributes (the newer value wins), tags, messages, events and the ledger go along")
    func everything() async throws {
        let world = try await ServiceWorld()
        let (ann, anna) = try await Self.people(world)
        try await ann.track(.test("of-ann"))
        try await anna.track(.test("of-anna"))
        try await ann.putToken("annstoken")
        let sent = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await world.sendToTheEnd()
        let counts = try await world.counts(sent)
        #expect(try await Self.merge(world, "ann", into: "anna") == 1)

        let profile = try await world.directory.contact("anna", app: world.app)
        #expect(profile.contact.attributes == ["city": "Oslo", "age": "30", "name": "Ann"])
        #expect(profile.tags == ["both", "new", "old"] && profile.aliases == ["ann"])
        #expect(Set(profile.devices.map(\.client)) == [ann.client, anna.client])
        #expect(try await world.owners() == ["of-ann": "anna", "of-anna": "anna"])
        #expect(try await world.counts(sent) == counts)
        let id = profile.contact.id
        #expect(try await world.rows("deliveries", where: "contact_id = \(id)") == 2)
        // Each had the message; together they have it once.
        #expect(try await world.rows("center_messages", where: "contact_id = \(id)") == 1)
        #expect(try await world.rows("center_messages") == 1)
        try await world.expectExactAudience()
        for key in ["ann", "anna"] {
            #expect(try await world.campaigns.audiences.count(.contactKeys([key]), app: world.app) == 2, "\(key)")
        }
        // A call that comes again changes nothing more.
        #expect(try await Self.merge(world, "ann", into: "anna") == 0)
        #expect(try await world.directory.contact("anna", app: world.app).contact == profile.contact)
    }

    @Test("ADM-5, ID-8: a value that a login brought along is as old as it was", arguments: [false, true])
    func broughtAlong(isShared: Bool) async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var ann = try await ServiceDevice.started(world, 1)
        _ = try await ann.register { $0.attributes = ["city": "Paris"] }
        try await world.process()
        if isShared {
            // Another device with the same contact keeps it there.
            _ = try await ServiceDevice.started(world, 3)
            let contact = try #require(try await world.profile(ann).contact).id
            _ = try await world.database.write { connection in
                try connection.execute(
                    "UPDATE devices SET contact_id = ? WHERE contact_id IS NULL OR contact_id <> ?",
                    [.integer(contact), .integer(contact)]
                )
            }
        }
        world.clock.advance(by: 60)
        var anna = try await ServiceDevice.started(world, 2)
        try await anna.identify("anna")
        try await anna.tell(["city": "Oslo"], key: "anna", tags: [])
        world.clock.advance(by: 60)
        try await ann.identify("ann")
        #expect(try await world.directory.contact("ann", app: world.app).contact.attributes == ["city": "Paris"])
        _ = try await Self.merge(world, "ann", into: "anna")
        #expect(try await world.directory.contact("anna", app: world.app).contact.attributes == ["city": "Oslo"])
    }

    @Test("ADM-5: an app that identifies with the old key, and events that name the old contact, reach the new one")
    func afterwards() async throws {
        let world = try await ServiceWorld()
        var (ann, _) = try await Self.people(world)
        let (reference, state) = (ann.contactReference, ann.state)
        _ = try await Self.merge(world, "ann", into: "anna")
        // What was queued before carries the old reference.
        try await ann.track(.test("queued"))
        #expect(try await world.owners()["queued"] == "anna")
        // The state that the device shows names the old contact; it is the same installation all the same.
        let generation = try await world.profile(ann).device.epoch
        #expect(ann.state == state && ann.contactReference == reference)
        try await ann.identify("ann")
        try await ann.tell(["city": "Rome"], key: "ann", tags: ["old", "both"])
        let profile = try await world.profile(ann)
        #expect(profile.contact?.key == "anna" && profile.contact?.attributes["city"] == "Rome")
        #expect(profile.device.epoch == generation, "no new installation began")
        #expect(try await world.rows("contacts", where: "known = 1 AND merged_into IS NULL") == 1)
        // What the device repeats of before overwrites nothing (REG-28).
        try await world.database.write { connection in
            guard var contact = try connection.contacts.find(id: profile.contact?.id ?? 0) else { return }
            contact.attributes["city"] = "Bern"
            try connection.contacts.save(contact, now: ServiceWorld.epoch)
        }
        try await ann.tell(["city": "Rome"], key: "ann", tags: ["old", "both"])
        #expect(try await world.profile(ann).contact?.attributes["city"] == "Bern")
    }

    @Test("ADM-5, WIRE-20: a device keeps vouching for itself before it has heard of the merge, and not after a logout")
    func state() async throws {
        let world = try await ServiceWorld()
        var (ann, _) = try await Self.people(world)
        let old = ann
        _ = try await Self.merge(world, "ann", into: "anna")
        // By its old state alone it says what its platform is, as only the linked device may.
        func put(_ platform: String) async throws -> String? {
            var shown = old
            shown.contactToken = nil
            let system = SystemProperties(platform: platform)
            _ = try await world.clients.putProperties(system, osPushEnabled: nil, caller: shown.caller())
            return try await world.profile(ann).device.system.platform
        }
        #expect(try await put("ios") == "ios")
        world.clock.advance(by: 1)
        try await ann.linkAnonymously()
        world.clock.advance(by: 1)
        #expect(try await put("web") == "ios", "the state is a former contact's by now")
        #expect(try await world.rows("devices") == 2, "and yet the same installation's")
    }

    @Test("ADM-5, MC-14: message states join, and a state that was queued under the old contact arrives")
    func messages() async throws {
        let world = try await ServiceWorld()
        var (ann, anna) = try await Self.people(world)
        _ = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let inbox = InboxService(database: world.database, keys: world.keys, environment: world.environment)
        let own = try #require(try await inbox.newest(for: ann.authenticated()).value.first)
        _ = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let second = try #require(try await inbox.newest(for: ann.authenticated()).value.first { $0.id != own.id })
        // She has read the first on one of her devices.
        _ = try await inbox.setState(.read, of: own.id.text, reference: nil, for: ann.authenticated())
        _ = try await Self.merge(world, "ann", into: "anna")
        let states = try await inbox.newest(for: anna.authenticated()).value
        #expect(states.first { $0.campaign == own.campaign }?.state == .read)
        #expect(states.count == 2)
        // Queued before the merge: by the id and the reference of then.
        _ = try await inbox.setState(
            .deleted, of: second.id.text, reference: ann.contactReference, for: ann.authenticated()
        )
        // And by the id alone.
        _ = try await inbox.setState(.deleted, of: own.id.text, reference: nil, for: ann.authenticated())
        #expect(try await inbox.newest(for: anna.authenticated()).value == [])
        try await ann.identify("ann")
        try await anna.identify("anna")
    }

    @Test("ADM-5: of a chain of merges every former key leads to the last contact, and nothing is merged in a circle")
    func chain() async throws {
        let world = try await ServiceWorld()
        for (number, key) in ["a", "b", "c"].enumerated() {
            _ = try await ServiceDevice.registered(world, number + 1, key: key)
        }
        _ = try await Self.merge(world, "a", into: "b")
        _ = try await Self.merge(world, "b", into: "c")
        for key in ["a", "b", "c"] {
            #expect(try await world.directory.contact(key, app: world.app).contact.key == "c")
        }
        #expect(try await world.directory.contact("c", app: world.app).deviceCount == 3)
        func code(_ key: String, _ into: String) async -> String? {
            await errorCode { try await Self.merge(world, key, into: into) }
        }
        #expect(await code("c", "a") == "sameContact")
        #expect(await code("c", "c") == "sameContact")
        #expect(await code("c", "nobody") == "notFound")
        #expect(await code("nobody", "c") == "notFound")
        #expect(await code("a", "c") == nil, "it is done already")
        let other = try await ServiceDevice.registered(world, 9)
        let anonymous = try #require(try await other.contactKey)
        #expect(await code("c", anonymous) == "conflict")
        _ = try await ServiceDevice.registered(world, 8, key: "d")
        #expect(await code("a", "d") == "conflict", "a former key is no contact to merge")
        // An anonymous one goes into a known one, and again changes nothing.
        #expect(try await Self.merge(world, anonymous, into: "d") == 1)
        #expect(try await Self.merge(world, anonymous, into: "d") == 0)
    }

    @Test("ADM-5: a contact with very many devices is merged in steps; an interrupted merge goes on")
    func manyDevices() async throws {
        let world = try await ServiceWorld()
        _ = try await world.makeFleet(250)
        let app = world.app.id
        try await world.database.write { connection in
            let guest = try connection.contacts.findOrInsert(
                app: app, key: "guest", known: true, now: ServiceWorld.epoch
            )
            _ = try connection.contacts.findOrInsert(app: app, key: "anna", known: true, now: ServiceWorld.epoch)
            for device in try connection.devices.list(app: app, before: nil, limit: 1_000).devices {
                var device = device
                device.contact = guest
                try connection.devices.save(device)
            }
        }
        let dying = ContactService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }), environment: world.environment
        )
        await #expect(throws: MortalDatabase.Dead.self) {
            try await dying.merge("guest", into: "anna", field: "into", app: world.app)
        }
        #expect(try await world.directory.contact("anna", app: world.app).deviceCount == 100)
        #expect(try await Self.merge(world, "guest", into: "anna") == 150)
        #expect(try await world.directory.contact("guest", app: world.app).deviceCount == 250)
        try await world.expectExactAudience()
    }

    @Test("ADM-5, REG-36: an erasure of the contact that remains removes what came from the other one")
    func erasure() async throws {
        let world = try await ServiceWorld()
        let (ann, _) = try await Self.people(world)
        try await ann.track(.test("of-ann"))
        _ = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        _ = try await Self.merge(world, "ann", into: "anna")
        let receipt = try await world.contacts.erase("anna", app: world.app)
        #expect(receipt.removed == RemovedCounts(devices: 2, events: 1, messages: 1, deliveries: 2))
        for table in ["contacts", "devices", "events", "center_messages", "contact_tags"] {
            #expect(try await world.rows(table) == 0, "\(table)")
        }
        #expect(try await world.rows("deliveries", where: "contact_id IS NOT NULL") == 0)
        #expect(try await world.contacts.receipt(receipt.name, app: world.app) == receipt)
    }
}

extension ServiceWorld {
    /// The audience table is what it would be if it were made anew.
    func expectExactAudience(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let app = app.id
        let (kept, rebuilt) = try await database.write { connection -> ([String], [String]) in
            let kept = try Self.audience(app, connection)
            try connection.audiences.rebuild(app: app)
            return (kept, try Self.audience(app, connection))
        }
        #expect(kept == rebuilt, sourceLocation: sourceLocation)
        #expect(!kept.isEmpty, sourceLocation: sourceLocation)
    }

    private static func audience(_ app: Int64, _ connection: any SQLConnection) throws -> [String] {
        let table = "audience_\(app)"
        let names: SQLText =
            switch Engine.ofThisRun {
            case .sqlite: "SELECT name FROM pragma_table_info(?) ORDER BY name"
            case .postgres:
                """
                SELECT column_name FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name = ? ORDER BY column_name
                """
            }
        let columns = try connection.query(names, [.text(table)]) { $0.text(0) }
        let list = columns.map { "coalesce(CAST(\($0) AS TEXT), '-')" }.joined(separator: ", ")
        return try connection.query(SQLText(ofTest: "SELECT \(list) FROM \(table) ORDER BY device_id"), []) { row in
            columns.indices.map { "\(columns[$0])=\(row.text($0))" }.joined(separator: " ")
        }
    }
}
