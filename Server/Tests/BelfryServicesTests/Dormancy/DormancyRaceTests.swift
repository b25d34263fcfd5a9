import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// FLEET-2: devices that come back at the moment at which they are moved.
struct DormancyRaceTests {
    private typealias Call = @Sendable (_ device: ServiceDevice) async throws -> Void

    /// What makes a device live again, or wait for it.
    private static let calls: [(name: String, call: Call)] = [
        ("an opening", { try await $0.track(.test("e1", .sessionStart, at: $0.world.clock.now)) }),
        ("a token", { try await $0.putToken("token1") }),
        (
            "a registration",
            { device in
                var device = device
                try await device.register()
            }
        ),
        (
            "a campaign to it",
            { device in
                _ = try await device.world.launch()
                while try await device.world.planner.planNext() {}
            }
        ),
    ]

    /// A device that is dead but for what it does now.
    private static func deadDevice(_ world: ServiceWorld) async throws -> ServiceDevice {
        var device = try await ServiceDevice.started(world, 1)
        world.clock.advance(by: 401 * 86_400)
        try await device.refresh()
        // It has to show a token that counts; that it renewed it would count as life.
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE refresh_tokens SET created_at = 0")
        }
        return device
    }

    @Test("FLEET-2: what happens after the upkeep has found a device dead, and before it is moved, counts")
    func inBetween() async throws {
        for (name, call) in Self.calls {
            let world = try await ServiceWorld()
            let device = try await Self.deadDevice(world)
            let database = InterruptedDatabase(world.database, after: "DeviceActivity") { try await call(device) }
            await world.housekeeping(over: database).tidy()
            #expect(try await world.deviceCounts() == [1, 0, 1], "\(name)")
        }
        // Who does nothing is moved.
        let world = try await ServiceWorld()
        _ = try await Self.deadDevice(world)
        await world.housekeeping.tidy()
        #expect(try await world.deviceCounts() == [0, 1, 0])
    }

    @Test("FLEET-2, REG-36: who is erased after the upkeep has found the device dead is not there any more")
    func erased() async throws {
        let world = try await ServiceWorld()
        let device = try await Self.deadDevice(world)
        let key = try #require(try await device.contactKey)
        let database = InterruptedDatabase(world.database, after: "DeviceActivity") {
            _ = try await world.contacts.erase(key, app: world.app)
        }
        await world.housekeeping(over: database).tidy()
        #expect(try await world.deviceCounts() == [0, 0, 0])
        #expect(await errorCode { try await device.track(.test("e1")) } == "erased")
    }

    @Test("FLEET-2: calls that come while devices are moved lose nothing", arguments: Engine.ofEachRun)
    func together(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var devices: [ServiceDevice] = []
        for number in 1...20 { devices.append(try await ServiceDevice.started(world, number)) }
        world.clock.advance(by: 401 * 86_400)
        let (housekeeping, now) = (world.housekeeping, world.clock.now)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = await housekeeping.tidy() }
            for device in devices {
                group.addTask {
                    var device = device
                    try await device.refresh()
                    try await device.track(.test("e1", .sessionStart, at: now), .test("e2", at: now))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await world.deviceCounts() == [20, 0, 20])
        #expect(try await world.rows("events") == 40)
        #expect(try await world.rows("device_openings") == 20)
        // All of them were opened.
        await housekeeping.tidy()
        #expect(try await world.deviceCounts() == [20, 0, 20])
    }
}
