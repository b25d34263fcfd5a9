import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// FLEET-2: what is kept for a device, and of it, while it is dormant.
struct KeptForDormantTests {
    @Test("FLEET-2, MC-15, BADGE-5: an installation's own inbox and its badge wait for it")
    func inbox() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        _ = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let badges = BadgeService(database: world.database, keys: world.keys)
        let badge = try await badges.set(3, revision: nil, of: device.authenticated()).value
        try await world.putAway(device)
        await world.housekeeping.tidy()
        #expect(try await world.inbox(device).count == 1)
        #expect(try await world.deviceCounts() == [0, 1, 0])
        let messages = try await world.inboxService.messages(in: "Primary", for: device.authenticated()).value
        #expect(messages.count == 1)
        let kept = try await badges.badge(of: device.authenticated()).value
        #expect(kept == badge && kept.count == 3)
        #expect(try await world.deviceCounts() == [1, 0, 1])
    }

    @Test("FLEET-2, LED-1: an in-app campaign that ends closes the rows of dormant devices as well")
    func inAppEnd() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        let end = world.clock.now.addingTimeInterval(3_600)
        let id = try await world.offer(ServiceWorld.modal(endsAt: end))
        try await world.planInAppCampaigns()
        #expect(try await world.counts(id).pending == 1)
        try await world.putAway(device)
        world.clock.advance(by: 3_601)
        try await world.planInAppCampaigns()
        let counts = try await world.counts(id)
        #expect(counts.pending == 0 && counts.total == 1)
    }

    @Test("FLEET-2, REG-32: a browser whose subscription is gone comes back with a new one, and gets pushes again")
    func browser() async throws {
        let world = try await ServiceWorld()
        _ = try await world.apps.putWebPushCredentials(TestKeys.webPush(), app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        try await device.putToken(TestKeys.subscription("https://push.example.com/send/1"), provider: .webpush)
        world.transport.answer("/send/1", .answered(status: 410, body: ""))
        _ = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.optOuts(.tokenInvalid) == 1)
        await world.pass(days: 401)
        #expect(try await world.deviceCounts() == [0, 1, 0])
        try await device.refresh()
        try await device.putToken(TestKeys.subscription("https://push.example.com/send/2"), provider: .webpush)
        #expect(try await world.deviceCounts() == [1, 0, 1])
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 1)
        #expect(world.transport.requests.map(\.path) == ["/send/1", "/send/2"])
    }

    @Test("FLEET-2, REG-24, ADM-4: what a person did on a device that has left them stays theirs while it is dormant")
    func former() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        try await device.track(.test("e1", EventName("buy"), kind: .custom))
        world.clock.advance(by: 1)
        try await device.identify("bert")
        _ = try await ServiceDevice.registered(world, 2, key: "anna")
        let before = try await Self.whatIsAnnas(world)
        #expect(before.buyers == 1)
        #expect(String(decoding: before.export, as: UTF8.self).contains("buy"))
        try await world.putAway(device)
        let after = try await Self.whatIsAnnas(world)
        #expect(after.buyers == before.buyers && after.export == before.export)
        #expect(try await world.owners() == ["e1": "anna"])
    }

    /// How many devices of people who have bought something an audience has, and what an export of Anna has.
    private static func whatIsAnnas(_ world: ServiceWorld) async throws -> (buyers: Int, export: [UInt8]) {
        let buyers = try await world.campaigns.audiences.count(.event(EventClause(name: "buy")), app: world.app)
        var document = ContactExportDocument(
            try await world.contacts.export("anna", app: world.app), app: world.app.code, at: world.clock.now
        )
        var bytes: [UInt8] = []
        try await document.write { bytes += $0 }
        return (buyers, bytes)
    }
}
