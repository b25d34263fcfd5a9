import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// A re-installed app whose nonce the server cannot take (REG-23): what the person does meanwhile.
@Suite(.timeLimit(.minutes(15)))
struct FailedTakeoverTests {
    /// A device whose server answers nonces with 503, and everything else as it should, after six such answers.
    private func offered() async throws -> World {
        let world = try World()
        world.wire.decide { $0.hasNonce ? .answered(FakeServer.error(503, "busy")) : .delivered }
        let client = try await world.start()
        await client.waitUntilIdle()
        let contact = try #require(await world.server.contact)
        let payload = PushPayload(sid: "S-1", to: FakeServer.tag(of: contact), nonce: "n1")
        try await client.handlePush(ReceivedPush(payload: payload))
        try await world.pass(100)
        #expect(world.wire.attempts.count { $0.hasNonce } == 6)
        #expect(try await world.state.sync.link.nextTakeover(now: world.clock.now) != nil)
        return world
    }

    @Test("REG-23: a login and a logout leave at once, however often a nonce has failed, and events follow them")
    func login() async throws {
        let world = try await offered()
        let client = try world.client
        let session = try await world.state.session.session?.id
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        #expect(await world.server.contact == "anna")
        // It is another contact's session, so another one's messages are shown, too (ID-4, MC-12).
        #expect(try await world.state.session.session?.id != session)
        try await client.track("hers")
        try await client.flush()
        try await client.logout()
        await client.waitUntilIdle()
        #expect(await world.server.contact?.hasPrefix("anonymous-") == true)
        try await client.track("nobodys")
        try await client.flush()
        let events = await world.server.tracked
        #expect(events.map(\.name) == ["hers", "nobodys"] && events.first?.contact == "anna")
        // Its place is taken.
        try await world.pass(3_600)
        #expect(world.wire.attempts.count { $0.hasNonce } == 6)
        await world.kill()
    }

    @Test("REG-23: a login that comes while the nonce is on its way leaves as soon as that call has failed")
    func underWay() async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        let contact = try #require(await world.server.contact)
        let payload = PushPayload(sid: "S-1", to: FakeServer.tag(of: contact), nonce: "n1")
        await world.server.script("POST /client/contact", .answer(FakeServer.error(503, "busy")))
        await gate.shut()
        try await client.handlePush(ReceivedPush(payload: payload))
        await gate.holdsOne()
        try await client.identify(contactKey: "anna")
        await gate.open()
        await client.waitUntilIdle()
        #expect(await world.server.contact == "anna")
        #expect(await world.server.count("POST /client/contact") == 2)
        await client.stop()
    }

    @Test("REG-6: a login that a server cannot take waits as before, also after a nonce")
    func loginFails() async throws {
        let world = try await offered()
        let client = try world.client
        world.wire.decide { $0.path == "/client/contact" ? .answered(FakeServer.error(503, "busy")) : .delivered }
        let before = world.wire.attempts.count
        try await client.identify(contactKey: "anna")
        try await world.pass(100)
        let tries = world.wire.attempts.dropFirst(before).filter { $0.path == "/client/contact" }
        #expect(tries.count == 6)
        for (number, pair) in zip(tries, tries.dropFirst()).enumerated() {
            #expect(pair.1.lived - pair.0.lived >= 2 * pow(2, Double(number)) - 0.01)
        }
        await world.kill()
    }
}

extension Wire.Attempt {
    /// Whether it sends a nonce back.
    fileprivate var hasNonce: Bool {
        guard path == "/client/contact", let body = request.body else { return false }
        return (try? JSONDecoder().decode(ContactLinkRequest.self, from: body))?.nonce != nil
    }
}
