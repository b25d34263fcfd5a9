import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Counts for people who compose.
struct SharedCountsTests {
    /// Audiences over a database whose first count goes on until the test lets it end.
    private struct HeldCount {
        let audiences: AudienceQueries
        let database: CountingDatabase
        let begun: AsyncStream<Void>
        let letEnd: AsyncStream<Void>.Continuation

        init(_ world: ServiceWorld) {
            let (begun, signal) = AsyncStream<Void>.makeStream()
            let (end, letEnd) = AsyncStream<Void>.makeStream()
            let database = CountingDatabase(world.database)
            let held = InterruptedDatabase(database, after: "AudienceQuestion") {
                signal.yield()
                for await _ in end { break }
            }
            audiences = world.campaigns(over: held).audiences
            self.database = database
            self.begun = begun
            self.letEnd = letEnd
        }
    }

    @Test("PERF-12: people who ask for the same audience at the same time have it counted once")
    func together() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let count = HeldCount(world)
        let first = Task { try await count.audiences.recentCount(.everyone, app: world.app) }
        for await _ in count.begun { break }
        let second = Task { try await count.audiences.recentCount(.everyone, app: world.app) }
        while count.audiences.shared.waiting(for: .everyone, app: world.app) < 2 { await Task.yield() }
        // Another audience is another count.
        #expect(try await count.audiences.recentCount(.known(true), app: world.app) == 0)
        count.letEnd.yield()
        #expect(try await first.value == 3)
        #expect(try await second.value == 3)
        #expect(count.database.count == 2)
    }

    @Test("PERF-12: a count is given again for a second, from its beginning on, and no longer")
    func moment() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let audiences = world.campaigns.audiences
        #expect(try await audiences.recentCount(.everyone, app: world.app) == 1)
        _ = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        world.clock.advance(by: 0.75)
        #expect(try await audiences.recentCount(.everyone, app: world.app) == 1)
        #expect(try await audiences.count(.everyone, app: world.app) == 2, "an API's count is always made")
        world.clock.advance(by: 0.25)
        #expect(try await audiences.recentCount(.everyone, app: world.app) == 2)
        // Somebody sets the clock back.
        _ = try await ServiceDevice.registered(world, 3, key: "carl", token: "token3")
        world.clock.advance(by: -60)
        #expect(try await audiences.recentCount(.everyone, app: world.app) == 3)
    }

    @Test("PERF-12, SEC-8: a count that nobody wants any more is given up, and given to nobody later")
    func abandoned() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let count = HeldCount(world)
        let only = Task { try await count.audiences.recentCount(.everyone, app: world.app) }
        for await _ in count.begun { break }
        only.cancel()
        // What holds it ends with its task.
        _ = await only.result
        #expect(try await count.audiences.recentCount(.everyone, app: world.app) == 3)
        #expect(count.database.count == 2)
    }

    @Test("PERF-12: a count that failed is not given again")
    func failed() async throws {
        let world = try await ServiceWorld()
        let audiences = world.campaigns.audiences
        let audience = Condition.attribute("city", .exists(true))
        #expect(await errorCode { try await audiences.recentCount(audience, app: world.app) } != nil)
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        #expect(try await audiences.recentCount(audience, app: world.app) == 0)
    }

    @Test("PERF-12, CON-5: an audience that looks alike and has other bytes is counted by itself")
    func bytes() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let database = CountingDatabase(world.database)
        let audiences = world.campaigns(over: database).audiences
        for (city, counted) in [("Zo\u{EB}", 1), ("Zoe\u{308}", 2), ("Zo\u{EB}", 2)] {
            let audience = Condition.attribute("city", .equal(.string(city)))
            #expect(try await audiences.recentCount(audience, app: world.app) == 0)
            #expect(database.count == counted)
        }
    }
}
