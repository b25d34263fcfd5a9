import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What becomes of messages in centers when their contact goes.
struct MessageCenterMessageLifeTests {
    private static let tables = ["center_messages", "rich_servings", "badges"]

    /// A message of the campaign 1 for the device's contact, its rich content served, and a badge.
    private static func keep(for device: TestDevice) async throws {
        let profile = try await device.world.profile(device)
        let (app, contact) = (device.world.app.id, try #require(profile.contact?.id))
        let id = try #require(CampaignID(1 as Int64))
        try await device.world.database.write { connection in
            try connection.centerMessages.keep([
                KeptMessage(
                    contact: contact, center: .primary, sentAt: ServiceWorld.epoch, campaign: id, app: app,
                    body: "Hi Anna"
                )
            ])
            _ = try connection.richServings.serve(
                contact: contact, campaign: id, device: profile.device.id, key: "k", now: ServiceWorld.epoch
            )
            _ = try connection.badges.set(count: 1, baseRevision: nil, device: profile.device.id, maximum: 9)
        }
    }

    @Test("REG-36: an erasure removes a person's messages and badges, and nobody else's")
    func erased() async throws {
        let world = try await ServiceWorld()
        let bystander = try await TestDevice.registered(world, 9, key: "bert")
        let anna = try await TestDevice.registered(world, 1, key: "anna")
        let annaToo = try await TestDevice.registered(world, 2, key: "anna")
        for device in [bystander, anna, annaToo] { try await Self.keep(for: device) }
        #expect(try await world.rows("center_messages") == 2)
        _ = try await world.contacts.erase("anna", app: world.app)
        for table in Self.tables { #expect(try await world.rows(table) == 1, "\(table)") }
        let left = try await world.profile(bystander).contact?.id ?? 0
        #expect(try await world.rows("center_messages", where: "contact_id = \(left)") == 1)
    }

    @Test("ID-8: an anonymous contact's messages do not move to the known one, and are removed")
    func merged() async throws {
        let world = try await ServiceWorld()
        let known = try await TestDevice.registered(world, 9, key: "anna")
        try await Self.keep(for: known)
        var device = try await TestDevice.started(world, 1)
        try await Self.keep(for: device)
        #expect(try await world.rows("center_messages") == 2)
        world.clock.advance(by: 1)
        try await device.identify("anna")
        let anna = try #require(try await world.profile(device).contact?.id)
        #expect(try await world.rows("center_messages", where: "contact_id = \(anna)") == 1)
        #expect(try await world.rows("center_messages") == 1)
        #expect(try await world.rows("rich_servings") == 1)
    }

    @Test("MC-5: a person who logs out and in again finds their messages")
    func comesBack() async throws {
        let world = try await ServiceWorld()
        var device = try await TestDevice.started(world, 1)
        try await device.identify("anna")
        try await Self.keep(for: device)
        for _ in 0..<2 {
            world.clock.advance(by: 1)
            try await device.linkAnonymously()
            world.clock.advance(by: 1)
            try await device.identify("anna")
        }
        let anna = try #require(try await world.profile(device).contact?.id)
        #expect(try await world.rows("center_messages", where: "contact_id = \(anna)") == 1)
    }

    @Test("REG-24: a removed orphan leaves no message behind")
    func orphan() async throws {
        let world = try await ServiceWorld()
        var device = try await TestDevice.started(world, 1)
        try await Self.keep(for: device)
        let key = try #require(try await device.contactKey)
        // Somebody else begins here, so nothing goes along.
        device.keep(try await world.links.linkAnonymously(device.caller(), isFresh: true))
        #expect(try await world.rows("center_messages") == 1)
        _ = try await world.contacts.removeOrphan(key, app: world.app)
        #expect(try await world.rows("center_messages") == 0)
        #expect(try await world.rows("rich_servings") == 0)
    }
}
