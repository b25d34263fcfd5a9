import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Synchronization
import Testing

struct TakeoverTests {
    @Test("PUSH-5: a worker that dies in the middle of a batch loses nobody: another takes over after its lease")
    func deathInTheMiddle() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(10)
        let id = try await world.launch()
        // The first worker gets half of its responses and writes them; then it dies.
        let doomed = ScriptedTransport()
        doomed.hold(after: 5)
        let mortal = MortalDatabase(
            world.database, isLastWrite: { try $0.figures.counts(of: id).accepted == 5 },
            onDeath: { doomed.release() }
        )
        await world.dispatcher("a", transport: doomed, database: mortal).runUntilIdle()
        #expect(doomed.requests.count == 10)
        var counts = try await world.counts(id)
        #expect(counts.accepted == 5 && counts.pending == 5)

        let heir = world.dispatcher("b")
        world.clock.advance(by: 14.9)
        await heir.runUntilIdle()
        #expect(world.transport.requests.isEmpty)
        world.clock.advance(by: 0.1)
        await heir.runUntilIdle()

        counts = try await world.counts(id)
        #expect(counts.accepted == 10 && counts.total == counts.audience)
        #expect(try await world.campaign(id).status == .completed)
        // At most what was in flight is sent again, and under the same ids, so that the phone shows one.
        #expect(world.transport.requests.count == 5)
        for request in world.transport.requests {
            let first = try #require(doomed.requests(for: request.token).first)
            #expect(first.apnsID == request.apnsID && first.collapseID == request.collapseID)
        }
    }

    @Test("PUSH-5: a worker that dies with its lease, before it sent anything, loses nobody")
    func deathAfterClaim() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.launch()
        let mortal = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                try connection.first("SELECT count(*) FROM batches WHERE lease_owner = 'a'", []) { $0.flag(0) } ?? false
            }
        )
        await world.dispatcher("a", database: mortal).runUntilIdle()
        #expect(world.transport.requests.isEmpty)
        world.clock.advance(by: 15)
        await world.dispatcher("b").runUntilIdle()
        #expect(try await world.counts(id).accepted == 3)
    }

    @Test("PUSH-5: two workers share the batches; every device is sent to once")
    func twoWorkers() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(5_500)
        let id = try await world.launch()
        await withTaskGroup(of: Void.self) { group in
            for owner in ["a", "b"] {
                group.addTask { await world.dispatcher(owner).runUntilIdle() }
            }
        }
        // A worker that finds nothing left to claim ends early; one of the two finishes the rest.
        await world.dispatcher("c").runUntilIdle()
        #expect(try await world.counts(id).accepted == 5_500)
        #expect(world.transport.requests.count == 5_500)
        #expect(Set(world.transport.requests.map(\.token)).count == 5_500)
    }

    @Test("PUSH-5: a running worker renews its leases, however long its sends take")
    func renewal() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        world.transport.hold()
        let id = try await world.launch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let dispatcher = world.dispatcher("a")
            group.addTask { await dispatcher.run() }
            await world.transport.received(3)
            for _ in 0..<6 {
                // Both sleep again, the alarm of the loop and the renewal, so the renewal has been written.
                await world.clock.asleep(atLeast: 2)
                world.clock.advance(by: 5)
            }
            await world.clock.asleep(atLeast: 2)
            let now = world.clock.now
            let stolen = try await world.database.write { connection in
                try connection.batches.claim(owner: "b", until: now.addingTimeInterval(15), now: now, limit: 9)
            }
            #expect(stolen.isEmpty)
            world.transport.release()
            group.cancelAll()
        }
        #expect(try await world.counts(id).audience == 3)
    }

    /// A worker sends to three devices and hears nothing, and renews no lease: the same to others as one that is dead.
    private static func holding(
        _ world: ServiceWorld, while body: @Sendable (_ other: CampaignDispatcher) async -> Void
    ) async throws {
        try await world.makeFleet(3)
        world.transport.hold()
        _ = try await world.launch()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher("a").runUntilIdle() }
            await world.transport.received(3)
            await body(world.dispatcher("b", work: world.work))
        }
    }

    @Test("PUSH-5: when the machine stood still, a worker leaves the others the time of a lease to renew theirs")
    func stoodStill() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await Self.holding(world) { other in
            await world.shuttingDown(other) {
                // It has looked at its leases once, and sleeps.
                await world.clock.asleep(atLeast: 2)
                world.clock.advance(by: 5)
                await world.clock.asleep(atLeast: 2)
                // Longer than the lease.
                world.clock.advance(by: 16)
                for _ in 0..<2 {
                    await world.clock.asleep(atLeast: 2)
                    #expect(world.transport.requests.count == 3, "what the other one is sending is not sent twice")
                    world.clock.advance(by: 5)
                }
                await world.clock.asleep(atLeast: 2)
                world.clock.advance(by: 5)
                // It has not renewed: it is dead.
                await world.transport.received(6)
            } then: {
                world.transport.release()
            }
        }
        #expect(Set(world.transport.requests.map(\.apnsID)).count == 3)
    }

    @Test("PUSH-5: when the database was away, a worker leaves the others the time of a lease to renew theirs")
    func databaseWasAway() async throws {
        let world = try await ServiceWorld()
        let isAway = Mutex(true)
        try await Self.holding(world) { _ in
            let database = FaultyDatabase(world.database) { _ in
                if isAway.withLock({ $0 }) { throw StoreError.tryAgain(reason: "it is away") }
            }
            let other = world.dispatcher("b", database: database)
            world.clock.advance(by: 15)
            await other.runUntilIdle()
            isAway.withLock { $0 = false }
            world.clock.advance(by: 14)
            await other.runUntilIdle()
            #expect(world.transport.requests.count == 3, "what the other one is sending is not sent twice")
            world.transport.release()
        }
    }

    @Test("PUSH-5, CAMP-2: when the database was away, what others send of a cancelled campaign keeps its outcome")
    func cancelledMeanwhile() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        world.transport.hold()
        let id = try await world.launch()
        let isAway = Mutex(true)
        let database = FaultyDatabase(world.database) { _ in
            if isAway.withLock({ $0 }) { throw StoreError.tryAgain(reason: "it is away") }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher("a").runUntilIdle() }
            await world.transport.received(3)
            let other = world.dispatcher("b", database: database)
            world.clock.advance(by: 15)
            await other.runUntilIdle()
            isAway.withLock { $0 = false }
            _ = try await world.campaigns.life.cancel(id, app: world.app)
            world.clock.advance(by: 14)
            await other.runUntilIdle()
            world.transport.release()
            try await group.waitForAll()
        }
        let counts = try await world.counts(id)
        #expect(counts.accepted == 3 && counts.total == counts.audience)
        #expect(try await world.database.read { try $0.batchCount(of: id) } == 0)
    }

    @Test("PUSH-5: a worker never takes its own batch again, whatever a clock says about its lease")
    func ownLease() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        world.transport.hold()
        _ = try await world.launch()
        await world.shuttingDown(
            world.dispatcher("a", work: world.work),
            during: {
                await world.transport.received(3)
                _ = try? await world.database.write { try $0.execute("UPDATE batches SET lease_until = 0") }
                // The turn that takes this up looks at the other batch, too.
                _ = try? await world.launch(audience: .deviceIDs([ServiceWorld.client(1).rawValue]))
                await world.transport.received(4)
            },
            then: { world.transport.release() }
        )
        #expect(world.transport.requests.count == 4)
    }

    @Test("PUSH-5: a worker that lost its lease sends no more, and writes the sends in flight")
    func lostLease() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(300)
        world.transport.hold()
        let id = try await world.launch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher("a").runUntilIdle() }
            await world.transport.received(256)
            let until = world.clock.now.addingTimeInterval(15)
            try await world.database.write { connection in
                _ = try connection.execute(
                    "UPDATE batches SET lease_owner = 'b', lease_until = ?", [.date(until)]
                )
            }
            world.transport.release()
            try await group.waitForAll()
        }
        #expect(world.transport.requests.count == 256)
        let counts = try await world.counts(id)
        #expect(counts.accepted == 256 && counts.pending == 44)
        #expect(try await world.database.read { try $0.batchCount(of: id) } == 1)
    }

    @Test("PUSH-5: on shutdown nothing more is claimed, and current work is finished and written")
    func shutdown() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        world.transport.hold()
        let id = try await world.launch()
        await world.shuttingDown(
            world.dispatcher("a", work: world.work), during: { await world.transport.received(3) },
            then: { world.transport.release() })
        let counts = try await world.counts(id)
        #expect(counts.accepted == 3 && counts.total == counts.audience)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("CAMP-2: a running worker notices a launch at once")
    func launchIsHeard() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        await world.shuttingDown(
            world.dispatcher("a", work: world.work),
            during: {
                // Nothing to do: it sleeps.
                await world.clock.asleep(atLeast: 2)
                _ = try? await world.launch()
                await world.transport.received(3)
            },
            then: {}
        )
        #expect(world.transport.requests.count == 3)
    }
}
