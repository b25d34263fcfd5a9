import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// The server says that the person was erased.
struct ErasureTests {
    private let erased = FakeServer.error(410, "erased")

    /// A device that asked for everything that a device can ask for, and whose next such call is answered so.
    private func erase(_ world: World, by call: String) async throws -> BelfryClient {
        await world.server.script(call, .answer(erased))
        let client = try await world.start()
        try await client.edit { $0.addTag("sports") }
        try await client.setPushToken("0abcff", environment: .production)
        try await client.track("kept until then")
        await client.waitUntilIdle()
        if try await client.state().erased { return client }
        await world.server.expireTokens()
        try await client.identify(contactKey: "anna")
        try await client.pushTokenRemoved()
        try await client.flush()
        try await client.track("needs a token")
        await world.server.expireTokens()
        try await client.flush()
        return client
    }

    @Test(
        "REG-36: when any call responds that the person was erased, the device wipes itself and reports it",
        arguments: [
            "POST /client", "POST /client/contact?anonymous=true", "POST /client/contact", "PUT /client/push-token",
            "DELETE /client/push-token", "POST /client/registration", "POST /client/events",
            "POST /client/contact-token",
        ]
    )
    func anyCall(name: String) async throws {
        let world = try World()
        let client = try await erase(world, by: name)
        let state = try await client.state()
        #expect(state.erased && state.isResting)
        #expect(state.json.contains(#""erased" : true"#))
        #expect(state.queue.count == 0)
        #expect(try await world.state.record == ContactRecord())
        #expect(try await world.state.sync == SyncState())
        let before = await world.server.requests.count
        try await client.track("unheard")
        #expect(try await client.identify(contactKey: "anna").error?.code == "erased")
        for _ in 0..<5 {
            try await world.advance(by: 86_400)
        }
        await world.kill()
        #expect(await reports(of: client).filter { $0 == .erased }.count == 1)
        #expect(await world.server.requests.count == before)
    }

    @Test("REG-36: an erased device is suspended until the app explicitly starts it; then it is a new one")
    func untilByHand() async throws {
        let world = try World()
        let first = try await erase(world, by: "POST /client/events")
        let before = await world.server.requests.count
        for launch in 0..<3 {
            let client = try await world.restart()
            try await client.track("unheard")
            try await client.didEnterForeground()
            try await client.flush()
            try await client.wipe()
            try await world.advance(by: 86_400)
            #expect(try await client.state().erased, "launch \(launch)")
            #expect(try await client.state().queue.count == 0, "launch \(launch)")
            await world.kill()
            #expect(await reports(of: client) == [.erased], "launch \(launch)")
        }
        #expect(await world.server.requests.count == before)
        await first.stop()
        await world.server.set(revision: 0)
        let client = try world.make()
        try await client.start(afterErasure: true)
        try await client.track("heard")
        try await client.flush()
        #expect(await world.server.tracked.map(\.name) == ["heard"])
        let ids = Set(await world.server.requests.compactMap { $0.headers[HeaderNames.clientID] })
        #expect(ids.count == 2)
        await world.kill()
        // It is meant once: from now on every launch is an ordinary one.
        let next = try await world.start()
        #expect(try await !next.state().erased)
        await world.kill()
    }

    @Test("REG-36: the erased client itself can be started explicitly, too")
    func sameClient() async throws {
        let world = try World()
        let client = try await erase(world, by: "POST /client/registration")
        try await client.start()
        #expect(try await client.state().erased)
        await world.server.set(revision: 0)
        try await client.start(afterErasure: true)
        try await client.track("heard")
        try await client.flush()
        #expect(await world.server.tracked.map(\.name) == ["heard"])
        await world.kill()
    }

    @Test("REG-36: any other 410 is an ordinary error")
    func otherGone() async throws {
        let world = try World()
        await world.server.script("POST /client/registration", .answer(FakeServer.error(410, "gone")))
        let client = try await world.start()
        await client.waitUntilIdle()
        let state = try await client.state()
        #expect(!state.erased)
        #expect(state.registration.lastError?.status == 410)
        await world.kill()
    }
}
