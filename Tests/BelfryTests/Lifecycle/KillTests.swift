import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

/// A recorded story of an app's life, in which the device dies at every single request, before or after it arrived.
///
/// Unlike the days of ``CrashPointTests`` the request hangs until the process ends: its task is cancelled, and no
/// response is ever taken into the state.
struct KillTests {
    /// So many requests are tried; the story has more.
    static let requests = 17

    private typealias Step = @Sendable (BelfryClient) async throws -> Void

    private let story: [(seconds: TimeInterval, step: Step)] = [
        (0, { try await $0.track("first") }),
        (1, { _ = try await $0.setPushToken("0abcff", environment: .production) }),
        (
            5,
            { client in
                try await client.edit { record in
                    record.setAttribute("city", to: "Paris")
                    record.addTag("sports")
                }
            }
        ),
        (40, { _ = try await $0.identify(contactKey: "anna") }),
        (0, { try await $0.track("second") }),
        (70, { try await $0.didEnterBackground() }),
        (10, { try await $0.didEnterForeground() }),
        (5, { try await $0.track("third") }),
        (30, { try await $0.logout() }),
        (0, { try await $0.track("fourth") }),
        (70, { _ = try await $0.identify(contactKey: "bert") }),
        (0, { _ = try await $0.edit { $0.setAttribute("city", to: "Lyon") } }),
        (0, { try await $0.track("fifth") }),
        (90, { try await $0.didEnterBackground() }),
    ]

    /// Lives the story. Whenever the device dies it is started again; a step that was not finished is done again.
    private func live(_ world: World) async throws {
        try await awake(world)
        for (seconds, step) in story {
            world.clock.advance(by: seconds)
            try await awake(world)
            do {
                try await step(try world.client)
            } catch {
                // The device died under this step.
                try await awake(world)
                try await step(try world.client)
            }
            try await awake(world)
        }
        // Longer than any back-off of the story.
        for _ in 0..<10 {
            world.clock.advance(by: 400)
            try await awake(world)
        }
    }

    /// Waits until the device rests; starts it when it is dead.
    private func awake(_ world: World) async throws {
        for _ in 0..<3 {
            if world.isDead { try await world.start() }
            try? await world.client.waitUntilIdle()
            if !world.isDead { return }
        }
    }

    private func check(_ world: World, _ place: String) async throws {
        let tracked = await world.server.tracked
        let names = tracked.map(\.name)
        #expect(names == ["first", "second", "third", "fourth", "fifth"], "\(place)")
        #expect(tracked.count == 5 && tracked[1].contact == "anna" && tracked[2].contact == "anna", "\(place)")
        #expect(tracked.last?.contact == "bert", "\(place)")
        #expect(await world.server.contact == "bert", "\(place)")
        #expect(await world.server.pushToken == "0abcff", "\(place)")
        let snapshot = try #require(await world.server.snapshots.last)
        #expect(snapshot.contactKey == "bert", "\(place)")
        #expect(snapshot.attributes == ["city": AttributeValue.string("Lyon")], "\(place)")
        #expect(snapshot.tags?.isEmpty == true, "\(place)")
        #expect(snapshot.pushToken == "0abcff", "\(place)")
        let times = await world.server.requests.filter { $0.name == "POST /client/registration" }.map(\.at)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1.timeIntervalSince($0) >= 60 }, "\(place)")
        let sessions = await world.server.events.filter { $0.name.hasPrefix("session:") }
        let started = sessions.filter { $0.name == "session:start" }.map(\.sessionID)
        let ended = sessions.filter { $0.name == "session:end" }.map(\.sessionID)
        #expect(Set(started).count == started.count, "\(place)")
        #expect(Set(ended).count == ended.count, "\(place)")
        #expect(Set(ended).isSubset(of: Set(started)), "\(place)")
    }

    @Test("REG-4, EVT-3, WIRE-25: the story without a death")
    func undisturbed() async throws {
        let world = try World()
        try await live(world)
        try await check(world, "undisturbed")
        #expect(world.deathCount == 0)
        #expect(await world.server.requests.count >= Self.requests)
        await world.kill()
    }

    @Test(
        "REG-4, EVT-3, WIRE-25: killed at any request, the device converges and every event counts once",
        arguments: 0..<KillTests.requests, [false, true]
    )
    func killed(atRequest number: Int, arrived: Bool) async throws {
        let world = try World(seed: UInt64(number))
        await world.killDevice(atRequest: number, arrived: arrived)
        try await live(world)
        #expect(world.deathCount == 1)
        try await check(world, "killed at request \(number), which \(arrived ? "arrived" : "was lost")")
        await world.kill()
    }

    @Test("EVT-3: killed at every moment between two calls, nothing that returned is lost")
    func killedBetweenCalls() async throws {
        let world = try World()
        for (seconds, step) in story {
            world.clock.advance(by: seconds)
            try await world.start()
            try await step(try world.client)
            await world.kill()
        }
        try await world.start().waitUntilIdle()
        for _ in 0..<10 {
            world.clock.advance(by: 400)
            try await awake(world)
        }
        try await check(world, "killed after each step")
        await world.kill()
    }
}
