import BelfryModel
import BelfryRules
import BelfryTestSupport
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
        #expect(second.linkError?.status == 502 && second.linkIsPending)
        #expect(second.registration.reason == WaitReason.backingOff.rawValue)
        #expect(second.registration.nextAttemptAt ?? .distantPast > world.clock.now)
        let next = try #require(second.registration.nextAttemptAt)
        try await world.advance(by: next.timeIntervalSince(world.clock.now) + 0.01)
        let third = try await client.state()
        #expect(third.registration.reason == IdleReason.nothingChanged.rawValue)
        #expect(third.registration.nextAttemptAt == nil)
        #expect(third.linkError == nil && !third.linkIsPending)
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
        let known = try await client.state()
        #expect(known.contact == "known" && known.linkIsPending)
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

    @Test("REG-14, REG-23: a nonce that waits leaves the device linked, so no link is pending")
    func takeover() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let contact = try #require(await world.server.contact)
        await world.server.script("POST /client/contact", .answer(FakeServer.error(503, "busy")))
        let payload = PushPayload(sid: "S-1", to: FakeServer.tag(of: contact), nonce: "n1")
        try await client.handlePush(ReceivedPush(payload: payload))
        await client.waitUntilIdle()
        #expect(try await world.state.sync.link.pending.map(\.nonce) == ["n1"])
        let state = try await client.state()
        #expect(state.linkError?.status == 503 && state.contact == "anonymous" && !state.linkIsPending)
        await world.kill()
    }

    @Test("REG-14: JSON that an app stored with an earlier version does not say whether a link is pending")
    func earlierVersion() async throws {
        let world = try World()
        await world.server.set(isOffline: true)
        let client = try await world.start()
        await client.waitUntilIdle()
        let state = try await client.state()
        await world.kill()
        let json = try encoded(state)
        let earlier = json.replacing("\"linkIsPending\":true,", with: "")
        #expect(state.linkIsPending && earlier != json)
        let read = try decoded(ClientState.self, earlier)
        #expect(!read.linkIsPending)
        #expect(try encoded(read) == json.replacing("\"linkIsPending\":true", with: "\"linkIsPending\":false"))
    }

    @Test("REG-14: each value is read as it was written", arguments: 0..<5)
    func values(isSet: Int) async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let real = try await client.state()
        await world.kill()
        func failure(_ code: String) -> CallFailure {
            CallFailure(status: 500, code: code, message: "", at: world.clock.now)
        }
        let state = ClientState(
            deviceId: "id", appCode: "app", sdkVersion: "1", contact: "known", linkIsPending: isSet == 0,
            propertiesError: failure("a"), linkError: failure("b"), refreshError: failure("c"),
            pushTokenError: failure("d"), trackingEnabled: isSet == 1, erased: isSet == 2, isResting: isSet == 3,
            pushToken: "token", consent: real.consent, registration: real.registration, queue: real.queue,
            messageCenter: real.messageCenter, inApp: real.inApp, badge: Badge(count: 3, revision: 4),
            isOnline: isSet == 4, appState: .background, serverClockOffset: 7
        )
        #expect(try decoded(ClientState.self, encoded(state)) == state)
    }
}
