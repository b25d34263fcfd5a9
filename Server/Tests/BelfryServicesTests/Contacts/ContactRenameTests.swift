import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("Contacts that are renamed")
struct ContactRenameTests {
    @Test("ADM-5: a renamed contact keeps all it has; its former key leads to it, for devices and operators")
    func rename() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        try await device.tell(["city": "Paris"], key: "ann", tags: ["a"])
        try await device.identify("ann")
        try await device.track(.test("e1"))
        let number = try await world.contacts.rename("ann", to: "anna", field: "to", app: world.app).id
        // The app identifies with the key that it knows, and registers with it.
        try await device.identify("ann")
        try await device.tell(["city": "Oslo"], key: "ann", tags: ["a"])
        try await device.track(.test("e2"))
        let profile = try await world.directory.contact("ann", app: world.app)
        #expect(profile.contact.id == number && profile.contact.key == "anna" && profile.aliases == ["ann"])
        #expect(profile.contact.attributes == ["city": "Oslo"] && profile.tags == ["a"])
        #expect(profile.devices.map(\.client) == [device.client])
        #expect(try await world.owners() == ["e1": "anna", "e2": "anna"])
        // No list shows the former key.
        #expect(try await world.contactKeys().filter { !$0.hasPrefix(ContactKey.anonymousPrefix) } == ["anna"])
        // An audience that names the former key has the contact.
        let audience = Condition.contactKeys(["ann"])
        #expect(try await world.campaigns.audiences.count(audience, app: world.app) == 1)
    }

    @Test("ADM-5: a rename that comes again changes nothing more, and a contact may get its former key back")
    func repeated() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "ann")
        let id = try await world.contacts.rename("ann", to: "anna", field: "to", app: world.app).id
        let rows = try await world.rows("contacts")
        #expect(try await world.contacts.rename("ann", to: "anna", field: "to", app: world.app).id == id)
        #expect(try await world.rows("contacts") == rows)
        let back = try await world.contacts.rename("anna", to: "ann", field: "to", app: world.app)
        #expect(back.id == id && back.key == "ann")
        #expect(try await world.rows("contacts") == rows)
        let profile = try await world.directory.contact("anna", app: world.app)
        #expect(profile.contact.key == "ann" && profile.aliases == ["anna"])
    }

    @Test(
        "ADM-5: keys that are taken, reserved or blank, former keys and unknown contacts are refused; nothing changes")
    func rejections() async throws {
        let world = try await ServiceWorld()
        for (number, key) in ["ann", "bert"].enumerated() {
            _ = try await ServiceDevice.registered(world, number + 1, key: key)
        }
        _ = try await world.contacts.rename("bert", to: "bertram", field: "to", app: world.app)
        func code(_ key: String, _ to: String) async -> String? {
            await errorCode { try await world.contacts.rename(key, to: to, field: "to", app: world.app) }
        }
        let before = try await world.contactKeys()
        #expect(await code("ann", "bertram") == "conflict")
        #expect(await code("ann", "bert") == "conflict")
        #expect(await code("bert", "robert") == "conflict")
        #expect(await code("ann", " ") == "blank")
        #expect(await code("ann", "anonymous:1") == "reservedPrefix")
        #expect(await code("nobody", "somebody") == "notFound")
        #expect(try await world.contactKeys() == before)
    }

    @Test("ADM-5: an anonymous contact becomes known by its new key")
    func anonymous() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1)
        let key = try #require(try await device.contactKey)
        let contact = try await world.contacts.rename(key, to: "ann", field: "to", app: world.app)
        #expect(contact.known && contact.key == "ann")
        #expect(try await world.campaigns.audiences.count(.known(true), app: world.app) == 1)
        try await device.identify("ann")
        #expect(try await device.contactKey == "ann")
        #expect(try await world.rows("devices") == 1)
    }

    @Test("ADM-5, REG-36: an erasure removes the former keys, and is asked for by any of them")
    func erasure() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "Ann.Former@example.com")
        _ = try await world.contacts.rename("Ann.Former@example.com", to: "anna", field: "to", app: world.app)
        _ = try await world.contacts.erase("Ann.Former@example.com", app: world.app)
        #expect(try await world.rows("contacts") == 0)
        let traces = try await world.database.read { try $0.traces(of: "Ann.Former", .ofThisRun) }
        #expect(traces == [])
        // The key is free again: it may be somebody else's.
        let other = try await ServiceDevice.registered(world, 2, key: "Ann.Former@example.com")
        #expect(try await other.contactKey == "Ann.Former@example.com")
    }

    @Test(
        "ADM-5, ID-3: where contacts are proven, a registration with the former key is as good as one with the new one")
    func proven() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "ann")
        try await device.identify("ann")
        let app = world.app.id
        try await world.database.write { connection in
            var settings = AppSettings()
            settings.identity = .verified
            try connection.apps.save(settings: settings, of: app)
        }
        _ = try await world.contacts.rename("ann", to: "anna", field: "to", app: world.app)
        try await device.register { $0.contactKey = "ann" }
        try await world.process()
        let registration = try #require(try await world.profile(device).registration)
        #expect(registration.rejected == [])
        #expect(try await device.contactKey == "anna")
    }
}
