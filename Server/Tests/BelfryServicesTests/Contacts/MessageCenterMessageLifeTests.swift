import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What becomes of messages in centers when their contact goes.
struct MessageCenterMessageLifeTests {
    private static let tables = ["center_messages", "rich_confirmations", "badges"]

    /// A message of the campaign 1 for whoever uses the device, its rich content confirmed, and a badge.
    private static func keep(for device: ServiceDevice, isPersonal: Bool = false) async throws {
        let profile = try await device.world.profile(device)
        let madeFrom = isPersonal ? profile.contact?.id : nil
        let (app, contact) = (device.world.app.id, try #require(try await device.world.holder(device)?.number))
        let id = try #require(CampaignID(1 as Int64))
        try await device.world.database.write { connection in
            try connection.centerMessages.keep([
                KeptMessage(
                    contact: contact, center: .primary, sentAt: ServiceWorld.epoch, campaign: id, app: app,
                    body: "Hi Anna", madeFrom: madeFrom
                )
            ])
            try connection.richConfirmations.insert(
                contact: contact, campaign: id, device: profile.device.id, now: ServiceWorld.epoch
            )
            _ = try connection.badges.set(count: 1, baseRevision: nil, device: profile.device.id, maximum: 9)
        }
    }

    @Test("REG-36: an erasure removes a person's messages and badges, and nobody else's")
    func erased() async throws {
        let world = try await ServiceWorld()
        let bystander = try await ServiceDevice.registered(world, 9, key: "bert")
        let anna = try await ServiceDevice.registered(world, 1, key: "anna")
        let annaToo = try await ServiceDevice.registered(world, 2, key: "anna")
        for device in [bystander, anna, annaToo] { try await Self.keep(for: device) }
        #expect(try await world.rows("center_messages") == 2)
        _ = try await world.contacts.erase("anna", app: world.app)
        for table in Self.tables { #expect(try await world.rows(table) == 1, "\(table)") }
        let left = try await world.profile(bystander).contact?.id ?? 0
        #expect(try await world.rows("center_messages", where: "contact_id = \(left)") == 1)
    }

    @Test(
        "MC-15, ID-8: a login hides the installation's messages and a logout shows them; those made of what was merged go",
        arguments: [false, true])
    func merged(isPersonal: Bool) async throws {
        let world = try await ServiceWorld()
        let known = try await ServiceDevice.registered(world, 9, key: "anna")
        try await Self.keep(for: known)
        var device = try await ServiceDevice.started(world, 1)
        try await Self.keep(for: device, isPersonal: isPersonal)
        let own = try await world.inbox(device)
        #expect(own.count == 1)
        world.clock.advance(by: 1)
        try await device.identify("anna")
        let anna = try #require(try await world.profile(device).contact?.id)
        #expect(try await world.rows("center_messages", where: "contact_id = \(anna)") == 1)
        #expect(try await world.inbox(device) == world.inbox(known))
        // The device has purged both: neither counts as stored any more.
        #expect(try await world.rows("rich_confirmations") == 1)
        for _ in 0..<2 {
            world.clock.advance(by: 1)
            device.keep(try await world.links.linkAnonymously(device.caller(), isFresh: true))
            #expect(try await world.inbox(device) == (isPersonal ? [] : own))
            world.clock.advance(by: 1)
            try await device.identify("bert")
            #expect(try await world.inbox(device).isEmpty)
        }
    }

    @Test("MC-15, WIRE-20: an impostor with the id has an empty inbox beside the owner's, and so has a revoked device")
    func impostors() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        try await Self.keep(for: device)
        world.clock.advance(by: 1)
        var impostor = try ServiceDevice(world, 1)
        impostor.keep(try await world.links.linkAnonymously(impostor.caller()))
        #expect(try await world.inbox(impostor).isEmpty)
        #expect(try await world.rows("center_messages", where: "contact_id = \(-(try await device.row.id))") == 1)
        try await world.links.revoke(device.client.rawValue, app: world.app)
        #expect(try await world.rows("center_messages") == 0)
    }

    @Test("MC-5: a person who logs out and in again finds their messages")
    func comesBack() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
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

    @Test("REG-24, MC-15: the messages of an installation outlive the contact that it had when they came")
    func orphan() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await Self.keep(for: device)
        let key = try #require(try await device.contactKey)
        // Somebody else begins here, so nothing goes along.
        device.keep(try await world.links.linkAnonymously(device.caller(), isFresh: true))
        #expect(try await world.rows("center_messages") == 1)
        _ = try await world.contacts.removeOrphan(key, app: world.app)
        #expect(try await world.inbox(device).count == 1)
    }
}
