import BelfryModel
import BelfryServices
import Foundation
import Testing

/// What becomes of the device whose push token another one has registered.
struct TokenMoveTests {
    @Test("REG-27: the device that loses its token is told once with its next sync; operators see since when")
    func reported() async throws {
        let world = try await ServiceWorld()
        var former = InAppPhone(try await ServiceDevice.started(world, 1))
        try await former.device.putToken("token1")
        world.clock.advance(by: 60)
        #expect(try await !former.sync().hasLostToken)
        let newer = try await ServiceDevice.started(world, 2)
        world.clock.advance(by: 60)
        let moved = world.clock.now
        try await newer.putToken("token1")
        world.clock.advance(by: 60)
        let lost = try await world.profile(former.device)
        #expect(lost.device.pushToken == nil && lost.device.tokenMovedAt == moved)
        #expect(lost.pushEligibility.reason == "noToken")
        #expect(try await world.profile(newer).device.tokenMovedAt == nil)
        #expect(world.metrics.values[TokenMoveCount.name] == 1)
        #expect(try await former.sync().hasLostToken)
        // It has heard of it, so that nothing is new any more.
        world.clock.advance(by: 60)
        #expect(try await former.quickAnswer()?.hasLostToken == false)
    }

    @Test("REG-27: a device that lives takes its token back, and the other one is told in its turn")
    func takenBack() async throws {
        let world = try await ServiceWorld()
        var phones: [InAppPhone] = []
        for number in 1...2 { phones.append(InAppPhone(try await ServiceDevice.started(world, number))) }
        for turn in 0..<4 {
            let (owner, other) = (turn % 2, (turn + 1) % 2)
            world.clock.advance(by: 60)
            try await phones[owner].device.putToken("token1")
            world.clock.advance(by: 60)
            #expect(try await !phones[owner].sync().hasLostToken)
            #expect(try await phones[other].sync().hasLostToken == (turn > 0), "\(turn)")
            #expect(try await world.profile(phones[owner].device).device.tokenMovedAt == nil)
        }
        #expect(world.metrics.values[TokenMoveCount.name] == 3)
    }

    @Test("REG-27: a registration moves the token like a call; who removes it, or is revoked, has lost it to nobody")
    func otherWays() async throws {
        let world = try await ServiceWorld()
        let first = try await ServiceDevice.registered(world, 1, token: "token1")
        world.clock.advance(by: 60)
        let second = try await ServiceDevice.registered(world, 2, token: "token1")
        #expect(try await world.profile(first).device.tokenMovedAt == world.clock.now)
        try await first.deleteToken()
        #expect(try await world.profile(first).device.tokenMovedAt == nil)
        try await second.deleteToken()
        #expect(try await world.profile(second).device.tokenMovedAt == nil)
        #expect(world.metrics.values[TokenMoveCount.name] == 1)
    }
}
