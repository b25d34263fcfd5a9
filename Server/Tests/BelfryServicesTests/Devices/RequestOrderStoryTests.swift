import BelfryModel
import BelfryServices
import Foundation
import Testing

struct RequestOrderStoryTests {
    private let start = ServiceWorld.epoch.milliseconds

    @Test("WIRE-5, WIRE-21: an older order never overwrites a newer token, whichever call carries it")
    func tokens() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.putToken("token1", order: start + 10)
        try await device.putToken("token0", order: start + 5)
        #expect(try await world.profile(device).device.pushToken?.value == "token1")
        try await device.deleteToken(order: start + 9)
        #expect(try await world.profile(device).device.pushToken?.value == "token1")
        _ = try await device.register(order: start + 8) { $0.pushToken = "token0" }
        try await world.process()
        #expect(try await world.profile(device).device.pushToken?.value == "token1")
        _ = try await device.register(order: start + 11) { $0.pushToken = "token2" }
        try await world.process()
        #expect(try await world.profile(device).device.pushToken?.value == "token2")
        try await device.deleteToken(order: start + 12)
        #expect(try await world.profile(device).device.pushToken == nil)
    }

    @Test("WIRE-5: a token that is put again changes only its age")
    func idempotence() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        try await device.putToken("token1")
        let before = try await world.profile(device).device
        world.clock.advance(by: 60)
        try await device.putToken("token1")
        let after = try await world.profile(device).device
        #expect(after.pushToken == before.pushToken && after.optOut == before.optOut)
        #expect(after.tokenAt == world.clock.now)
        try await device.deleteToken()
        let deleted = try await world.profile(device).device
        try await device.deleteToken()
        #expect(try await world.profile(device).device == deleted)
    }

    @Test("WIRE-21: an older order never overwrites newer properties; absent ones stay")
    func properties() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let own = device
        let put = { @Sendable (system: SystemProperties, order: Int64) in
            _ = try await world.clients.putProperties(
                system, osPushEnabled: nil, caller: own.caller(order: order)
            )
        }
        try await put(SystemProperties(locale: "fr_FR", appVersion: "2"), start + 10)
        try await put(SystemProperties(locale: "de_DE", appVersion: "1"), start + 9)
        _ = try await device.register(order: start + 8) { $0.appVersion = "0" }
        try await world.process()
        #expect(try await world.profile(device).device.system == SystemProperties(locale: "fr_FR", appVersion: "2"))
        _ = try await device.register(order: start + 11) { $0.appVersion = "3" }
        try await world.process()
        #expect(try await world.profile(device).device.system == SystemProperties(locale: "fr_FR", appVersion: "3"))
    }

    @Test("WIRE-21: within an epoch an older order never overwrites a newer contact, whichever call carries it")
    func contacts() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna", order: start + 10)
        _ = try await device.register(order: start + 20) { $0.contactKey = "bert" }
        try await world.process()
        #expect(try await device.contactKey == "bert")
        _ = try await device.register(order: start + 19) { $0.contactKey = "cleo" }
        try await world.process()
        #expect(try await device.contactKey == "bert")
        // A link from before it that arrives now gets no tokens of bert's; the client registers anew, and is linked.
        var late = device
        try await late.identify("cleo", order: start + 18)
        #expect(try await device.contactKey == "bert")
        #expect(await errorCode { try await late.track(.test("e1")) } == "contactTokenInvalid")
        let rejected = await errorCode { try await late.refresh() }
        #expect(rejected == "registerAnew")
        try await late.identify("cleo", order: start + 21)
        #expect(try await late.contactKey == "cleo")
        try await late.track(.test("e2"))
    }

    @Test("REG-27: a token that is put directly moves, also when the clock was set back since its former holder's")
    func clockSetBack() async throws {
        let world = try await ServiceWorld()
        let former = try await ServiceDevice.started(world, 1)
        try await former.putToken("token1")
        let (app, client) = (world.app.id, former.client)
        try await world.database.write { connection in
            guard var row = try connection.devices.find(app: app, client: client) else { return }
            row.tokenAt = ServiceWorld.epoch.addingTimeInterval(3_600)
            try connection.devices.save(row)
        }
        let newer = try await ServiceDevice.started(world, 2)
        try await newer.putToken("token1")
        #expect(try await world.profile(newer).device.pushToken?.value == "token1")
        #expect(try await world.profile(former).device.pushToken == nil)
    }
}
