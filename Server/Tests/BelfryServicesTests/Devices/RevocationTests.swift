import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct RevocationTests {
    @Test("WIRE-20: a revoked device must register again, gets no push, and inherits nothing")
    func revoke() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        let key = try await device.contactKey
        _ = try await device.register { $0.contactKey = "anna" }
        try await world.links.revoke(device.client.rawValue.uppercased(), app: world.app)
        #expect(await errorCode { try await device.track(.test("e1")) } == "contactTokenInvalid")
        let rejected = await errorCode { try await device.refresh() }
        #expect(rejected == "registerAnew")
        // What waited goes too, or it would link the device again.
        try await world.process()
        let profile = try await world.profile(device)
        #expect(profile.contact == nil && profile.device.pushToken == nil && profile.device.revision == 0)
        #expect(try await world.rows("refresh_tokens") == 0)
        // It shows all that it has.
        world.clock.advance(by: 1)
        try await device.linkAnonymously()
        try await device.track(.test("e2"))
        #expect(try await device.contactKey != key)
    }

    @Test("WIRE-20: a revoked device may come back to its contact, which has lost nothing")
    func comesBack() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        try await device.track(.test("e1"))
        try await world.links.revoke(device.client.rawValue, app: world.app)
        world.clock.advance(by: 1)
        try await device.identify("anna")
        try await device.track(.test("e2"))
        #expect(try await world.owners() == ["e1": "anna", "e2": "anna"])
        #expect(try await world.rows("former_devices") == 0)
    }

    @Test("WIRE-20, SEC-2: installations under one id are revoked some at a time, the one that it shows first")
    func steps() async throws {
        let world = try await ServiceWorld()
        let count = LinkService.revokedAtOnce + 5
        var last = try await ServiceDevice.started(world, 1)
        for _ in 1..<count { last = try await ServiceDevice.started(world, 1) }
        let database = world.database
        func linked() async throws -> [Int64] {
            try await database.read { connection in
                try connection.query("SELECT id FROM devices WHERE contact_id IS NOT NULL", []) { $0.integer(0) }
            }
        }
        #expect(try await linked().count == count)
        let dying = LinkService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }), keys: world.keys,
            environment: world.environment
        )
        let (id, shown) = (last.client.rawValue, try last.authenticated().device)
        await #expect(throws: MortalDatabase.Dead.self) { try await dying.revoke(id, app: world.app) }
        let left = try await linked()
        #expect(left.count == 5)
        #expect(!left.contains(shown))
        // What was broken off is ended by the same call.
        try await world.links.revoke(id, app: world.app)
        #expect(try await linked().isEmpty)
    }

    @Test("WIRE-20, SEC-2: a step of a revocation ends no further installation once it has taken long")
    func slowInstallations() async throws {
        let world = try await ServiceWorld()
        var last = try await ServiceDevice.started(world, 1)
        for _ in 1..<5 { last = try await ServiceDevice.started(world, 1) }
        let dying = LinkService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }), keys: world.keys,
            environment: world.slowEnvironment
        )
        let id = last.client.rawValue
        // One is ended whatever time it takes, and then one after each fifth of a second of half a second.
        await #expect(throws: MortalDatabase.Dead.self) { try await dying.revoke(id, app: world.app) }
        #expect(try await world.rows("devices", where: "contact_id IS NOT NULL") == 2)
    }

    @Test("WIRE-20: only a device of the app can be revoked")
    func unknown() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        let device = try await ServiceDevice.started(world, 1)
        for (id, app) in [("x", world.app), (device.client.rawValue, other)] {
            #expect(await errorCode { try await world.links.revoke(id, app: app) } == "notFound")
        }
        try await device.track(.test("e1"))
    }
}
