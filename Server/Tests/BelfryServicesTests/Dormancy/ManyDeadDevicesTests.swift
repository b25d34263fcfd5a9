import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Logging
import ServiceLifecycleTestKit
import Synchronization
import Testing

/// FLEET-2: the first upkeep of a store in which dead devices have gathered for years.
@Suite("A store with many dead devices")
struct ManyDeadDevicesTests {
    /// How many devices were dormant after each write.
    private final class Counts: Sendable {
        private let counts = Mutex<Set<Int>>([])

        var all: Set<Int> { counts.withLock { $0 } }

        func add(_ count: Int) {
            counts.withLock { _ = $0.insert(count) }
        }
    }

    /// Devices whose tokens went long ago, numbered from 1.
    private static func makeDead(_ count: Int, _ world: ServiceWorld) async throws {
        try await world.makeFleet(count)
        try await world.database.write { _ = try $0.execute("UPDATE devices SET push_token = NULL") }
        world.clock.advance(by: 401 * 86_400)
    }

    /// How many devices became dormant, as the log has it.
    private static func logged(_ world: ServiceWorld) -> [String] {
        world.log.entries.filter { "\($0.message)" == "dead devices became dormant" }
            .compactMap { $0.metadata["count"] }.map { "\($0)" }
    }

    @Test(
        "FLEET-2, SEC-9: 100 devices at most are moved in one write, so that others have their turn in between",
        arguments: Engine.ofEachRun)
    func pages(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        try await Self.makeDead(250, world)
        let counts = Counts()
        let database = FaultyDatabase(world.database) { connection in
            let count = try connection.first("SELECT count(*) FROM dormant_devices", []) { Int($0.integer(0)) }
            counts.add(count ?? 0)
        }
        await world.housekeeping(over: database).tidy()
        #expect(counts.all == [0, 100, 200, 250])
        #expect(try await world.deviceCounts() == [0, 250, 0])
        #expect(Self.logged(world) == ["250"])
    }

    @Test("FLEET-2, CLI-2: a process that is told to stop ends with the page that it is at, and the next one goes on")
    func stop() async throws {
        let world = try await ServiceWorld()
        try await Self.makeDead(150, world)
        await testGracefulShutdown { trigger in
            let database = InterruptedDatabase(world.database, after: "DeviceActivity") {
                trigger.triggerGracefulShutdown()
                while !Task.isCancelled { await Task.yield() }
            }
            await world.housekeeping(over: database).run()
        }
        #expect(try await world.deviceCounts() == [50, 100, 50])
        #expect(Self.logged(world) == ["100"])
        await world.housekeeping.tidy()
        #expect(Self.logged(world) == ["100", "50"])
        #expect(try await world.deviceCounts() == [0, 150, 0])
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("FLEET-2: a longer term counts at once, also while devices are moved by the former one")
    func longerTerm() async throws {
        let world = try await ServiceWorld()
        try await Self.makeDead(150, world)
        let database = InterruptedDatabase(world.database, after: "DeviceActivity") { try await world.holdDormancy() }
        await world.housekeeping(over: database).tidy()
        #expect(try await world.deviceCounts() == [150, 0, 150])
        try await world.save(world.app.settings)
        await world.housekeeping.tidy()
        #expect(try await world.deviceCounts() == [0, 150, 0])
    }
}
