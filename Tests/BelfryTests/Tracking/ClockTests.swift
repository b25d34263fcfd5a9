import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Events of a device whose clock was wrong.
struct ClockTests {
    @Test("EVT-9, WIRE-21: a clock that was ahead once misdates no event after it was corrected")
    func aheadOnce() async throws {
        let world = try World()
        let wrong: TimeInterval = 40 * 86_400
        world.clock.advance(by: wrong)
        await world.server.set(clockAhead: -wrong)
        let client = try await world.start()
        try await client.track("ahead")
        try await client.flush()
        await world.kill()
        world.clock.advance(by: -wrong)
        await world.server.set(clockAhead: 0)
        let next = try await world.start()
        try await next.track("right")
        try await next.flush()
        let tracked = await world.server.tracked
        #expect(tracked.map(\.name) == ["ahead", "right"])
        #expect(tracked.map(\.at) == [World.epoch, World.epoch])
        let orders = await world.server.requests.compactMap { Int64($0.headers[HeaderNames.requestOrder] ?? "") }
        #expect(zip(orders, orders.dropFirst()).allSatisfy { $0 < $1 })
        await world.kill()
    }

    /// A device that is offline, keeps events for an hour, and has a clock that nobody can set.
    private static func offline() async throws -> World {
        let world = try World { $0.queueLimits = QueueLimits(count: 1_000, bytes: 1_000_000, age: 3_600) }
        world.setAhead.withLock { $0 = 0 }
        await world.server.set(isOffline: true)
        return world
    }

    @Test("EVT-5, EVT-9: a clock that is set far ahead makes no waiting event too old")
    func setAhead() async throws {
        let world = try await Self.offline()
        let client = try await world.start()
        try await client.track("waits")
        try await world.advance(by: 3_000)
        world.setClockAhead(by: 400 * 86_400)
        await client.waitUntilIdle()
        try await client.track("by the new clock")
        try await world.advance(by: 300)
        #expect(try await client.state().queue.droppedOld == 0)
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        try await client.flush()
        #expect(await world.server.tracked.map(\.name) == ["waits", "by the new clock"])
        await world.kill()
    }

    @Test("EVT-5: an event's age counts on after the clock was set ahead")
    func age() async throws {
        let world = try await Self.offline()
        let client = try await world.start()
        try await client.track("first")
        try await world.advance(by: 3_000)
        world.setClockAhead(by: 400 * 86_400)
        await client.waitUntilIdle()
        try await client.track("second")
        let before = try await client.state().queue
        try await world.advance(by: 700)
        let after = try await client.state().queue
        #expect(before.droppedOld == 0 && after.droppedOld > 0)
        // What was tracked by the new clock is minutes old.
        #expect(after.count > 0)
        try await world.advance(by: 3_000)
        #expect(try await client.state().queue.count == 0)
        await world.kill()
    }

    @Test("EVT-5: an event's age counts on when a clock that was set ahead is set right")
    func setRight() async throws {
        let world = try await Self.offline()
        let client = try await world.start()
        try await client.track("first")
        try await world.advance(by: 1_000)
        // A loop that sleeps until a moment by the clock that is ahead seems asleep, though it has been woken.
        for days in [400.0, -400] {
            world.setClockAhead(by: days * 86_400)
            _ = try await world.nextWake()
        }
        world.clock.advance(by: 2_000)
        _ = try await world.nextWake()
        #expect(try await client.state().queue.droppedOld == 0)
        world.clock.advance(by: 1_000)
        _ = try await world.nextWake()
        #expect(try await client.state().queue.droppedOld > 0)
        await world.kill()
    }

    @Test("EVT-5, EVT-9: a clock that is set ahead while the app does not run makes no waiting event too old")
    func setAheadMeanwhile() async throws {
        let world = try await Self.offline()
        let first = try await world.start()
        try await first.track("waits")
        await first.waitUntilIdle()
        await world.kill()
        world.setClockAhead(by: 400 * 86_400)
        let second = try await world.start()
        await second.waitUntilIdle()
        #expect(try await second.state().queue.droppedOld == 0)
        await world.server.set(isOffline: false)
        try await second.networkReturns()
        try await second.flush()
        #expect(await world.server.tracked.map(\.name) == ["waits"])
        await world.kill()
    }
}
