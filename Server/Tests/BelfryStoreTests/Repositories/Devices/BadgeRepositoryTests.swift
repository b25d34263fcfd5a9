import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct BadgeRepositoryTests {
    /// The devices 1 to 3 in the ledger of campaigns with these numbers.
    private static func store(_ engine: Engine, campaigns: ClosedRange<Int64> = 1...2) async throws -> TestStore {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            try connection.makeDevices(4, app: 1)
            for number in campaigns {
                for device in 1...3 as ClosedRange<Int64> {
                    try connection.execute(
                        """
                        INSERT INTO deliveries (campaign_id, device_id, state, attempts, updated_at)
                        VALUES (?, ?, 'pending', 0, 0)
                        """,
                        [.integer(number), .integer(device)]
                    )
                }
            }
        }
        return store
    }

    @Test("BADGE-1: a campaign's change is made once for each device, however often its batch is sent")
    func once() async throws {
        for engine in Engine.allCases {
            let store = try await Self.store(engine)
            let (first, again, other) = try await store.write { connection in
                let badges = connection.badges
                let increment = BadgeChange(op: .increment, value: 60)
                return (
                    try badges.apply(increment, devices: [2, 1], campaign: campaign(1), maximum: 99),
                    try badges.apply(increment, devices: [1, 2, 3, 4], campaign: campaign(1), maximum: 99),
                    try badges.apply(increment, devices: [1, 1, 4], campaign: campaign(2), maximum: 99)
                )
            }
            let once = Badge(count: 60, revision: 1)
            #expect(first == [1: once, 2: once])
            // The fourth is in no ledger.
            #expect(again == [1: once, 2: once, 3: once, 4: .none])
            #expect(other == [1: Badge(count: 99, revision: 2), 4: .none])
            let found = try await store.reopened { connection in
                try [1, 2, 3, 4].map { try connection.badges.find(device: $0).count }
            }
            #expect(found == [99, 60, 60, 0])
        }
    }

    @Test(
        "BADGE-5, WIRE-12: a repeated call changes nothing; a new one sets, up to the maximum",
        arguments: Engine.allCases)
    func set(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        let badges = try await store.write { connection in
            func set(_ count: Int, _ revision: Int64?) throws -> Badge {
                try connection.badges.set(count: count, baseRevision: revision, device: 1, maximum: 9)
            }
            var badges = [try set(3, 0), try set(3, 0)]
            let change = BadgeChange(op: .increment)
            badges += try connection.badges.apply(change, devices: [1], campaign: campaign(1), maximum: 9).values
            // The response was lost, and comes again: the campaign's one stays.
            badges += [try set(3, 0), try set(3, 2), try set(50, 2), try set(50, 2), try set(0, nil), try set(0, nil)]
            return badges + [try connection.badges.find(device: 1), try connection.badges.find(device: 2)]
        }
        #expect(badges.map(\.count) == [3, 3, 4, 4, 3, 9, 9, 0, 0, 0, 0])
        #expect(badges.map(\.revision) == [1, 1, 2, 2, 3, 4, 4, 5, 6, 6, 0])
    }

    @Test(
        "ID-4: a reset removes the old number, and a device without a badge keeps none", arguments: Engine.allCases)
    func reset(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        let badges = try await store.write { connection in
            _ = try connection.badges.set(count: 5, baseRevision: 0, device: 1, maximum: 9)
            for device in [1, 1, 2] as [Int64] { try connection.badges.reset(device: device) }
            let left = try [1, 2].map { try connection.badges.find(device: $0) }
            // The next user's words are their own, also where the former one said the same last.
            let next = try connection.badges.set(count: 5, baseRevision: 0, device: 1, maximum: 9)
            _ = try connection.badges.set(count: 0, baseRevision: 3, device: 1, maximum: 9)
            try connection.badges.reset(device: 1)
            let again = try connection.badges.set(count: 0, baseRevision: 3, device: 1, maximum: 9)
            try connection.devices.delete(1)
            return left + [next, again, try connection.badges.find(device: 1)]
        }
        #expect(
            badges == [
                Badge(count: 0, revision: 2), .none, Badge(count: 5, revision: 3), Badge(count: 0, revision: 5), .none,
            ])
    }

    @Test(
        "BADGE-5: after any order of changes, calls and lost responses, server and device agree",
        arguments: Engine.allCases, Endurance.seeds(12, brief: 3)
    )
    func agreement(_ engine: Engine, seed: UInt64) async throws {
        let store = try await Self.store(engine, campaigns: 1...40)
        let (server, story) = try await store.write { connection in
            var story = BadgeStory(seed: seed)
            for number in 1...40 as ClosedRange<Int64> { try story.goOn(with: campaign(number), connection) }
            let server = try connection.badges.find(device: 1)
            story.hear(server)
            return (server, story)
        }
        #expect(server == story.expected && story.device == server)
    }
}
