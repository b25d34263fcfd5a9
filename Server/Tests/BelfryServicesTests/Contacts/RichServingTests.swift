import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Rich content is served until a device confirms it (MC-9), and again to a device that had to discard it.
struct RichServingTests {
    private static func fetch(_ id: CampaignID, _ device: ServiceDevice) async throws -> String {
        let message = try await device.world.messageID(id, device)
        return try await device.world.inboxService.richContent(of: message, for: device.authenticated()).value.html
    }

    /// Fetches it, and says that it is stored.
    private static func store(_ id: CampaignID, _ device: ServiceDevice) async throws {
        #expect(try await fetch(id, device) == "<p>News</p>")
        let message = try await device.world.messageID(id, device)
        _ = try await device.world.inboxService.setRichContent(
            isStored: true, of: message, for: device.authenticated()
        )
    }

    private static func kept(_ world: ServiceWorld) async throws -> CampaignID {
        let message = MessageCenterContent(subject: "News", message: "Only today", richHtml: "<p>News</p>")
        let id = try await world.launch(message: message)
        try await world.sendToTheEnd()
        return id
    }

    @Test("MC-9, ID-4: a person who logs in again on a device gets the rich content again")
    func comesBack() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let tablet = try await ServiceDevice.registered(world, 2, key: "anna")
        try await device.identify("anna")
        let id = try await Self.kept(world)
        for device in [device, tablet] { try await Self.store(id, device) }
        world.clock.advance(by: 1)
        try await device.linkAnonymously()
        world.clock.advance(by: 1)
        try await device.identify("anna")
        try await Self.store(id, device)
        // It is served once again, and no more; what another device has stored stays there.
        for device in [device, tablet] {
            let code = await errorCode { try await Self.fetch(id, device) }
            #expect(code == "richContentAlreadyServed")
        }
    }

    @Test("MC-9, WIRE-20: a new installation gets content that the previous one was served")
    func newInstallation() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let id = try await Self.kept(world)
        try await Self.store(id, device)
        world.clock.advance(by: 1)
        var installation = try ServiceDevice(world, 1)
        try await installation.identify("anna")
        #expect(try await Self.fetch(id, installation) == "<p>News</p>")
    }
}
