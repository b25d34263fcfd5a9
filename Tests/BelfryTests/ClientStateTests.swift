import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// The state that support reads.
struct ClientStateTests {
    @Test("REG-14: the next attempt is the real one, whatever the registration waits for")
    func nextAttempt() async throws {
        let world = try World()
        await world.server.script("POST /client", .answer(FakeServer.error(503, "busy")))
        let client = try await world.start()
        await client.waitUntilIdle()
        let first = try await client.state()
        #expect(first.registration.reason == WaitReason.backingOff.rawValue)
        #expect(first.propertiesError?.status == 503)
        #expect(first.contact == "anonymous")
        let at = try #require(first.registration.nextAttemptAt)
        let wait = at.timeIntervalSince(world.clock.now)
        #expect(wait >= 2)
        await world.server.script("POST /client/contact?anonymous=true", .answer(FakeServer.error(502, "away")))
        try await world.advance(by: wait + 0.01)
        let second = try await client.state()
        #expect(second.propertiesError == nil)
        #expect(second.linkError?.status == 502)
        #expect(second.registration.reason == WaitReason.backingOff.rawValue)
        #expect(second.registration.nextAttemptAt ?? .distantPast > world.clock.now)
        let next = try #require(second.registration.nextAttemptAt)
        try await world.advance(by: next.timeIntervalSince(world.clock.now) + 0.01)
        let third = try await client.state()
        #expect(third.registration.reason == IdleReason.nothingChanged.rawValue)
        #expect(third.registration.nextAttemptAt == nil)
        #expect(third.linkError == nil)
        await world.kill()
    }

    @Test("REG-14: with anonymous contacts off the next attempt is in a day, and not now")
    func anonymousDisabled() async throws {
        let world = try World()
        await world.server.set(allowsAnonymous: false)
        let client = try await world.start()
        await client.waitUntilIdle()
        let state = try await client.state()
        #expect(state.registration.isPending)
        #expect(state.registration.reason == WaitReason.refused.rawValue)
        #expect(state.registration.nextAttemptAt == world.clock.now.addingTimeInterval(86_400))
        await world.server.set(isOffline: true)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        #expect(try await client.state().contact == "known")
        await world.kill()
    }

    @Test("REG-14: the last failures to renew the token and to register the push token are reported")
    func failures() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.script("PUT /client/push-token", .answer(FakeServer.error(422, "badToken")))
        try await client.setPushToken("abcdef", environment: .production)
        await client.waitUntilIdle()
        #expect(try await client.state().pushTokenError?.code == "badToken")
        await world.server.expireTokens()
        await world.server.script("POST /client/contact-token", .answer(FakeServer.error(500, "broken")))
        try await client.track("waits")
        try await client.flush()
        #expect(try await client.state().refreshError?.status == 500)
        try await world.advance(by: 60)
        #expect(try await client.state().refreshError == nil)
        await world.kill()
    }
}
