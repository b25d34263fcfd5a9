import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// The number on the app's icon (BADGE-1 to BADGE-5).
@Suite(.timeLimit(.minutes(15)))
struct BadgeTests {
    private func fault(_ client: BelfryClient, _ count: Int) async -> MessageCenterError? {
        await thrownCenterError { () async throws(MessageCenterError) in try await client.engine.badge.set(count) }
    }

    @Test("BADGE-2, BADGE-3, BADGE-4: the server first, then the icon; 0 also removes all delivered notifications")
    func set() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        let device = try await client.engine.state().id.rawValue
        try await client.engine.badge.set(7)
        #expect(await world.server.inbox.badge(of: device).count == 7)
        #expect(try await client.engine.badge.badge.count == 7)
        #expect(phone.notes.badges == [7] && phone.notes.clearances == 0)
        try await client.engine.badge.set(500)
        #expect(try await client.engine.badge.badge.count == 99, "the app's maximum")
        try await client.engine.badge.set(0)
        #expect(phone.notes.badges == [7, 99, 0] && phone.notes.clearances == 1)
        #expect(phone.notes.removals == 0)
        #expect(try await client.state().badge.revision == 3)
        await client.stop()
    }

    @Test("BADGE-2: on any error the badge stays as it is, and the error says why")
    func failing() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        try await client.engine.badge.set(2)
        #expect(await fault(client, -1)?.code == .invalidBadge)
        let faults: [(FakeServer.Fault, Int)] = [
            (.lost, 5_001), (.answer(FakeServer.error(503, "busy")), 503),
            (.intermediary(TransportResponse(status: 200)), 5_001),
            (.answer(FakeServer.error(400, "invalidBadge")), 6_002),
        ]
        for (fault, code) in faults {
            await world.server.script(FakeServer.putBadge, fault)
            #expect(await self.fault(client, 5)?.numericCode == code)
            #expect(try await client.engine.badge.badge.count == 2)
        }
        #expect(phone.notes.badges == [2] && phone.notes.clearances == 0)
        await client.stop()
    }

    @Test("BADGE-5: after a lost response the device fetches, also after a kill, and shows the server's badge")
    func lostAnswer() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.script(FakeServer.putBadge, .answerLost)
        #expect(await fault(client, 4)?.code == .noNetwork)
        #expect(try await client.engine.badge.badge.count == 0)
        let next = try await world.restart()
        try await world.advance(by: 5)
        #expect(try await next.engine.badge.badge == Badge(count: 4, revision: 1))
        #expect(await world.server.count("GET /client/badge") == 1)
        await world.kill()
    }

    @Test("BADGE-1, BADGE-5: pushes in any order leave the newest number; devices without push get it by a fetch")
    func reported() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        let device = try await client.engine.state().id.rawValue
        var pushes: [Badge] = []
        for _ in 0..<3 { pushes.append(await world.server.change(BadgeChange(op: .increment), of: device)) }
        for badge in [pushes[2], pushes[0], pushes[1], pushes[2]] {
            try await client.engine.push.noticed(centerPush("S", badge: badge))
        }
        #expect(phone.notes.badges == [3])
        await world.server.change(BadgeChange(op: .set, value: 8), of: device)
        try await client.engine.messageCenter.setEnabled(true)
        await client.waitUntilIdle()
        #expect(phone.notes.badges == [3, 8])
        #expect(try await client.engine.badge.badge == Badge(count: 8, revision: 4))
        await client.stop()
    }

    @Test("BADGE-1: with badges off no badge is adopted or set")
    func off() async throws {
        let world = try World { $0.badgesEnabled = false }
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        let device = try await client.engine.state().id.rawValue
        let badge = await world.server.change(BadgeChange(op: .increment), of: device)
        try await client.engine.push.noticed(centerPush("S", badge: badge))
        try await client.engine.messageCenter.setEnabled(true)
        await client.waitUntilIdle()
        #expect(await fault(client, 1)?.code == .invalidBadge)
        #expect(phone.notes.badges.isEmpty)
        #expect(try await client.engine.badge.badge == .none)
        await client.stop()
    }

    @Test(
        "ID-4, BADGE-5: the badge of a person who leaves is 0 at once, here and on the server, known or not",
        arguments: [nil, "anna"])
    func left(key: String?) async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone, key: key)
        let device = try await client.engine.state().id.rawValue
        try await client.engine.badge.set(3)
        await world.server.set(isOffline: true)
        try await client.logout()
        #expect(try await client.engine.badge.badge.count == 0)
        #expect(phone.notes.badges.last == 0)
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        await client.waitUntilIdle()
        #expect(try await client.engine.badge.badge == world.server.inbox.badge(of: device))
        #expect(try await client.engine.badge.badge.count == 0)
        let badge = await world.server.change(BadgeChange(op: .set, value: 3), of: device)
        try await client.engine.push.noticed(centerPush("S", badge: badge))
        #expect(phone.notes.badges.last == 3)
        await client.stop()
    }

    @Test("BADGE-5, ID-4: a set that is being sent when the person leaves is an error, and both sides agree in the end")
    func leftDuringSet() async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        try await client.engine.badge.set(1)
        await gate.shut()
        async let error = fault(client, 9)
        await gate.holdsOne()
        try await client.logout()
        await gate.open()
        #expect(await error?.code == .noContact)
        await client.waitUntilIdle()
        let device = try await client.engine.state().id.rawValue
        #expect(try await client.engine.badge.badge == world.server.inbox.badge(of: device))
        #expect(try await client.engine.badge.badge.count == 0)
        await client.stop()
    }
}

/// Campaigns, sets and a bad network, in any order.
struct BadgePropertyTests {
    private func deliver(_ badge: Badge, to client: BelfryClient) async throws {
        try await client.engine.push.noticed(centerPush("S-\(badge.revision)", badge: badge))
    }

    @Test(
        "BADGE-5: server and device agree in the end, whatever was lost, late or sent twice",
        arguments: Endurance.seeds(40, brief: 8))
    func agreement(seed: UInt64) async throws {
        let world = try World(seed: seed)
        let chance = Chance(seed: seed &+ 77)
        // Requests come in an order of their own: they take nothing of the story's chance.
        let weather = Chance(seed: seed &+ 78)
        var client = try await world.start()
        // Pushes may be lost for good only where a fetch tells the badge all the same.
        let fetches = seed % 2 == 0
        try await client.engine.messageCenter.setEnabled(fetches)
        await client.waitUntilIdle()
        let device = try await world.state.id.rawValue
        let isBad = Locked(true)
        world.wire.decide { _ in
            guard isBad.withLock({ $0 }) else { return .delivered }
            return [.lost, .answerLost, .delivered, .delivered][Int(weather.next() % 4)]
        }
        var waiting: [Badge] = []
        for _ in 0..<50 {
            switch chance.next() % 8 {
            case 0, 1:
                let ops: [BadgeChange] = [
                    BadgeChange(op: .increment), BadgeChange(op: .increment, value: 40),
                    BadgeChange(op: .set, value: 3),
                    BadgeChange(op: .clear),
                ]
                waiting.append(await world.server.change(ops[Int(chance.next() % 4)], of: device))
            case 2 where !waiting.isEmpty:
                let place = Int(chance.next() % UInt64(waiting.count))
                try await deliver(chance.unit() < 0.5 ? waiting[place] : waiting.remove(at: place), to: client)
            case 3 where fetches && !waiting.isEmpty: waiting.removeFirst()
            case 4: try await world.advance(by: Double(chance.next() % 200))
            case 5:
                client = try await world.restart()
            case 6: try await client.networkReturns()
            default: try? await client.engine.badge.set(Int(chance.next() % 120))
            }
        }
        isBad.withLock { $0 = false }
        for badge in waiting where !fetches { try await deliver(badge, to: client) }
        try await client.didEnterForeground()
        try await client.networkReturns()
        try await world.advance(by: 2_000)
        #expect(try await client.engine.badge.badge == world.server.inbox.badge(of: device))
        await world.kill()
    }
}
