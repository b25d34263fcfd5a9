import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

/// Errors of message centers, and what stays readable in spite of them.
struct MessageCenterCallErrorTests {
    private func started() async throws -> (world: World, client: BelfryClient) {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.keep(for: "anna", html: "<p>")
        try await client.engine.messageCenter.refresh()
        return (world, client)
    }

    @Test("MC-13: during maintenance the cache stays readable with the error, and is fetched later")
    func maintenance() async throws {
        let (world, _) = try await started()
        let busy = FakeServer.error(503, "maintenance", headers: ["Retry-After": "1800"])
        await world.server.script(FakeServer.fetch, .answer(busy))
        await world.server.keep(for: "anna")
        try await world.advance(by: 300)
        #expect(try await world.listed() == ["message-1"])
        #expect(try await world.centerError()?.numericCode == 503)
        let fetches = await world.server.count(FakeServer.fetch)
        try await world.restart()
        try await world.advance(by: 1_799)
        #expect(await world.server.count(FakeServer.fetch) == fetches)
        #expect(try await world.listed() == ["message-1"])
        try await world.advance(by: 1)
        #expect(try await world.listed() == ["message-2", "message-1"])
        #expect(try await world.centerError() == nil)
        await world.kill()
    }

    @Test("MC-10: no response is 5001, five of them 5002; the network's return ends it at once")
    func network() async throws {
        let (world, client) = try await started()
        await world.server.set(isOffline: true)
        try await world.advance(by: 300)
        #expect(try await world.centerError()?.numericCode == 5_001)
        for _ in 0..<12 { try await world.advance(by: 5) }
        #expect(try await world.centerError()?.numericCode == 5_002)
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        await client.waitUntilIdle()
        #expect(try await world.centerError() == nil)
        try await client.engine.lifecycle.becameOnline(false)
        #expect(try await world.centerError() == nil, "what there is was fetched a moment ago")
        try await world.advance(by: 300)
        #expect(try await world.centerError()?.code == .noNetwork)
        #expect(try await world.listed() == ["message-1"])
        await world.kill()
    }

    @Test(
        "MC-10: a response that no Belfry server sends is a typed error and changes nothing",
        arguments: [
            ("", 5_005), ("<html>", 5_004), ("[]", 5_004), ("{}", 5_004),
            (#"{"messageCenters":[{"name":"Primary","messages":[{"id":"x"}]}]}"#, 5_004),
            (
                #"{"messageCenters":[{"name":"Primary","messages":[{"id":"x","sent_ts":"soon","subject":"a","#
                    + #""message":"b","message_center_name":"Primary"}]}]}"#, 5_004
            ),
        ]
    )
    func flawed(body: String, code: Int) async throws {
        let (world, client) = try await started()
        await world.server.script(FakeServer.fetch, .answer(TransportResponse(status: 200, body: Data(body.utf8))))
        let error = await thrownCenterError { () async throws(MessageCenterError) in
            try await client.engine.messageCenter.refresh()
        }
        #expect(error?.numericCode == code)
        #expect(try await world.centerError()?.numericCode == code)
        #expect(try await world.listed() == ["message-1"])
        try await world.advance(by: 10)
        #expect(try await world.centerError() == nil)
        await world.kill()
    }

    @Test("MC-10: an unknown app is 400; a disabled center 403, an unknown one 404")
    func rejections() async throws {
        let (world, client) = try await started()
        await world.server.script(FakeServer.fetch, .answer(FakeServer.error(400, "unknownApp")))
        let error = await thrownCenterError { () async throws(MessageCenterError) in
            try await client.engine.messageCenter.refresh()
        }
        #expect(error?.numericCode == 400)
        await world.server.changeInbox { $0.centers["Offers"] = false }
        try await client.engine.messageCenter.refresh()
        for (name, code) in [("Offers", 403), ("Nowhere", 404), ("no such name!", 404)] {
            _ = try await world.centerError(name)
            await client.waitUntilIdle()
            #expect(try await world.centerError(name)?.numericCode == code)
            #expect(try await world.listed(name).isEmpty)
        }
        await world.server.changeInbox { $0.centers["Offers"] = true }
        let offer = await world.server.keep(for: "anna") { $0.center = "Offers" }
        try await client.engine.messageCenter.refresh()
        #expect(try await world.centerError("Offers") == nil)
        #expect(try await world.listed("Offers") == [offer])
        await world.server.changeInbox { $0.centers["Offers"] = false }
        try await client.engine.messageCenter.refresh()
        #expect(try await world.listed("Offers").isEmpty)
        await world.kill()
    }

    @Test("MC-9, MC-10: an awaited call fails at once without a network, a contact or a start")
    func atOnce() async throws {
        let world = try World()
        let client = try world.make()
        try await client.engine.messageCenter.setEnabled(true)
        let call: @Sendable () async throws(MessageCenterError) -> Void = { () async throws(MessageCenterError) in
            _ = try await client.engine.messageCenter.richContent(for: "message-1")
        }
        #expect(await thrownCenterError(call)?.code == .invalidURL)
        #expect(try await world.centerError()?.code == .invalidURL)
        await world.server.set(isOffline: true)
        try await client.start()
        #expect(await thrownCenterError(call)?.code == .noNetwork)
        try await client.engine.lifecycle.becameOnline(false)
        #expect(await thrownCenterError(call)?.code == .noNetwork)
        let badge = await thrownCenterError { () async throws(MessageCenterError) in
            try await client.engine.badge.set(1)
        }
        #expect(badge?.code == .noNetwork)
        await world.server.set(isOffline: false)
        try await client.engine.lifecycle.becameOnline(true)
        #expect(await thrownCenterError(call)?.code == .unknownMessage, "the link is made first")
        try await client.wipe()
        #expect(await thrownCenterError(call)?.code == .resting)
        await client.stop()
        #expect(await thrownCenterError(call)?.code == .stopped)
    }

    @Test("MC-6, MC-10: an overdue list says that the client was not started; a fresh one has no error")
    func notStarted() async throws {
        let (world, _) = try await started()
        await world.kill()
        let client = try world.make()
        #expect(try await world.listed() == ["message-1"])
        #expect(try await world.centerError() == nil)
        world.clock.advance(by: 300)
        #expect(try await world.listed() == ["message-1"])
        #expect(try await world.centerError()?.numericCode == 5_003)
        try await client.start()
        await client.waitUntilIdle()
        #expect(try await world.centerError() == nil)
        await world.kill()
    }

    @Test("REG-12, MC-10: before the contact key is set there are no messages")
    func noContact() async throws {
        let world = try World { $0.delayRegistrationUntilContactKeyIsSet = true }
        let client = try await world.start()
        try await client.engine.messageCenter.setEnabled(true)
        let error = await thrownCenterError { () async throws(MessageCenterError) in
            try await client.engine.messageCenter.refresh()
        }
        #expect(error?.code == .noContact)
        #expect(await world.server.requests.isEmpty)
        await world.kill()
    }

    @Test("MC-10, ID-6: an expired token is renewed, and the waiting caller gets the response")
    func expired() async throws {
        let (world, client) = try await started()
        await world.server.expireTokens()
        #expect(try await client.engine.messageCenter.richContent(for: "message-1") == "<p>")
        await world.server.expireTokens()
        try await client.engine.badge.set(3)
        #expect(try await client.engine.badge.badge.count == 3)
        await world.server.forgetRefreshTokens()
        try await client.engine.messageCenter.refresh()
        #expect(try await world.listed() == ["message-1"])
        await world.kill()
    }
}
