import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// A client id is a name and no proof, and can be guessed: whoever links with it alone is another installation.
struct UnprovenLinkTests {
    @Test("WIRE-20: who knows an id ends, resets and reads nothing of the owner's installation")
    func impostor() async throws {
        let world = try await ServiceWorld()
        var owner = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        _ = try await owner.register { $0.pushToken = "token1" }
        let before = try await owner.row
        world.clock.advance(by: 60)
        var impostor = try ServiceDevice(world, 1)
        try await impostor.linkAnonymously()
        try await impostor.track(.test("stolen"))
        try await impostor.identify("mallory")
        impostor.revision = (1 << 53) - 3
        _ = try await impostor.register { $0.pushEnabled = false }
        #expect(try await owner.row == before)
        #expect(try await impostor.row.contact != before.contact)
        // What the owner said and is to be processed, and everything that it was given, goes on.
        try await world.process()
        let after = try await owner.row
        #expect(after.revision == 2 && after.pushToken?.value == "token1" && after.pushEnabled == true)
        try await owner.track(.test("own"))
        try await owner.refresh()
        try await owner.identify("anna")
        #expect(try await world.owners() == ["own": "anna", "stolen": "mallory"])
    }

    @Test("WIRE-20: an unauthenticated client's properties and push token are not the owner's")
    func impostorsWords() async throws {
        let world = try await ServiceWorld()
        let owner = try await ServiceDevice.registered(world, 1, token: "token1")
        let future = world.clock.now.milliseconds + 299_000
        var impostor = try ServiceDevice(world, 1)
        impostor.state = try await world.clients.putProperties(
            SystemProperties(locale: "de_DE", platform: "web"), osPushEnabled: false,
            caller: impostor.caller(order: future)
        ).clientState
        try await impostor.linkAnonymously(order: future)
        try await impostor.putToken("token2")
        let row = try await owner.row
        #expect(row.system == SystemProperties() && row.osPushEnabled == nil && row.pushToken?.value == "token1")
        let other = try await impostor.row
        #expect(other.system.platform == "web" && other.osPushEnabled == false && other.pushToken?.value == "token2")
    }

    @Test("WIRE-20, SEC-2: one installation comes of an id however often its properties are sent before the first link")
    func unlinked() async throws {
        let world = try await ServiceWorld()
        for _ in 0..<3 {
            _ = try await world.clients.putProperties(
                SystemProperties(platform: "ios"), osPushEnabled: nil, caller: ServiceDevice(world, 1).caller()
            )
        }
        var device = try ServiceDevice(world, 1)
        try await device.linkAnonymously()
        #expect(try await world.rows("devices") == 1)
        #expect(try await device.row.system.platform == "ios")
    }

    @Test("WIRE-20: who links an unlinked installation by its id alone gets nothing of who links it by its state then")
    func linkedBefore() async throws {
        let world = try await ServiceWorld()
        var owner = try ServiceDevice(world, 1)
        owner.state = try await world.clients
            .putProperties(SystemProperties(platform: "ios"), osPushEnabled: nil, caller: owner.caller()).clientState
        var impostor = try ServiceDevice(world, 1)
        try await impostor.linkAnonymously()
        world.clock.advance(by: 1)
        try await owner.linkAnonymously()
        world.clock.advance(by: 1)
        try await owner.identify("anna")
        // The owner has used no token yet.
        let former = impostor
        #expect(await errorCode { try await former.track(.test("stolen")) } == "contactTokenInvalid")
        let rejected = await errorCode {
            _ = try await world.links.refresh(former.refreshToken ?? "", caller: former.caller())
        }
        #expect(rejected != nil)
        try await impostor.linkAnonymously()
        try await impostor.track(.test("other"))
        try await owner.track(.test("own"))
        try await owner.refresh()
        let owners = try await world.owners()
        #expect(owners.keys.sorted() == ["other", "own"] && owners["own"] == "anna" && owners["other"] != "anna")
        let rows = try await (owner.row.id, impostor.row.id)
        #expect(rows.0 != rows.1)
    }

    @Test("WIRE-20, ID-1: when the responses to the first links were lost, the properties stay, and it is one device")
    func lostFirstLinks() async throws {
        let world = try await ServiceWorld()
        var client = try ServiceDevice(world, 1)
        client.state = try await world.clients
            .putProperties(SystemProperties(platform: "ios"), osPushEnabled: false, caller: client.caller()).clientState
        for _ in 0..<3 {
            var lost = client
            try await lost.linkAnonymously()
            world.clock.advance(by: 1)
        }
        let before = client
        try await client.linkAnonymously()
        try await client.putToken("token1")
        let device = try await client.row
        #expect(device.osPushEnabled == false && device.pushToken?.value == "token1")
        let devices = try await world.rows("devices")
        let contacts = try await world.rows("contacts")
        #expect(devices == 1 && contacts == 1)
        // Once a link is used, the state from before it opens the installation to nobody.
        var impostor = before
        try await impostor.linkAnonymously()
        let other = try await impostor.row
        #expect(other.id != device.id)
        try await client.track(.test("e1"))
    }

    @Test("WIRE-20, ID-3: a login whose responses were lost stays one installation's, by its state alone")
    func lostLogins() async throws {
        let world = try await ServiceWorld()
        var client = try await ServiceDevice.registered(world, 1, token: "token1")
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

    @Test("WIRE-20: a client that has lost its state begins again, and is accepted")
    func lostState() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        world.clock.advance(by: 60)
        var client = try ServiceDevice(world, 1)
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
        var client = try await ServiceDevice.started(world, 1)
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
}
