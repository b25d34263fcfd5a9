import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct PeopleRepositoryTests {
    @Test(
        "ID-8: a merged contact resolves in one step, even if it does not exist any more",
        arguments: Engine.allCases)
    func standing(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        let (anonymous, known) = try await store.write { connection in
            let anonymous = try connection.contacts.findOrInsert(
                app: 1, key: "anonymous:1", known: false, now: storeEpoch
            )
            let known = try connection.contacts.findOrInsert(app: 1, key: "anna", known: true, now: storeEpoch)
            guard var row = try connection.contacts.find(id: anonymous) else { return (anonymous, known) }
            row.attributes = ["city": "Paris"]
            row.party = PartyIdentifier(type: "email", name: "primary", number: "a@example.com")
            try connection.contacts.save(row, now: storeEpoch)
            try connection.contacts.redirect(anonymous, to: known, now: seconds(1))
            return (anonymous, known)
        }
        #expect(try await store.read { try $0.contacts.surviving(anonymous) } == known)
        #expect(try await store.read { try $0.contacts.surviving(known) } == known)
        #expect(try await store.read { try $0.contacts.surviving(99) } == nil)
        #expect(try await store.read { try $0.contactParts.merged(into: known, limit: 9) } == [anonymous])
        #expect(try await store.read { try $0.contacts.find(app: 1, key: "anonymous:1") } == nil)
        let left = try await store.read { try $0.contacts.find(id: anonymous) }
        #expect(left?.attributes == [:] && left?.party == nil)
    }

    @Test("ID-8: tags move with their device, or all together, without duplicates", arguments: Engine.allCases)
    func tags(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let (one, all) = try await store.write { connection in
            let (a, b, c) = (try Tag("a"), try Tag("b"), try Tag("c"))
            try connection.contactTags.replace(of: 1, on: 10, with: [a, b], now: storeEpoch)
            try connection.contactTags.replace(of: 2, on: 10, with: [c], now: storeEpoch)
            try connection.contactTags.replace(of: 1, on: 20, with: [a], now: storeEpoch)
            try connection.contactTags.move(of: 1, from: 10, to: 20, now: storeEpoch)
            let one = [try connection.contactTags.list(of: 10), try connection.contactTags.list(of: 20)]
            try connection.contactTags.move(of: nil, from: 10, to: 20, now: storeEpoch)
            return (one, [try connection.contactTags.list(of: 10), try connection.contactTags.list(of: 20)])
        }
        #expect(one == [["c"], ["a", "b"]])
        #expect(all == [[], ["a", "b", "c"]])
    }

    @Test(
        "REG-28, CON-9: of each tag the devices are told that have put it, by its bytes, among those that are asked for",
        arguments: Engine.allCases)
    func taggers(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        // Swift takes them for one; a database of an older program may have both.
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        let rows: [(tag: String, device: Int64)] = [
            (composed, 1), (decomposed, 2), (composed, 3), (composed, 4), (decomposed, 4), ("other", 1),
        ]
        let found = try await store.write { connection in
            for row in rows {
                try connection.execute(
                    "INSERT INTO contact_tags (contact_id, tag, device_id) VALUES (?, ?, ?)",
                    [.integer(10), .text(row.tag), .integer(row.device)]
                )
            }
            return try connection.contactTags.taggers(of: [composed, decomposed], on: 10, among: [1, 2, 3])
        }
        #expect(found == [Array(composed.utf8): [1, 3], Array(decomposed.utf8): [2]])
    }

    @Test("REG-24: a device that has left a contact is recorded once, until it comes back", arguments: Engine.allCases)
    func formerDevices(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let lists = try await store.write { connection in
            for device: Int64 in [3, 1, 3, 2] { try connection.formerDevices.insert(device, of: 10, app: 1) }
            try connection.formerDevices.insert(1, of: 20, app: 1)
            try connection.formerDevices.delete(2, of: 10, app: 1)
            let before = try connection.formerDevices.all(of: 10, app: 1)
            try connection.formerDevices.move(from: 10, to: 20, app: 1)
            let after = [
                try connection.formerDevices.all(of: 10, app: 1), try connection.formerDevices.all(of: 20, app: 1),
            ]
            try connection.formerDevices.deleteAll(of: 20, app: 1)
            return [before] + after + [try connection.formerDevices.all(of: 20, app: 1)]
        }
        #expect(lists == [[1, 3], [], [1, 3], []])
    }

    @Test("WIRE-20: a device is found in any spelling, and keeps its own", arguments: Engine.allCases)
    func spelling(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        let upper = try DeviceID("C0FFEE00-0000-4000-8000-00000000000A")
        let lower = try DeviceID(upper.canonical)
        let ids = try await store.write { connection in
            try [upper, lower, upper].map {
                try connection.devices.findOrInsert(app: 1, client: $0, now: storeEpoch).id
            }
        }
        #expect(Set(ids).count == 1)
        #expect(try await store.read { try $0.devices.find(app: 1, client: lower)?.client.rawValue } == upper.rawValue)
        try await store.write { try $0.erasedDevices.insert([upper, lower], app: 1, now: storeEpoch) }
        #expect(try await store.read { try $0.erasedDevices.find(lower, app: 1) } == storeEpoch)
        #expect(try await store.read { try $0.erasedDevices.find(upper, app: 2) } == nil)
        try await store.write { try $0.erasedDevices.insert([lower], app: 1, now: seconds(5)) }
        #expect(try await store.read { try $0.erasedDevices.find(upper, app: 1) } == seconds(5))
    }

    @Test("REG-24, WIRE-20: the lists of contacts and the look-up of a device scan no whole table")
    func queryPlans() async throws {
        let store = try TestStore(.sqlite)
        let plans = try await store.read { connection in
            let app: SQLValue = .integer(1 as Int64)
            let uuid = DeviceRepository.ids(of: try DeviceID("c0ffee00-0000-4000-8000-00000000000a"))
            let other = DeviceRepository.ids(of: try DeviceID("9774d56d682e549c"))
            return [
                try connection.plan(ContactRepository.listSQL(connection.dialect), [app, app, app]),
                try connection.plan(OrphanedContactRepository.candidatesSQL, [app, app, app]),
                try connection.plan(DeviceRepository.findSQL(uuid.sql), [app] + uuid.arguments),
                try connection.plan(DeviceRepository.findSQL(other.sql), [app] + other.arguments),
                try connection.plan(OrphanedContactRepository.orphanSQL(connection.dialect), [app]),
            ]
        }
        for plan in plans {
            #expect(!plan.isEmpty)
            for step in plan {
                #expect(!step.hasPrefix("SCAN"), "\(step)")
                #expect(!step.contains("TEMP B-TREE"), "\(step)")
            }
        }
        #expect(plans[0].contains { $0.contains("contacts_by_app") })
        #expect(plans[1].contains { $0.contains("former_devices USING PRIMARY KEY") })
        #expect(plans[2].contains { $0.contains("devices_by_client") })
        #expect(plans[3].contains { $0.contains("devices_by_client") })
    }

    @Test("REG-24: a page of orphans reads a limited number of contacts", arguments: Engine.allCases)
    func orphanPages(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let (pages, expected) = try await store.write { connection in
            let app = try connection.makeApp()
            let device = try connection.makeDevices(1, app: app)[0]
            // Ten that were left; only the third and the eighth have no event.
            let contacts = try (0..<10).map {
                try connection.contacts.findOrInsert(app: app, key: "c\($0)", known: true, now: storeEpoch)
            }
            for (number, contact) in contacts.enumerated() {
                try connection.formerDevices.insert(device, of: contact, app: app)
                if number % 5 != 2 { try connection.insertEvent(number, device: device, app: app, contact: contact) }
            }
            var pages: [[Int64]] = []
            var cursor: Int64?
            repeat {
                let page = try connection.orphanedContacts.list(app: app, before: cursor, limit: 9, candidates: 4)
                pages.append(page.contacts.map(\.id))
                cursor = page.next
            } while cursor != nil && pages.count < 9
            return (pages, [[contacts[7]], [contacts[2]], []])
        }
        // 9 8 7 6, then 5 4 3 2, then 1 0.
        #expect(pages == expected)
    }

    @Test("STO-1, REG-24: the migration records which devices had left a contact before", arguments: Engine.allCases)
    func migration(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.write { connection in
            try connection.goBack(to: 2, engine)
            try connection.makeFormerPeople()
        }
        let (orphans, former) = try await store.reopened { connection in
            (
                try connection.orphanedContacts.list(app: 1, before: nil, limit: 9).contacts.map(\.key),
                try (1...4).map { try connection.formerDevices.all(of: $0, app: 1) }
            )
        }
        #expect(orphans == ["has-nothing"])
        // An erasure without a device and a witness is stored with device 0.
        #expect(former == [[], [0, 1], [0, 2], [0]])
    }
}

extension SQLConnection {
    /// The steps of a query, as SQLite plans them.
    fileprivate func plan(_ sql: SQLText, _ arguments: [SQLValue]) throws -> [String] {
        try query("EXPLAIN QUERY PLAN \(sql)", arguments) { $0.text(3) }
    }

    /// Two devices and four contacts as programs of before migration 3 wrote them: both devices are linked to the first
    /// contact; the second has an event of the first device, the third a delivery to the second one.
    fileprivate func makeFormerPeople() throws {
        try execute("INSERT INTO apps (code, name, settings, created_at) VALUES ('app', 'App', '{}', 0)")
        try executeEach(
            """
            INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at)
            VALUES (1, ?, 1, '{}', 0, 0)
            """,
            ["has-device", "has-event", "has-delivery", "has-nothing"].map { [.text($0)] }
        )
        try executeEach(
            """
            INSERT INTO devices (app_id, client_id, contact_id, link_generation, confirmed_generation, revision,
                token_order, properties_order, contact_order, created_at, updated_at)
            VALUES (1, ?, 1, 0, 0, 0, 0, 0, 0, 0, 0)
            """,
            try (1...2).map { [.text(try client($0).rawValue)] }
        )
        try insertEvent(1, device: 1, app: 1, contact: 2)
        try insertEvent(2, device: 1, app: 1, contact: 1)
        try execute(
            """
            INSERT INTO campaigns (app_id, name, kind, content, status, created_at, planned_to, plan_end, planned)
            VALUES (1, 'Sale', 'push', '{}', 'completed', 0, 2, 2, 1)
            """
        )
        try execute(
            """
            INSERT INTO deliveries (campaign_id, device_id, contact_id, state, attempts, updated_at)
            VALUES (1, 2, 3, 'accepted', 1, 0)
            """
        )
    }

    func insertEvent(
        _ number: Int, device: Int64, app: Int64, contact: Int64?, receivedAt: Date = storeEpoch
    ) throws {
        try execute(
            """
            INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, attributes)
            VALUES (?, ?, ?, ?, 'custom', 'n', 0, ?, '{}')
            """,
            [.integer(device), .text("e\(number)"), .integer(app), .optional(contact), .date(receivedAt)]
        )
    }
}
