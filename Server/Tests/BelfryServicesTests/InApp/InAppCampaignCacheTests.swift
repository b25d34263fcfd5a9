import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What a process keeps of in-app campaigns for all devices that ask.
struct InAppCampaignCacheTests {
    private static func service(_ world: ServiceWorld, _ database: (any SQLDatabase)? = nil) -> InAppService {
        InAppService(database: database ?? world.database, keys: world.keys, environment: world.environment)
    }

    /// What a device without a cursor is told.
    private static func titles(_ service: InAppService, _ device: ServiceDevice) async throws -> [String] {
        let sync = try await service.sync(since: nil, for: device.authenticated()).value
        return sync.messages.compactMap(\.draft.content.title)
    }

    @Test(
        "SEC-8, WIRE-9: what campaigns say is read once for all devices, and again when one of them has changed",
        arguments: Engine.ofEachRun)
    func readOnce(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let id = try await world.offer()
        let counting = CountingDatabase(world.database)
        let service = Self.service(world, counting)
        var devices: [ServiceDevice] = []
        for number in 1...3 {
            devices.append(try await ServiceDevice.registered(world, number, key: "person\(number)"))
        }
        for device in devices { #expect(try await Self.titles(service, device) == ["Sale"]) }
        #expect(counting.asked[InAppCampaignRepository.activeSQL] == 1)
        try await world.edit(id) { $0.inApp?.content.title = "Last day" }
        for device in devices { #expect(try await Self.titles(service, device) == ["Last day"]) }
        #expect(counting.asked[InAppCampaignRepository.activeSQL] == 2)
    }

    @Test(
        "SEC-8, IAM-4, IAM-10: no process goes on telling what was changed by another", arguments: Engine.ofEachRun)
    func processes(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let (life, app) = (world.campaigns.life, world.app)
        let device = try await ServiceDevice.registered(world, 1, key: "ann")
        let services = [Self.service(world), Self.service(world)]
        func expect(_ expected: [String], _ step: String) async throws {
            for service in services { #expect(try await Self.titles(service, device) == expected, "\(step)") }
        }
        try await expect([], "nothing")
        let id = try await world.offer()
        try await expect(["Sale"], "launched")
        try await world.edit(id) { $0.inApp?.content.title = "Last day" }
        try await expect(["Last day"], "edited")
        _ = try await life.pause(id, app: app)
        try await expect([], "paused")
        _ = try await life.resume(id, app: app)
        let other = try await world.offer(ServiceWorld.modal("New"))
        try await expect(["Last day", "New"], "resumed")
        _ = try await life.recall(id, app: app)
        try await expect(["New"], "recalled")
        try await world.edit(other) { $0.audience = .contactKeys(["bert"]) }
        try await expect([], "another audience")
        try await world.edit(other) { $0.audience = .everyone }
        try await expect(["New"], "everyone")
        _ = try await life.cancel(other, app: app)
        try await expect([], "cancelled")
    }

    @Test("SEC-8, IAM-13: an event that triggers many messages for others reads none of them again")
    func triggered() async throws {
        let world = try await ServiceWorld()
        for _ in 0..<5 { _ = try await world.offer(audience: .contactKeys(["somebody"])) }
        let device = try await ServiceDevice.registered(world, 1, key: "ann")
        let counting = CountingDatabase(world.database)
        let service = V3InAppService(database: counting, keys: world.keys, environment: world.environment)
        let event = try Event.test("e1", .sessionStart)
        for _ in 1...2 {
            let answer = try await service.answer(to: [event], shown: [:], for: device.authenticated())
            #expect(answer == V3InAppBundle())
        }
        let mine = try await world.offer()
        let answer = try await service.answer(to: [event], shown: [:], for: device.authenticated())
        #expect(answer.message?.campaign == mine)
        let reads = counting.asked.filter { statement, _ in statement.statement.contains("c.content") }
        #expect(reads.values.reduce(0, +) == 2)
    }

    /// How often a database was asked for an app's attributes.
    private static func schemaReads(_ database: CountingDatabase) -> Int {
        database.asked.filter { statement, _ in statement.statement.contains("FROM attributes") }.values.reduce(0, +)
    }

    @Test(
        "SEC-2, WIRE-9: the app's attributes are read once for a sync, however many messages it brings",
        arguments: Engine.ofEachRun)
    func attributesOfSync(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let device = try await ServiceDevice.registered(world, 1, key: "ann")
        var reads: [Int] = []
        for numbers in [1...1, 2...5] {
            for _ in numbers { _ = try await world.offer() }
            let counting = CountingDatabase(world.database)
            let titles = try await Self.titles(Self.service(world, counting), device)
            #expect(titles.count == numbers.upperBound)
            reads.append(Self.schemaReads(counting))
        }
        #expect(reads[0] > 0 && reads[1] == reads[0])
    }

    @Test("SEC-2, IAM-13: the app's attributes are read once for an upload, however many messages it triggers")
    func attributesOfUpload() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "ann")
        let event = try Event.test("e1", .sessionStart)
        var reads: [Int] = []
        for offers in [1...1, 2...5] {
            for _ in offers { _ = try await world.offer(audience: .contactKeys(["somebody"])) }
            let counting = CountingDatabase(world.database)
            let service = V3InAppService(database: counting, keys: world.keys, environment: world.environment)
            _ = try await service.answer(to: [event], shown: [:], for: device.authenticated())
            reads.append(Self.schemaReads(counting))
        }
        #expect(reads[0] > 0 && reads[1] == reads[0])
    }

    @Test("ADM-4, SEC-8: what is kept names nobody who was erased")
    func erased() async throws {
        let world = try await ServiceWorld()
        _ = try await world.offer(audience: .contactKeys(["ann"]))
        let service = Self.service(world)
        let first = try await ServiceDevice.registered(world, 1, key: "ann")
        #expect(try await Self.titles(service, first) == ["Sale"])
        _ = try await world.contacts.erase("ann", app: world.app)
        // Somebody else with the same key.
        let second = try await ServiceDevice.registered(world, 2, key: "ann")
        #expect(try await Self.titles(service, second).isEmpty)
    }
}
