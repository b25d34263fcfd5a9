import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct RevocationTests {
    @Test("WIRE-20: a revoked device must register again, gets no push, and inherits nothing")
    func revoke() async throws {
        let world = try await ServiceWorld()
        var device = try await TestDevice.registered(world, 1, token: "token1")
        let key = try await device.contactKey
        _ = try await device.register { $0.contactKey = "anna" }
        try await world.links.revoke(device.client.rawValue.uppercased(), app: world.app)
        #expect(await refusalCode { try await device.track(.test("e1")) } == "contactTokenInvalid")
        let refused = await refusalCode { try await device.refresh() }
        #expect(refused == "registerAnew")
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
        var device = try await TestDevice.started(world, 1)
        try await device.identify("anna")
        try await device.track(.test("e1"))
        try await world.links.revoke(device.client.rawValue, app: world.app)
        world.clock.advance(by: 1)
        try await device.identify("anna")
        try await device.track(.test("e2"))
        #expect(try await world.owners() == ["e1": "anna", "e2": "anna"])
        #expect(try await world.rows("former_devices") == 0)
    }

    @Test("WIRE-20: only a device of the app can be revoked")
    func unknown() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        let device = try await TestDevice.started(world, 1)
        for (id, app) in [("x", world.app), (device.client.rawValue, other)] {
            #expect(await refusalCode { try await world.links.revoke(id, app: app) } == "notFound")
        }
        try await device.track(.test("e1"))
    }
}
