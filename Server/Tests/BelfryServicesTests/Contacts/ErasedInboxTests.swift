import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("What an erasure takes from an installation's own inbox")
struct ErasedInboxTests {
    private static func exported(_ world: ServiceWorld, _ key: String) async throws -> [CampaignID] {
        var found: [CampaignID] = []
        try await world.contacts.export(key, app: world.app).forEachPart { part in
            guard case .messages(let page) = part else { return }
            found += page.map(\.stored.message.campaign)
        }
        return found
    }

    @Test(
        "ADM-4, MC-15, MC-17: an erasure removes what the export calls the person's of a device that has left, and no more",
        arguments: Engine.ofEachRun, [false, true])
    func leftBehind(_ engine: Engine, isLedgerGone: Bool) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        let anns = try await world.sendMessage()
        let own = try #require(try await world.inboxService.newest(for: device.authenticated()).value.first)
        _ = try await world.inboxService.setState(
            .read, of: own.id.text, reference: nil, for: device.authenticated()
        )
        let number = try await device.row.id
        let now = world.clock.now
        try await world.database.write { connection in
            try connection.richConfirmations.insert(
                contact: MessageHolder.installation(number).number, campaign: anns, device: number, now: now
            )
        }
        try await device.identify("ann")
        world.clock.advance(by: 10)
        try await device.linkAnonymously()
        world.clock.advance(by: 10)
        let bobs = try await world.sendMessage()
        try await device.identify("bob")
        world.clock.advance(by: 10)
        // The ledger's rows may be gone before the messages.
        if isLedgerGone { _ = try await world.database.write { try $0.execute("DELETE FROM deliveries") } }
        #expect(try await Self.exported(world, "ann") == [anns])
        #expect(try await world.contacts.erasable(.key("ann"), app: world.app).messages == 1)
        #expect(try await world.contacts.erase("ann", app: world.app).removed.messages == 1)
        #expect(try await world.rows("center_messages", where: "campaign_id = \(anns.number)") == 0)
        #expect(try await world.rows("rich_confirmations", where: "campaign_id = \(anns.number)") == 0)
        #expect(try await Self.exported(world, "bob") == [bobs])
        // A fetch lists no more than is there: the device learns of it.
        try await device.linkAnonymously()
        #expect(try await world.inboxService.newest(for: device.authenticated()).value.map(\.campaign) == [bobs])
    }

    @Test("ADM-4, MC-15: the own inbox of a device that the person has is counted before, and goes with the device")
    func present() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let early = try await world.sendMessage()
        try await device.identify("ann")
        let late = try await world.sendMessage()
        #expect(try await Set(Self.exported(world, "ann")) == [early, late])
        #expect(try await world.contacts.erasable(.key("ann"), app: world.app).messages == 2)
        #expect(try await world.contacts.erase("ann", app: world.app).removed.messages == 2)
        #expect(try await world.rows("center_messages") == 0)
    }
}
