import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// SEC-2, SEC-10: a device that is revoked may have registered hundreds of megabytes. It ends at once, and they go some at a
/// time.
struct EndedInstallationTests {
    /// A revoked device of `anna`, whose eight registrations wait. Three of them are as much as a transaction removes.
    private static func revoked(_ world: ServiceWorld) async throws -> ServiceDevice {
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        let text = String(repeating: "x", count: MoveRoom.maximumBytes / 3)
        for _ in 0..<8 {
            try await device.register {
                $0.contactKey = "bert"
                $0.attributes = ["bio": .string(text)]
            }
        }
        try await world.links.revoke(device.client.rawValue, app: world.app)
        return device
    }

    @Test(
        "SEC-10, SEC-2: a revocation removes a limited number of bytes of registrations; nobody is shown the rest, or has it applied",
        arguments: Engine.ofEachRun)
    func isHidden(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let device = try await Self.revoked(world)
        #expect(try await world.rows("registrations") == 5)
        let error = await errorCode { try await device.track(.test("e1")) }
        #expect(error == "contactTokenInvalid")
        try await world.process()
        #expect(try await world.rows("registrations", where: "status = 'superseded'") == 5)
        #expect(try await world.rows("contacts", where: "contact_key = 'bert'") == 0)
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE registrations SET status = 'processed'")
        }
        let profile = try await world.profile(device)
        #expect(profile.contact == nil && profile.device.revision == 0 && profile.registration == nil)
        let timeline = try await world.explainer.timeline(
            of: .key("anna"), app: world.app, kind: .registration, limit: 20
        )
        #expect(timeline.entries.isEmpty)
        var exported = 0
        try await world.contacts.export("anna", app: world.app).forEachPart { part in
            if case .registrations(let page) = part { exported += page.count }
        }
        #expect(exported == 0)
    }

    @Test(
        "SEC-10, SEC-2: what is left of a revoked device goes in bounded steps, also when the process dies between them",
        arguments: Engine.ofEachRun)
    func steps(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await Self.revoked(world)
        // Nobody has the row meanwhile: whoever comes back has another one, and keeps what is said by it.
        world.clock.advance(by: 1)
        try await device.identify("anna")
        #expect(try await world.rows("devices") == 2)
        try await device.say([:], of: nil)
        let dying = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                let left = try connection.first("SELECT count(*) FROM registrations", []) { $0.integer(0) } ?? 0
                return left <= 3
            }
        )
        var place = ContactFollower.Place()
        try await world.makeFollower(dying).turn(from: &place)
        #expect(try await world.rows("registrations") == 3)
        #expect(try await world.rows("event_moves") == 1)
        try await world.followContacts()
        #expect(try await world.rows("registrations") == 1)
        let kept = try await device.row.id
        #expect(try await world.rows("registrations", where: "device_id = \(kept)") == 1)
    }

    @Test("WIRE-20, SEC-2: who comes back meanwhile by the id alone begins one other installation, however often")
    func repeatedCalls() async throws {
        let world = try await ServiceWorld()
        _ = try await Self.revoked(world)
        for _ in 0..<3 {
            _ = try await world.clients.putProperties(
                SystemProperties(platform: "ios"), osPushEnabled: nil, caller: ServiceDevice(world, 1).caller()
            )
        }
        #expect(try await world.rows("event_moves") == 1)
        #expect(try await world.rows("devices") == 2)
    }

    @Test("SEC-10: once nothing is left of a revoked device, it has its row again")
    func comesBack() async throws {
        let world = try await ServiceWorld()
        var device = try await Self.revoked(world)
        #expect(try await world.rows("event_moves") == 1)
        try await world.followContacts()
        #expect(try await world.rows("registrations") == 0)
        world.clock.advance(by: 1)
        try await device.identify("anna")
        #expect(try await world.rows("devices") == 1)
    }
}
