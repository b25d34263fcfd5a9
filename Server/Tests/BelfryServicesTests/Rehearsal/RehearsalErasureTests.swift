import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("People who are erased while they are rehearsed, or compared")
struct RehearsalErasureTests {
    /// Two people with a device each, and a campaign to both.
    private static func story(_ engine: Engine) async throws -> (world: ServiceWorld, devices: [ServiceDevice]) {
        let world = try await ServiceWorld(engine)
        let devices = [
            try await ServiceDevice.registered(world, 1, key: "anna", token: "token1"),
            try await ServiceDevice.registered(world, 2, key: "bert", token: "token2"),
        ]
        return (world, devices)
    }

    /// The numbers of the devices that a rehearsal's pages have.
    private static func kept(_ rehearsal: Rehearsal, in world: ServiceWorld) async throws -> [Int64] {
        try await world.database.read { connection in
            try connection.rehearsals.pages(of: rehearsal.id, after: 0, limit: 9).flatMap(\.devices).map(\.device)
        }
    }

    private static func rehearse(
        _ world: ServiceWorld, while action: @escaping @Sendable () async throws -> Void
    ) async throws -> Rehearsal {
        let id = try await world.draft(ServiceWorld.draft())
        let started = try await world.rehearsals.start(id, app: world.app)
        let database = InterruptedDatabase(world.database, after: "RehearsalInput", action: action)
        await world.rehearser(over: database).runUntilIdle()
        return try await world.rehearsals.find(started.id, of: id, app: world.app)
    }

    @Test(
        "REG-36, CON-12: of a person who is erased while a page is made, the page has nothing",
        arguments: Engine.ofEachRun)
    func pages(_ engine: Engine) async throws {
        let (world, devices) = try await Self.story(engine)
        let rehearsal = try await Self.rehearse(world) { _ = try await world.contacts.erase("anna", app: world.app) }
        #expect(rehearsal.status == .done && rehearsal.audience == 2, "the sums stay")
        #expect(try await Self.kept(rehearsal, in: world) == [try await devices[1].row.id])
    }

    @Test(
        "REG-36, CON-12: nor of one whose device has gone to somebody else by then, and who is erased",
        arguments: Engine.ofEachRun)
    func formerPages(_ engine: Engine) async throws {
        let (world, devices) = try await Self.story(engine)
        let rehearsal = try await Self.rehearse(world) {
            var device = devices[0]
            try await device.identify("carl")
            _ = try await world.contacts.erase("anna", app: world.app)
        }
        #expect(try await Self.kept(rehearsal, in: world) == [try await devices[1].row.id])
    }

    @Test("CON-12: whoever moves while nobody is erased stays in what was found", arguments: Engine.ofEachRun)
    func moved(_ engine: Engine) async throws {
        let (world, devices) = try await Self.story(engine)
        let rehearsal = try await Self.rehearse(world) {
            var device = devices[0]
            try await device.identify("carl")
        }
        #expect(try await Self.kept(rehearsal, in: world).count == 2)
    }

    @Test(
        "REG-36, CON-13: a comparison that is made while a person is erased names none of their devices",
        arguments: Engine.ofEachRun, [false, true])
    func comparison(_ engine: Engine, _ leavesBefore: Bool) async throws {
        let (world, devices) = try await Self.story(engine)
        let rehearsal = try await world.rehearse(try await world.draft(ServiceWorld.draft()))
        _ = try await world.campaigns.life.launch(rehearsal.campaign, app: world.app)
        while try await world.planner.planNext() {}
        if leavesBefore {
            var device = devices[0]
            try await device.identify("carl")
        }
        let database = InterruptedDatabase(world.database, after: "Array<Entry>") {
            _ = try await world.contacts.erase("anna", app: world.app)
        }
        let service = RehearsalService(database: database, environment: world.environment, work: AsyncSignal())
        let made = try await service.comparison(rehearsal.id, of: rehearsal.campaign, app: world.app)
        #expect(made.different == 2, "both are still to get it, and count")
        #expect(made.differences.flatMap(\.devices) == [devices[1].client.rawValue])
        let stored = try await world.database.read { connection in
            try connection.rehearsals.find(rehearsal.id)?.comparison ?? ""
        }
        #expect(stored.contains(devices[1].client.rawValue) && !stored.contains(devices[0].client.rawValue))
    }

    @Test("LED-3, CON-13: a comparison of a ledger that goes meanwhile is not kept")
    func removedLedger() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.draft(ServiceWorld.draft())
        let rehearsal = try await world.rehearse(id)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        let database = InterruptedDatabase(world.database, after: "ComparisonSource") {
            let now = world.clock.now
            try await world.database.write { connection in
                try connection.ledgerRetention.begin(id, now: now)
                _ = try connection.ledgerRetention.delete(of: id.number, devices: 1...2)
            }
        }
        let service = RehearsalService(database: database, environment: world.environment, work: AsyncSignal())
        let error = await #expect(throws: ServiceError.self) {
            _ = try await service.comparison(rehearsal.id, of: id, app: world.app)
        }
        guard case .gone("ledgerRemoved", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let kept = try await world.database.read { try $0.rehearsals.find(rehearsal.id)?.comparison }
        #expect(kept == nil)
    }

    @Test("CON-13: while a comparison is given again, the ledger is not counted")
    func counted() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.draft(ServiceWorld.draft())
        let rehearsal = try await world.rehearse(id)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        while try await world.planner.planNext() {}
        let counting = CountingDatabase(world.database)
        let slow = InterruptedDatabase(counting, after: "ComparisonSource", isRepeated: true) {
            world.clock.advance(by: 5)
        }
        let service = RehearsalService(database: slow, environment: world.environment, work: AsyncSignal())
        func counts() -> Int {
            counting.asked.filter {
                $0.key.statement.contains("FROM deliveries") && $0.key.statement.contains("GROUP BY")
            }
            .values.reduce(0, +)
        }
        let first = try await service.comparison(rehearsal.id, of: id, app: world.app)
        #expect(counts() == 1 && !first.isFinal)
        for _ in 0..<3 { #expect(try await service.comparison(rehearsal.id, of: id, app: world.app) == first) }
        #expect(counts() == 1)
        try await world.sendToTheEnd()
        let last = try await service.comparison(rehearsal.id, of: id, app: world.app)
        #expect(last.isFinal && last.equal == 3 && counts() == 2)
        for _ in 0..<3 { #expect(try await service.comparison(rehearsal.id, of: id, app: world.app) == last) }
        #expect(counts() == 2)
    }
}
