import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// IAM-15: devices that enter a published message's audience later are told, too.
struct InAppAudienceEntriesTests {
    private static let collecting: TimeInterval = 10

    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        return world
    }

    /// Lets the workers do what is due within the next seconds.
    private static func pass(_ seconds: TimeInterval, _ world: ServiceWorld) async throws {
        try await world.wakeDevices(until: world.clock.now.addingTimeInterval(seconds))
    }

    private static func purchase() throws -> Event {
        Event(
            id: try EventID(UUID().uuidString), kind: .custom, name: try EventName("purchase"),
            timestamp: ServiceWorld.epoch)
    }

    @Test("IAM-15: a device that registers after the publication is woken once, and stands in the ledger")
    func registration() async throws {
        let world = try await Self.world()
        let id = try await world.publish()
        await world.silentPushSender().runUntilIdle()
        _ = try await ServiceDevice.registered(world, 1, token: "token1")
        try await Self.pass(Self.collecting, world)
        #expect(world.transport.requests.map(\.token) == ["token1"])
        #expect(world.transport.requests.first?.sync == ["inApp"])
        #expect(try await world.counts(id).pending == 1)
        try await Self.pass(7_200, world)
        #expect(world.transport.requests.count == 1)
    }

    @Test("IAM-15: an attribute or a tag that brings a device in wakes it; one that does not costs no push")
    func profile() async throws {
        let world = try await Self.world()
        let romans = try await world.publish("Rome", audience: .attribute("city", .equal("Rome")))
        let readers = try await world.publish("News", audience: .tag("news"))
        await world.silentPushSender().runUntilIdle()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        try await device.register {
            $0.attributes = ["city": .string("Paris")]
        }
        try await world.process()
        try await Self.pass(Self.collecting, world)
        #expect(world.transport.requests.isEmpty && world.silentPushes("nothingNew") == 1)
        world.clock.advance(by: 300)
        try await device.register {
            $0.attributes = ["city": .string("Rome")]
        }
        try await world.process()
        try await Self.pass(Self.collecting, world)
        #expect(world.transport.requests.count == 1)
        #expect(try await world.delivery(romans, device)?.state == .pending)
        #expect(try await world.delivery(readers, device) == nil)
        // The next is told within the budget.
        try await device.register {
            $0.attributes = ["city": .string("Rome")]
            $0.tags = ["news"]
        }
        try await world.process()
        try await Self.pass(600, world)
        #expect(world.transport.requests.count == 1)
        try await Self.pass(600, world)
        #expect(world.transport.requests.count == 2)
        #expect(try await world.delivery(readers, device)?.state == .pending)
    }

    @Test("IAM-15: an event that an audience asks for is looked at, at most every five minutes, and no other")
    func events() async throws {
        let world = try await Self.world()
        let clause = EventClause(name: "purchase", count: EventCount(.greaterOrEqual, 3))
        let id = try await world.publish(audience: .event(clause))
        await world.silentPushSender().runUntilIdle()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        try await Self.pass(600, world)
        let before = world.silentPushes("nothingNew")
        // Nobody asks for this one.
        try await device.track(
            try Event(
                id: EventID(UUID().uuidString), kind: .custom, name: try EventName("walk"),
                timestamp: ServiceWorld.epoch)
        )
        #expect(try await world.silentPush(device.client)?.dueAt == nil)
        try await device.track(try Self.purchase())
        try await Self.pass(Self.collecting, world)
        #expect(world.silentPushes("nothingNew") == before + 1)
        try await device.track(try Self.purchase())
        try await device.track(try Self.purchase())
        try await Self.pass(Self.collecting, world)
        #expect(world.transport.requests.isEmpty)
        try await Self.pass(300, world)
        #expect(world.transport.requests.map(\.token) == ["token1"])
        #expect(try await world.delivery(id, device)?.state == .pending)
    }

    @Test("IAM-15: another person on the device, and one who comes back to an audience, are told as well")
    func people() async throws {
        let world = try await Self.world()
        let id = try await world.publish(audience: .attribute("city", .equal("Rome")))
        await world.silentPushSender().runUntilIdle()
        var phone = InAppPhone(try await ServiceDevice.started(world, 1))
        try await phone.device.putToken("token1")
        try await phone.device.identify("anna")
        try await phone.device.register { $0.attributes = ["city": .string("Rome")] }
        try await world.process()
        // Changes of one millisecond are told apart by the next one's.
        try await Self.pass(Self.collecting + 1, world)
        #expect(world.transport.requests.count == 1)
        try await phone.sync()
        #expect(try await world.delivery(id, phone.device)?.state == .accepted)
        // She leaves the audience, and her copy is taken back; then she returns.
        world.clock.advance(by: 3_600)
        try await phone.device.register { $0.attributes = ["city": .string("Paris")] }
        try await world.process()
        try await phone.sync()
        try await Self.pass(600, world)
        #expect(world.transport.requests.count == 1)
        try await phone.device.register { $0.attributes = ["city": .string("Rome")] }
        try await world.process()
        try await Self.pass(600, world)
        #expect(world.transport.requests.count == 2)
    }

    @Test("IAM-15: who cannot be woken is not asked about, and neither is anybody when nothing is published")
    func nobody() async throws {
        let world = try await Self.world()
        let early = try await ServiceDevice.registered(world, 1, token: "token1")
        #expect(try await world.silentPush(early.client) == nil)
        _ = try await world.publish(audience: .tag("news"))
        await world.silentPushSender().runUntilIdle()
        var silent = try await ServiceDevice.registered(world, 2)
        try await silent.register { $0.tags = ["news"] }
        try await world.process()
        #expect(try await world.silentPush(silent.client) == nil)
        // It said no while it was to be found out.
        _ = try await world.optedOutDevice(3)
        // No audience asks for attributes.
        var first = early
        try await Self.pass(600, world)
        #expect(world.transport.requests.isEmpty)
        try await first.register {
            $0.pushToken = "token1"
            $0.attributes = ["city": .string("Rome")]
        }
        try await world.process()
        #expect(try await world.silentPush(first.client)?.dueAt == nil)
    }

    @Test("IAM-15: a worker that dies at any write between the look and the push loses no entrant", arguments: 0..<6)
    func deaths(write: Int) async throws {
        let world = try await Self.world()
        let id = try await world.publish()
        await world.silentPushSender().runUntilIdle()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.clock.advance(by: Self.collecting)
        let writes = Countdown(write)
        let mortal = MortalDatabase(world.database, isLastWrite: { _ in !writes.next() })
        await world.silentPushSender("mortal", database: mortal).runUntilIdle()
        try await world.wakeDevices(
            until: world.clock.now.addingTimeInterval(3_600), by: world.silentPushSender("heir"))
        #expect(Set(world.transport.requests.map(\.apnsID)).count == 1)
        #expect(try await world.delivery(id, device)?.state == .pending)
    }
}
