import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct FairnessTests {
    @Test("PUSH-5: a huge campaign delays no small one, neither in planning nor in sending")
    func smallBesideHuge() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3_500)
        let huge = try await world.launch()
        #expect(try await world.planner.planNext())
        let small = try await world.launch(audience: .deviceIDs([ServiceWorld.client(1).rawValue]))
        #expect(try await world.planner.planNext())
        #expect(try await world.counts(small).audience == 1)
        while try await world.planner.planNext() {}
        #expect(try await world.counts(huge).audience == 3_500)
        let now = world.clock.now
        let claimed = try await world.database.write { connection in
            try connection.batches.claim(owner: "a", until: now.addingTimeInterval(15), now: now, limit: 2)
        }
        #expect(Set(claimed.map(\.campaign)) == [huge, small])
    }

    @Test("PUSH-5: one app never has all of a worker's slots")
    func slotsPerApp() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3_500)
        _ = try await world.launch()
        while try await world.planner.planNext() {}
        let now = world.clock.now
        let (first, second) = try await world.database.write { connection in
            let until = now.addingTimeInterval(15)
            let first = try connection.batches.claim(owner: "a", until: until, now: now, limit: 9, perApp: 3)
            let second = try connection.batches.claim(
                owner: "a", until: until, now: now, limit: 9, perApp: 3, except: first
            )
            return (first, second)
        }
        #expect(first.count == 3 && second.isEmpty)
    }

    @Test("PUSH-5: responses that cannot be written now are written later, and nothing is sent twice")
    func databaseInTrouble() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(5)
        let id = try await world.launch()
        let trouble = Countdown(2)
        let faulty = FaultyDatabase(world.database) { _ in
            // Once something was sent, the next writes fail for the moment.
            guard !world.transport.requests.isEmpty, trouble.next() else { return }
            throw StoreError.tryAgain(reason: "could not serialize access")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher(database: faulty).runUntilIdle() }
            for _ in 0..<2 {
                await world.clock.asleep(atLeast: 1)
                world.clock.advance(by: 1)
            }
            try await group.waitForAll()
        }
        #expect(world.transport.requests.count == 5)
        #expect(try await world.counts(id).accepted == 5)
    }
}
