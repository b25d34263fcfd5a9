import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// A badge that somebody left behind, and a set without an answer, beside what the next one does (BADGE-5, ID-4).
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

    @Test("BADGE-2, ID-4: a reset that is owed and held up does not undo what is set meanwhile")
    func setWins() async throws {
        let world = try World()
        let client = try await world.start()
        await client.settled()
        try await client.engine.badge.set(3)
        await world.server.script(FakeServer.putBadge, busy())
        try await client.logout()
        await client.settled()
        try await client.engine.badge.set(5)
        for _ in 0..<20 { try await world.advance(by: 60) }
        #expect(try await agree(client, world) == 5)
        await world.kill()
    }

    @Test("BADGE-5, ID-4: of a known person the server takes the badge back, and what came for the next one stays")
    func campaignStays() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        await client.settled()
        let device = try await client.engine.state().id.rawValue
        try await client.engine.badge.set(3)
        await world.server.script(FakeServer.putBadge, busy())
        await world.server.script(Self.fetch, busy())
        try await client.logout()
        await client.settled()
        #expect(await world.server.inbox.badge(of: device).count == 0)
        await world.server.change(BadgeChange(op: .increment), of: device)
        for _ in 0..<20 { try await world.advance(by: 60) }
        #expect(try await agree(client, world) == 1)
        await world.kill()
    }

    @Test("ID-4: while a reset is owed, a fetch does not bring the former number back")
    func fetchDuringDebt() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        try await client.engine.messageCenter.setEnabled(true)
        try await client.engine.badge.set(3)
        await world.server.script(FakeServer.putBadge, busy())
        try await client.logout()
        await client.settled()
        #expect(try await client.engine.badge.badge.count == 0)
        #expect(phone.notes.badges.last == 0)
        try await client.networkReturns()
        world.clock.advance(by: 60)
        await client.settled()
        #expect(try await agree(client, world) == 0)
        await client.stop()
    }

    @Test("BADGE-2, BADGE-5: after a set without an answer the next one is no repetition of it, whatever came between")
    func noRepetition() async throws {
        let world = try World()
        let client = try await world.start()
        await client.settled()
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

    @Test("BADGE-2: the server is asked before the repetition of a set; when that fails, so does the set")
    func askedInVain() async throws {
        let world = try World()
        let client = try await world.start()
        await client.settled()
        await world.server.script(FakeServer.putBadge, .answerLost)
        try? await client.engine.badge.set(2)
        await world.server.script(Self.fetch, busy())
        let error = await centerFault { () async throws(MessageCenterError) in try await client.engine.badge.set(4) }
        #expect(error?.code == .serverUnavailable)
        try await client.engine.badge.set(4)
        #expect(try await agree(client, world) == 4)
        await world.kill()
    }
}
