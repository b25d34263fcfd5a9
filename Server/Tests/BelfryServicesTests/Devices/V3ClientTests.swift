import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What the server knows of clients of Mobile Engage v3, and what follows from it.
struct V3ClientTests {
    private static let android = V3Caller(version: "3.11.0", mode: "production")

    private static func properties(
        _ device: inout ServiceDevice, _ v3: V3Caller?, osPushEnabled: Bool? = nil, channel: String? = nil
    ) async throws {
        var caller = device.caller()
        caller.v3 = v3
        device.state = try await device.world.clients.putProperties(
            SystemProperties(platform: "android"), osPushEnabled: osPushEnabled, channel: channel, caller: caller
        ).clientState
    }

    /// A device whose client and token are known.
    private static func started(
        _ world: ServiceWorld, _ number: Int, _ v3: V3Caller?, channel: String? = nil
    ) async throws -> ServiceDevice {
        var device = try ServiceDevice(world, number)
        try await properties(&device, v3, channel: channel)
        try await device.linkAnonymously()
        try await put("token\(number)", of: device, v3)
        return device
    }

    private static func put(_ token: String, of device: ServiceDevice, _ v3: V3Caller?) async throws {
        let token = try PushToken(token, provider: .fcm, environment: .production)
        _ = try await device.world.clients.putPushToken(token, v3: v3, caller: try device.authenticated())
    }

    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        try await world.apps.putFCMCredentials(TestKeys.fcm(), app: world.app)
        return world
    }

    /// The body of the last push to a device.
    private static func push(to number: Int, _ world: ServiceWorld) throws -> String {
        let request = try #require(world.transport.requests(for: "token\(number)").last)
        return String(decoding: request.body, as: UTF8.self)
    }

    @Test("WIRE-29: of one campaign each device gets the form that its client reads, with a channel of its app")
    func forms() async throws {
        let world = try await Self.world()
        _ = try await Self.started(world, 1, Self.android, channel: "news")
        _ = try await Self.started(world, 2, V3Caller(version: "3.6.0", mode: nil), channel: "offers")
        _ = try await Self.started(world, 3, nil)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        let pushes = try (1...3).map { try Self.push(to: $0, world) }
        #expect(pushes.map { $0.contains(#""ems.version""#) } == [true, false, false])
        #expect(pushes.map { $0.contains(#""ems_msg""#) } == [false, true, false])
        #expect(pushes.map { $0.contains(#""notification":{"#) } == [false, false, true])
        #expect(pushes[0].contains(#""notification.channel_id":"news""#))
        #expect(pushes[1].contains(#""channel_id":"offers""#))
        #expect(pushes.allSatisfy { $0.contains(#""belfry":"#) })
    }

    @Test("WIRE-29: an app that is upgraded to Belfry's SDK is served in its words, from its next call on")
    func upgrade() async throws {
        let world = try await Self.world()
        let byToken = try await Self.started(world, 1, Self.android)
        var byProperties = try await Self.started(world, 2, Self.android)
        var bySnapshot = try await Self.started(world, 3, Self.android)
        try await Self.put("token1", of: byToken, nil)
        try await Self.properties(&byProperties, nil)
        _ = try await bySnapshot.register()
        try await world.process()
        // Known before, and heard of again.
        let back = try await Self.started(world, 4, nil)
        try await Self.put("token4", of: back, Self.android)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        let isV3 = try (1...4).map { try Self.push(to: $0, world).contains(#""ems.version""#) }
        #expect(isV3 == [false, false, false, true])
    }

    @Test("WIRE-20, WIRE-29: who knows no more than an id changes neither whose words it is served in nor its channel")
    func impostor() async throws {
        let world = try await Self.world()
        _ = try await Self.started(world, 1, Self.android, channel: "news")
        world.clock.advance(by: 1)
        var impostor = try ServiceDevice(world, 1)
        try await Self.properties(&impostor, nil)
        try await Self.properties(&impostor, V3Caller(version: "1.0.0", mode: nil), channel: "other")
        _ = try await world.launch()
        try await world.sendToTheEnd()
        let push = try Self.push(to: 1, world)
        #expect(push.contains(#""ems.version""#) && push.contains(#""notification.channel_id":"news""#))
    }

    @Test("REG-22: what a re-installed client said of the permission counts with its link, and changes nothing before")
    func reinstallation() async throws {
        for (isAllowed, former) in [(false, true), (true, false)] {
            let world = try await Self.world()
            var owner = try ServiceDevice(world, 1)
            try await Self.properties(&owner, Self.android, osPushEnabled: former)
            try await owner.linkAnonymously()
            try await owner.track(.test("e1"))
            try await Self.put("token1", of: owner, Self.android)
            let before = try await world.profile(owner).device
            world.clock.advance(by: 60)

            var again = try ServiceDevice(world, 1)
            try await Self.properties(&again, Self.android, osPushEnabled: isAllowed)
            let meanwhile = try await world.profile(owner).device
            #expect(meanwhile.osPushEnabled == former && meanwhile.optOut == before.optOut)
            try await again.linkAnonymously()
            try await Self.put("token1", of: again, Self.android)
            let device = try await world.profile(again).device
            #expect(device.osPushEnabled == isAllowed)
            #expect(device.optOut?.reason == (isAllowed ? nil : .osSetting))
            // The next response's state says nothing more of it.
            world.clock.advance(by: 60)
            try await again.identify("anna")
            #expect(try await world.profile(again).device.osPushEnabled == isAllowed)
        }
    }
}
