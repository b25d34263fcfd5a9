import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// A client id is a name and no proof: what happens when somebody links with it alone, and when the owner comes back.
struct UnprovenLinkTests {
    @Test("WIRE-20, REG-27: a known client id gives nobody the pushes of its owner's next login")
    func pushToken() async throws {
        let world = try await ServiceWorld()
        var owner = try await TestDevice.registered(world, 1, key: "anna", token: "token1")
        try await owner.identify("anna")
        world.clock.advance(by: 60)
        var stranger = try TestDevice(world, 1)
        try await stranger.linkAnonymously()
        #expect(try await world.profile(owner).device.pushToken == nil)
        try await stranger.putToken("token2")
        // The owner's client registers again. It sends the state of another contact.
        #expect(await refusalCode { try await owner.track(.test("e1")) } == "contactTokenInvalid")
        let refused = await refusalCode { try await owner.refresh() }
        #expect(refused == "registerAnew")
        world.clock.advance(by: 1)
        try await owner.identify("anna")
        let profile = try await world.profile(owner)
        #expect(profile.contact?.key == "anna" && profile.device.pushToken == nil)
        #expect(await refusalCode { try await stranger.putToken("token2") } == "contactTokenInvalid")
        try await owner.putToken("token1")
        #expect(try await world.profile(owner).device.pushToken?.value == "token1")
    }

    @Test("WIRE-20, REG-21: revisions that an unauthenticated client used do not affect the owner")
    func revisions() async throws {
        let world = try await ServiceWorld()
        var owner = try await TestDevice.registered(world, 1)
        world.clock.advance(by: 60)
        var stranger = try TestDevice(world, 1)
        try await stranger.linkAnonymously()
        stranger.revision = (1 << 53) - 3
        _ = try await stranger.register()
        try await world.process()
        #expect(try await world.profile(owner).device.revision == (1 << 53) - 2)
        // This one still waits when the owner comes back.
        _ = try await stranger.register { $0.pushEnabled = false }
        world.clock.advance(by: 1)
        try await owner.linkAnonymously()
        let receipt = try await owner.register()
        #expect(receipt.revision == 2)
        try await world.process()
        let device = try await world.profile(owner).device
        #expect(device.revision == 2 && device.pushEnabled == true)
        #expect(try await world.rows("registrations") == 1)
    }

    @Test("WIRE-20: an unauthenticated client's tokens end with the owner's next link")
    func strangersState() async throws {
        let world = try await ServiceWorld()
        var owner = try await TestDevice.registered(world, 1)
        world.clock.advance(by: 60)
        var stranger = try TestDevice(world, 1)
        try await stranger.linkAnonymously()
        try await stranger.track(.test("e1"))
        world.clock.advance(by: 1)
        try await owner.linkAnonymously()
        try await owner.putToken("token1")
        // An unused link of the owner does not authenticate the other client either.
        try await owner.identify("anna")
        world.clock.advance(by: 1)
        try await stranger.linkAnonymously()
        let profile = try await world.profile(owner)
        #expect(profile.device.pushToken == nil && profile.contact?.key != "anna")
    }

    @Test("WIRE-20, WIRE-21: an order from the future blocks the owner no longer than a slow network explains")
    func futureOrder() async throws {
        let world = try await ServiceWorld()
        var owner = try await TestDevice.registered(world, 1)
        world.clock.advance(by: 60)
        var stranger = try TestDevice(world, 1)
        try await stranger.linkAnonymously(order: world.clock.now.milliseconds + 299_000)
        try await stranger.identify("mallory", order: world.clock.now.milliseconds + 299_000)
        world.clock.advance(by: 1)
        try await owner.linkAnonymously()
        try await owner.track(.test("e1"))
        #expect(try await owner.contactKey != "mallory")
    }

    @Test("WIRE-20, ID-3: a login whose responses were lost stays one installation's, by its state alone")
    func lostLogins() async throws {
        let world = try await ServiceWorld()
        var client = try await TestDevice.registered(world, 1, token: "token1")
        // Clients of version 3 show no token at a login.
        client.contactToken = nil
        for key in ["anna", "anna", "bert", "bert"] {
            world.clock.advance(by: 1)
            var lost = client
            try await lost.identify(key)
            #expect(try await lost.contactKey == key)
        }
        let device = try await world.profile(client).device
        #expect(device.pushToken?.value == "token1" && device.revision == 1)
        world.clock.advance(by: 1)
        try await client.linkAnonymously()
        try await client.track(.test("e1"))
        #expect(try await world.profile(client).device.pushToken?.value == "token1")
    }

    @Test("WIRE-20, ID-1: when the first link's response was lost, the properties stay")
    func lostFirstLink() async throws {
        let world = try await ServiceWorld()
        var client = try TestDevice(world, 1)
        client.state = try await world.clients
            .putProperties(SystemProperties(platform: "ios"), osPushEnabled: false, caller: client.caller()).clientState
        var lost = client
        try await lost.linkAnonymously()
        world.clock.advance(by: 1)
        try await client.linkAnonymously()
        try await client.putToken("token1")
        let device = try await world.profile(client).device
        #expect(device.osPushEnabled == false && device.pushToken?.value == "token1")
    }

    @Test("WIRE-20: a client that has lost its state begins again, and is accepted")
    func lostState() async throws {
        let world = try await ServiceWorld()
        _ = try await TestDevice.registered(world, 1, key: "anna", token: "token1")
        world.clock.advance(by: 60)
        var client = try TestDevice(world, 1)
        _ = try await world.clients.putProperties(
            SystemProperties(platform: "ios", appVersion: "2"), osPushEnabled: nil, caller: client.caller()
        )
        try await client.identify("anna")
        try await client.putToken("token2")
        _ = try await client.register()
        try await world.process()
        let profile = try await world.profile(client)
        #expect(profile.contact?.key == "anna" && profile.device.pushToken?.value == "token2")
        #expect(profile.device.revision == 1 && profile.device.system.appVersion == "2")
    }

    @Test("WIRE-20: refresh tokens of lost responses do not pile up, and the one in use stays")
    func refreshTokens() async throws {
        let world = try await ServiceWorld()
        var client = try await TestDevice.started(world, 1)
        try await client.track(.test("e1"))
        var last = client
        for _ in 0..<40 {
            world.clock.advance(by: 1)
            var lost = client
            try await lost.linkAnonymously()
            last = lost
        }
        #expect(try await world.rows("refresh_tokens") == 9)
        try await client.refresh()
        try await last.refresh()
        #expect(try await world.rows("refresh_tokens") == 1)
    }

    @Test("WIRE-20, WIRE-21: a client id alone changes neither a device's platform nor its properties")
    func properties() async throws {
        let world = try await ServiceWorld()
        let device = try await TestDevice.started(world, 1)
        func put(_ system: SystemProperties, by device: TestDevice, order: Int64? = nil) async throws {
            let caller = device.caller(order: order)
            _ = try await world.clients.putProperties(system, osPushEnabled: nil, caller: caller)
        }
        try await put(SystemProperties(locale: "fr_FR", platform: "ios"), by: device)
        let future = world.clock.now.milliseconds + 299_000
        try await put(SystemProperties(locale: "de_DE", platform: "web"), by: TestDevice(world, 1), order: future)
        #expect(try await world.profile(device).device.system.platform == "ios")
        world.clock.advance(by: 1)
        try await put(SystemProperties(locale: "it_IT"), by: device)
        #expect(try await world.profile(device).device.system == SystemProperties(locale: "it_IT", platform: "ios"))
    }
}
