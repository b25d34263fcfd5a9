import BelfryModel
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
}
