import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// A badge that somebody left behind, and a set without a response, beside what the next one does (BADGE-5, ID-4).
@Suite(.timeLimit(.minutes(15)))
struct BadgeDebtTests {
    private static let fetch = "GET /client/badge"

    private func busy() -> FakeServer.Fault { .answer(FakeServer.error(503, "busy")) }

    private func agree(_ client: BelfryClient, _ world: World) async throws -> Int {
        let device = try await client.engine.state().id.rawValue
        let count = try await client.engine.badge.badge.count
        #expect(await world.server.inbox.badge(of: device).count == count)
        return count
    }

    @Test("BADGE-2, ID-4: an outstanding reset that is delayed does not undo a set made meanwhile")
    func setWins() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.engine.badge.set(3)
        await world.server.script(FakeServer.putBadge, busy())
        try await client.logout()
        await client.waitUntilIdle()
        try await client.engine.badge.set(5)
        for _ in 0..<20 { try await world.advance(by: 60) }
        #expect(try await agree(client, world) == 5)
        await world.kill()
    }

    @Test("BADGE-5, ID-4: the server resets a known person's badge, and the next person's badge stays")
    func campaignStays() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        let device = try await client.engine.state().id.rawValue
        try await client.engine.badge.set(3)
        await world.server.script(FakeServer.putBadge, busy())
        await world.server.script(Self.fetch, busy())
        try await client.logout()
        await client.waitUntilIdle()
        #expect(await world.server.inbox.badge(of: device).count == 0)
        await world.server.change(BadgeChange(op: .increment), of: device)
        for _ in 0..<20 { try await world.advance(by: 60) }
        #expect(try await agree(client, world) == 1)
        await world.kill()
    }

    @Test("ID-4: while a reset is outstanding, a fetch does not bring the former number back")
    func fetchDuringDebt() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        try await client.engine.messageCenter.setEnabled(true)
        try await client.engine.badge.set(3)
        await world.server.script(FakeServer.putBadge, busy())
        try await client.logout()
        await client.waitUntilIdle()
        #expect(try await client.engine.badge.badge.count == 0)
        #expect(phone.notes.badges.last == 0)
        try await client.networkReturns()
        world.clock.advance(by: 60)
        await client.waitUntilIdle()
        #expect(try await agree(client, world) == 0)
        await client.stop()
    }

    @Test("BADGE-2, BADGE-5: after a set without a response the next one is no repetition of it")
    func noRepetition() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let device = try await client.engine.state().id.rawValue
        try await client.engine.badge.set(3)
        await world.server.script(FakeServer.putBadge, .answerLost)
        try? await client.engine.badge.set(0)
        await world.server.change(BadgeChange(op: .increment), of: device)
        let next = try await world.restart()
        try await next.engine.badge.set(0)
        #expect(try await agree(next, world) == 0)
        await world.kill()
    }

    @Test("BADGE-2: the badge is fetched before a set is repeated; when that fails, so does the set")
    func askedInVain() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.script(FakeServer.putBadge, .answerLost)
        try? await client.engine.badge.set(2)
        await world.server.script(Self.fetch, busy())
        let error = await thrownCenterError { () async throws(MessageCenterError) in
            try await client.engine.badge.set(4)
        }
        #expect(error?.code == .serverUnavailable)
        try await client.engine.badge.set(4)
        #expect(try await agree(client, world) == 4)
        await world.kill()
    }
}
