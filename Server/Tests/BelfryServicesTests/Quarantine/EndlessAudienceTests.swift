import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Campaigns whose audience costs more to find out than it may.
struct EndlessAudienceTests {
    /// A fleet whose first device has a history that no budget suffices for.
    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld(questions: ServiceWorld.strict)
        let fleet = try await world.makeFleet(3)
        try await world.giveHistory(fleet[0], events: 40_000)
        return world
    }

    @Test(
        "SEC-8: a campaign whose audience never ends is quarantined with a reason, and the next one follows",
        arguments: [false, true])
    func quarantine(isInApp: Bool) async throws {
        let world = try await Self.world()
        let bad =
            try await isInApp
            ? world.offer(audience: ServiceWorld.endless()) : world.launch(audience: ServiceWorld.endless())
        let good = try await isInApp ? world.offer() : world.launch()
        for _ in 1...5 {
            await world.dispatcher().runUntilIdle()
            await world.silentPushSender().runUntilIdle()
            // Each attempt is another process's as far as its lease goes.
            world.clock.advance(by: 20)
        }
        #expect(try await world.counts(good).audience == 3)
        let work = try #require(try await world.quarantined().first)
        #expect(work.name == "plan-\(bad.number)" && work.attempts == 3)
        #expect(work.reason.contains("takes longer than"))
        let campaign = try await world.campaign(bad)
        #expect(campaign.status == .paused && campaign.statusReason?.contains("takes longer than") == true)
        #expect(try await world.counts(bad).audience == 0)
    }

    @Test("SEC-8: a full lane quarantines nothing")
    func crowded() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.launch()
        let crowded = CrowdedDatabase(world.database)
        let attempts = world.makeAttempts("a", over: crowded)
        for _ in 1...5 {
            await world.dispatcher("a", database: crowded, attempts: attempts).runUntilIdle()
            world.clock.advance(by: 20)
        }
        #expect(try await world.quarantined().isEmpty)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 3)
    }
}

/// A database of which nobody can ask anything.
private final class CrowdedDatabase: SQLDatabase {
    private let database: any SQLDatabase

    init(_ database: any SQLDatabase) {
        self.database = database
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.write(turn: turn, body, completion: completion)
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await database.read(body)
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        throw StoreError.crowded
    }
}
