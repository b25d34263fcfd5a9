import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("What an export has of an installation's own inbox")
struct ExportedInboxTests {
    private static func messages(_ world: ServiceWorld, _ key: String) async throws -> [String] {
        var found: [String] = []
        try await world.contacts.export(key, app: world.app).forEachPart { part in
            guard case .messages(let page) = part else { return }
            found += page.map { "\($0.stored.message.campaign) \($0.client?.rawValue ?? "contact")" }
        }
        return found
    }

    @Test(
        "ADM-4, MC-15: a person's export has what came to their device before they logged in, named after the device",
        arguments: Engine.ofEachRun)
    func beforeLogin(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        let early = try await world.sendMessage()
        let anonymous = try #require(try await device.contactKey)
        let own = "\(early) \(device.client.rawValue)"
        #expect(try await Self.messages(world, anonymous) == [own])
        try await device.identify("ann")
        let late = try await world.sendMessage()
        #expect(try await Self.messages(world, "ann") == ["\(late) contact", own])
        // The ledger's row may be gone before the message.
        _ = try await world.database.write { try $0.execute("DELETE FROM deliveries") }
        #expect(try await Self.messages(world, "ann") == ["\(late) contact", own])
    }

    @Test(
        "ADM-4, MC-15: of a shared device's inbox each person's export has what came before their own login",
        arguments: Engine.ofEachRun)
    func shared(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        let client = device.client.rawValue
        let anns = try await world.sendMessage()
        try await device.identify("ann")
        world.clock.advance(by: 10)
        try await device.linkAnonymously()
        world.clock.advance(by: 10)
        let berts = try await world.sendMessage()
        try await device.identify("bert")
        world.clock.advance(by: 10)
        for _ in 0..<2 {
            #expect(try await Self.messages(world, "bert") == ["\(berts) \(client)"])
            try await device.identify("ann")
            world.clock.advance(by: 10)
            #expect(try await Self.messages(world, "ann") == ["\(anns) \(client)"])
            try await device.identify("bert")
            world.clock.advance(by: 10)
            _ = try await world.database.write { try $0.execute("DELETE FROM deliveries") }
        }
    }

    @Test(
        "ADM-4, MC-15: what came before a login stays in that person's export when others have the device, and in no other",
        arguments: Engine.ofEachRun)
    func leftBehind(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        let client = device.client.rawValue
        let eves = try await world.sendMessage()
        try await device.identify("eve")
        world.clock.advance(by: 10)
        try await device.linkAnonymously()
        world.clock.advance(by: 10)
        let anonymous = try #require(try await device.contactKey)
        for _ in 0..<2 {
            #expect(try await Self.messages(world, "eve") == ["\(eves) \(client)"])
            #expect(try await Self.messages(world, anonymous).isEmpty)
            // The ledger's row may be gone before the message.
            _ = try await world.database.write { try $0.execute("DELETE FROM deliveries") }
        }
        let annas = try await world.sendMessage()
        #expect(try await Self.messages(world, anonymous) == ["\(annas) \(client)"])
        try await device.identify("anna")
        for _ in 0..<2 {
            #expect(try await Self.messages(world, "eve") == ["\(eves) \(client)"])
            #expect(try await Self.messages(world, "anna") == ["\(annas) \(client)"])
            _ = try await world.database.write { try $0.execute("DELETE FROM deliveries") }
        }
    }

    @Test("ADM-4: an installation's inbox is read page by page, and a page of which nothing is theirs ends nothing")
    func pages() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        world.clock.advance(by: 10)
        try await device.linkAnonymously()
        world.clock.advance(by: 10)
        var anns: [CampaignID] = []
        for _ in 0..<12 { anns.append(try await world.sendMessage()) }
        try await device.identify("ann")
        world.clock.advance(by: 10)
        try await device.linkAnonymously()
        world.clock.advance(by: 10)
        var berts: [CampaignID] = []
        for _ in 0..<12 { berts.append(try await world.sendMessage()) }
        try await device.identify("bert")
        let client = device.client.rawValue
        let names = { (ids: [CampaignID]) in ids.map { "\($0) \(client)" } }
        #expect(try await Self.messages(world, "bert") == names(berts))
        world.clock.advance(by: 10)
        try await device.identify("ann")
        #expect(try await Self.messages(world, "ann") == names(anns))
    }
}
