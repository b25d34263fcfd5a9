import BelfryModel
import BelfryServerModel
@testable import BelfryServices
import BelfryStore
import Foundation
import Testing

struct ContactNameTests {
    private static let anna = PartyIdentifier(type: "email", name: "primary", number: "a@example.com")

    @Test("ID-3, ID-9: no two names make one key, whatever stands in their parts")
    func keys() throws {
        let parts = ["a", "a:b", "b", ":", "%", "%3A", "%25", "3", "é"]
        var keys: [String: ContactName] = [:]
        for field in parts {
            for value in parts + ["a:b:c"] {
                let key = try ContactKey(value)
                let parties = parts.map {
                    ContactName.party(PartyIdentifier(type: field, name: $0, number: value))
                }
                for name in [ContactName.plain(key), .field(field, key)] + parties {
                    let text = try name.key()
                    #expect(keys[text] == nil || keys[text] == name, "\(text) names two contacts")
                    keys[text] = name
                    #expect(PartyIdentifier(contactKey: text) == name.party, "\(text) says which identifier it is")
                }
            }
        }
        #expect(try ContactName.field("email", ContactKey("a@example.com")).key() == "field:email:a@example.com")
        #expect(try ContactName.party(Self.anna).key() == "party:email:primary:a@example.com")
    }

    @Test("ID-3: no plain contact key begins as another name space does", arguments: ContactKey.reservedPrefixes)
    func reserved(prefix: String) {
        let error = #expect(throws: ValueError.self) { try ContactKey(" \(prefix)a:b") }
        #expect(error?.code == "reservedPrefix")
    }

    @Test("ID-3: a name that makes too long a key is refused")
    func length() throws {
        let long = String(repeating: "é", count: 255)
        _ = try ContactName.field("a", ContactKey(long)).key()
        let party = PartyIdentifier(type: long, name: long, number: long)
        let error = #expect(throws: ValueError.self) { try ContactName.party(party).key() }
        #expect(error?.code == "tooLong")
    }
}

/// Contacts that are named by a field, or by a party identifier.
struct NameSpaceTests {
    private static let anna = PartyIdentifier(type: "email", name: "primary", number: "a@example.com")

    private func world(_ change: (inout AppSettings) -> Void) async throws -> (ServiceWorld, AppSettings) {
        let world = try await ServiceWorld()
        var settings = AppSettings()
        change(&settings)
        return (world, settings)
    }

    private func link(
        _ device: inout ServiceDevice, _ key: String, _ field: String?, _ settings: AppSettings
    ) async throws {
        var caller = device.caller()
        caller.app.settings = settings
        device.keep(try await device.world.links.identify(try ContactKey(key), field: field, caller: caller))
    }

    @Test("ID-3, WIRE-2: equal values of two fields are two people; the app's own field gives the plain key")
    func fields() async throws {
        let (world, settings) = try await world {
            $0.contactField = "email"
            $0.contactFields = ["email", "loyalty"]
        }
        var device = try await ServiceDevice.started(world, 1)
        for (field, key) in [("email", "4711"), (nil, "4711"), ("", "4711"), ("loyalty", "field:loyalty:4711")] {
            try await link(&device, "4711", field, settings)
            #expect(try await device.contactKey == key)
        }
        var caller = device.caller()
        caller.app.settings = settings
        let key = try ContactKey("4711")
        let rejected = await errorCode { try await world.links.identify(key, field: "phone", caller: caller) }
        #expect(rejected == "contactFieldNotAllowed")
        #expect(try await world.contactKeys().count == 2)
    }

    @Test("ID-3: without the setting the value alone counts, whatever the field, as before")
    func standard() async throws {
        let (world, settings) = try await world { _ in }
        var device = try await ServiceDevice.started(world, 1)
        for field in [nil, "3", "email"] {
            try await link(&device, "4711", field, settings)
            #expect(try await device.contactKey == "4711")
        }
    }

    @Test("ID-3, ID-9: a snapshot that repeats the value of another field keeps the contact")
    func snapshots() async throws {
        let world = try await ServiceWorld()
        var change = AppSettingsChange()
        change.contactField = .set("email")
        let settings = try await world.apps.changeSettings(change, of: world.app)
        var device = try await ServiceDevice.started(world, 1)
        try await link(&device, "4711", "loyalty", settings)
        for (key, expected) in [("4711", "field:loyalty:4711"), ("4712", "4712"), ("4711", "4711")] {
            _ = try await device.register { $0.contactKey = key }
            try await world.process()
            #expect(try await device.contactKey == expected)
        }
    }

    @Test(
        "SEC-2, ADM-5, ID-3: a snapshot repeats a former key, however many the contact has; they are read page by page")
    func formerKeys() async throws {
        let world = try await ServiceWorld()
        var change = AppSettingsChange()
        change.contactField = .set("email")
        let settings = try await world.apps.changeSettings(change, of: world.app)
        var device = try await ServiceDevice.started(world, 1)
        try await link(&device, "1", "loyalty", settings)
        let contact = try #require(try await device.row.contact)
        let (app, now, count) = (world.app.id, world.clock.now, SnapshotApplication.keysAtOnce + 2)
        let pages = try await world.database.write { connection in
            for number in 2...count {
                let key = "field:loyalty:\(number)"
                let id = try connection.contacts.findOrInsert(app: app, key: key, known: true, now: now)
                try connection.contacts.redirect(id, to: contact, now: now)
            }
            let (keys, limit) = (connection.formerKeys, SnapshotApplication.keysAtOnce)
            let first = try keys.aliases(of: contact, after: 0, limit: limit)
            let end = first.last?.number ?? 0
            return [first, try keys.aliases(of: contact, after: end, limit: limit)]
        }
        #expect(pages.map(\.count) == [SnapshotApplication.keysAtOnce, 1])
        for (key, expected) in [("\(count)", "field:loyalty:1"), ("2", "field:loyalty:1"), ("0", "0")] {
            _ = try await device.register { $0.contactKey = key }
            try await world.process()
            #expect(try await device.contactKey == expected)
        }
    }

    @Test("ID-9: a party identifier identifies in a name space of its own; logout ends it")
    func party() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.track(.test("anonymous"))
        device.keep(try await world.links.identify(Self.anna, caller: device.caller()))
        let key = try #require(try await device.contactKey)
        #expect(key == "party:email:primary:a@example.com")
        let contact = try await world.directory.contact(key, app: world.app)
        #expect(contact.contact.known && contact.contact.party == Self.anna)
        #expect(try await world.owners() == ["anonymous": key], "the history merges as at any login (ID-8)")
        // Known: another device gets the same person, and a contact key with that text is somebody else.
        var other = try await ServiceDevice.started(world, 2)
        other.keep(try await world.links.identify(Self.anna, caller: other.caller()))
        #expect(try await other.contactKey == key)
        try await other.identify("a@example.com")
        #expect(try await other.contactKey == "a@example.com")
        try await device.linkAnonymously()
        #expect(try await world.profile(device).contact?.known == false)
    }

    @Test("ID-9: a snapshot's party identifier describes, links nobody, and never makes it linkable")
    func described() async throws {
        let world = try await ServiceWorld()
        var claimer = try await ServiceDevice.started(world, 1)
        _ = try await claimer.register {
            $0.contactKey = "mallory"
            $0.partyIdentifier = Self.anna
        }
        try await world.process()
        #expect(try await world.profile(claimer).contact?.party == Self.anna)
        var device = try await ServiceDevice.started(world, 2)
        device.keep(try await world.links.identify(Self.anna, caller: device.caller()))
        #expect(try await device.contactKey == "party:email:primary:a@example.com")
        // And what a contact is linked by is no snapshot's to change.
        _ = try await device.register {
            $0.partyIdentifier = PartyIdentifier(type: "email", name: "primary", number: "b@example.com")
        }
        try await world.process()
        #expect(try await world.profile(device).contact?.party == Self.anna)
        let found = try await world.directory.contacts(
            app: world.app, orphaned: false, party: PartySearch(number: "a@example.com", type: "email"), before: nil,
            limit: 9
        )
        #expect(found.contacts.map(\.key) == ["party:email:primary:a@example.com", "mallory"])
        for search in [PartySearch(number: "b@example.com"), PartySearch(number: "a@example.com", name: "second")] {
            let page = try await world.directory.contacts(
                app: world.app, orphaned: false, party: search, before: nil, limit: 9
            )
            #expect(page.contacts.isEmpty)
        }
    }

    @Test("ID-9: in verified identity a party identifier is refused, and changes nothing")
    func verified() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        let before = try await device.row
        var caller = device.caller()
        caller.app.settings.identity = .verified
        let rejected = await errorCode { [caller] in try await world.links.identify(Self.anna, caller: caller) }
        #expect(rejected == "openIDRequired")
        #expect(try await device.row == before)
    }

    @Test("ID-9, CAMP-3, CAMP-4: audiences ask for a party identifier, and templates show it")
    func campaigns() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        _ = try await ServiceDevice.registered(world, 2, token: "token2")
        device.keep(try await world.links.identify(Self.anna, caller: device.caller()))
        let audiences: [(Condition, Int)] = [
            (.party(.number, .equal("a@example.com")), 1), (.party(.number, .equal("b@example.com")), 0),
            (.party(.type, .startsWith("em")), 1), (.party(.name, .exists(false)), 1),
            (.not(.party(.number, .equal("a@example.com"))), 1),
            (.all([.known(true), .party(.number, .isIn(["x", "a@example.com"]))]), 1),
        ]
        for (audience, count) in audiences {
            let id = try await world.launch(audience: audience)
            try await world.sendToTheEnd()
            #expect(try await world.counts(id).audience == count, "\(audience)")
        }
        let content = PushContent(title: "Hello", body: "{{contact.party.number}} of {{contact.party.type}}")
        let id = try await world.launch(audience: .party(.number, .equal("a@example.com")), push: content)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 1)
        let bodies = world.transport.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.contains { $0.contains("a@example.com of email") })
    }
}
