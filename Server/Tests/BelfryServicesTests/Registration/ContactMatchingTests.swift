import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct ContactMatchingTests {
    @Test("REG-22: an unknown key creates a contact, a known one updates it, including the last open")
    func knownContact() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        for (hour, city) in [(2, "Paris"), (5, "Rome"), (3, "Oslo")] {
            _ = try await device.register {
                $0.contactKey = " anna "
                $0.attributes = ["city": .string(city)]
                $0.lastOpenedAt = "2026-11-21T0\(hour):00:00Z"
            }
            try await world.process()
        }
        let contact = try await world.directory.contact("anna", app: world.app)
        #expect(contact.contact.known && contact.contact.attributes == ["city": "Oslo"])
        #expect(contact.devices.map(\.client) == [device.client])
        // The time of the last open never goes back, even if an older one is reported later.
        let lastOpen = Timestamp.date("2026-11-21T05:00:00Z")
        #expect(contact.contact.lastOpenedAt == lastOpen && contact.devices[0].lastOpenedAt == lastOpen)
    }

    @Test("REG-23, REG-27: a push token takes nobody's contact over by itself")
    func holder() async throws {
        let world = try await ServiceWorld()
        let old = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        world.clock.advance(by: 60)
        let new = try await world.unlinkedDevice(2, token: "token1")
        #expect(try await old.contactKey == "anna")
        #expect(try await world.profile(new).contact?.known == false)
        #expect(try await world.profile(old).device.pushToken == nil)
        #expect(try await world.profile(new).device.pushToken?.value == "token1")
    }

    @Test("REG-23: a device without a contact gets one with a key of the server's own")
    func anonymous() async throws {
        let world = try await ServiceWorld()
        let device = try await world.unlinkedDevice(1, token: "token1")
        let contact = try #require(try await world.profile(device).contact)
        #expect(!contact.known && contact.key.hasPrefix("anonymous:"))
        let other = try await world.unlinkedDevice(2, token: "token2")
        #expect(try await other.contactKey != contact.key)
    }

    @Test("REG-23: a snapshot without a key never re-parents")
    func withoutKey() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        var device = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        _ = try await device.register { $0.pushToken = "token1" }
        try await world.process()
        #expect(try await device.contactKey == "bert")
    }

    @Test("REG-24: another key re-parents the device, with its values; the former contact keeps its own")
    func reparenting() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        let second = try await ServiceDevice.registered(world, 2, key: "anna")
        for key in ["anna", "bert"] {
            _ = try await device.register {
                $0.contactKey = key
                $0.attributes = ["city": "Paris"]
                $0.tags = ["sports"]
            }
            try await world.process()
        }
        let anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.devices.map(\.client) == [second.client])
        #expect(anna.contact.attributes == ["city": "Paris"])
        let bert = try await world.directory.contact("bert", app: world.app)
        #expect(bert.devices.map(\.client) == [device.client])
        #expect(bert.contact.attributes == ["city": "Paris"] && bert.tags == ["sports"])
        // Re-parenting by a snapshot ends no token (ID-9).
        #expect(throws: Never.self) { try device.authenticated() }
        try await device.track(.test("e1"))
    }

    @Test("REG-27: a registration that waited does not take the token back from the newer installation")
    func lateProcessing() async throws {
        let world = try await ServiceWorld()
        var old = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        _ = try await old.register { $0.pushToken = "token1" }
        world.clock.advance(by: 1)
        // The app is reinstalled, and its token arrives before the last registration of the old installation is
        // processed.
        let new = try await ServiceDevice.started(world, 2)
        try await new.putToken("token1")
        world.clock.advance(by: 1)
        try await world.process()
        #expect(try await world.profile(old).device.pushToken == nil)
        #expect(try await world.profile(new).device.pushToken?.value == "token1")
    }
}

extension ServiceWorld {
    /// A device that registered without ever being linked, as none can over the device API.
    func unlinkedDevice(_ number: Int, token: String) async throws -> ServiceDevice {
        let device = try ServiceDevice(self, number)
        var snapshot = device.snapshot(revision: 1)
        snapshot.pushToken = token
        let (app, now) = (app.id, clock.now)
        try await database.write { [snapshot] connection in
            let row = try connection.devices.findOrInsert(app: app, client: device.client, now: now)
            try connection.registrations.insert(
                device: row.id, snapshot: snapshot, requestOrder: now.milliseconds, now: now
            )
        }
        try await process()
        return device
    }
}

extension RegistrationRepository {
    @discardableResult
    func insert(device: Int64, snapshot: RegistrationSnapshot, requestOrder: Int64, now: Date) throws -> Bool {
        try insert(
            snapshot.registrationId, revision: snapshot.revision, snapshot: JSONText.encode(snapshot), device: device,
            order: PropertyOrder(milliseconds: requestOrder), now: now
        )
    }
}
