import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// SEC-9: what a device has registered may be some gigabytes, so a login has as much of it go along as takes a moment.
struct RegistrationMoveTests {
    /// A phone with as many long registrations as its person's login moves at once, between the newest and the first ones.
    private static let long = Int64(MoveRoom.maximumBytes >> 20)

    @Test(
        "SEC-9, SEC-2, ID-8: a login moves a limited number of bytes of what its device has registered, the newest first",
        arguments: Engine.ofEachRun)
    func login(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var phone = try await Self.phone(world)
        try await phone.identify("anna")
        let newest = Int(Self.long) + 1
        #expect(try await world.registrations(of: "anna") == newest)
        #expect(try await world.registrations(of: "anna", above: 1) == newest)
        #expect(try await world.rows("registrations") == newest + 1)
        try await world.followContacts()
        #expect(try await world.registrations(of: "anna") == newest + 1)
    }

    @Test("SEC-9, ID-7: what is on its way stays that person's when somebody else logs in meanwhile")
    func nextPerson() async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.phone(world)
        try await phone.identify("anna")
        try await phone.identify("bert")
        try await phone.say([:], of: "bert")
        try await world.followContacts()
        #expect(try await world.registrations(of: "anna") == Int(Self.long) + 2)
        #expect(try await world.registrations(of: "bert") == 1)
    }

    @Test("SEC-9, ADM-5: what is on its way goes on to the contact that its person became a part of")
    func merged() async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.phone(world)
        try await phone.identify("anna")
        _ = try await ServiceDevice.registered(world, 2, key: "ann")
        _ = try await world.contacts.merge("anna", into: "ann", field: "into", app: world.app)
        try await world.followContacts()
        #expect(try await world.registrations(of: "ann") == Int(Self.long) + 3)
    }

    @Test("REG-36: an erasure removes what is on its way to a person who has left the device")
    func erasure() async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.phone(world)
        try await phone.identify("anna")
        try await phone.identify("bert")
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await world.rows("registrations") == 0)
        #expect(try await world.rows("event_moves") == 0)
    }

    @Test(
        "SEC-9, REG-25: what is on its way is said, and no newest snapshot: of neither an attribute gets a value",
        arguments: Engine.ofEachRun)
    func review(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var other = try await ServiceDevice.started(world, 2)
        try await other.identify("anna")
        try await other.say(["shoe": "40"], of: "anna")
        // Behind that its first one said another shoe, and the newest says none.
        var phone = try await Self.phone(world)
        try await phone.identify("anna")
        #expect(try await world.rows("event_moves") == 1)
        try await world.define("shoe")
        #expect(try await world.attributes(of: "anna").isEmpty)
    }

    private static func phone(_ world: ServiceWorld) async throws -> ServiceDevice {
        var phone = try await ServiceDevice.started(world, 1)
        try await phone.say(["shoe": "42"], of: nil)
        for _ in 0...long { try await phone.say([:], of: nil) }
        let number = try await phone.row.id
        let text = String(repeating: "x", count: 1 << 20)
        try await world.database.write { connection in
            _ = try connection.execute(
                "UPDATE registrations SET snapshot = ? WHERE device_id = ? AND revision BETWEEN 2 AND ?",
                [.text(text), .integer(number), .integer(long + 1)]
            )
        }
        return phone
    }
}

extension ServiceWorld {
    /// How many a contact has, of those above a revision.
    fileprivate func registrations(of key: String, above revision: Int = 0) async throws -> Int {
        let contact = try await directory.contact(key, app: app).contact.id
        return try await rows("registrations", where: "contact_id = \(contact) AND revision > \(revision)")
    }
}
