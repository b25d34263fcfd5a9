import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// FLEET-5: a campaign on a distributed database, where batches have devices of one shard each.
struct DistributedCampaignTests {
    private struct Shards: Hashable, Sendable {
        let devices: Int
        let shards: Int
    }

    /// Of each batch, how many devices it has, and of how many shards they are.
    private static func shards(_ connection: any SQLConnection) throws -> [Shards] {
        try connection.query(
            """
            SELECT count(*), count(DISTINCT get_shard_id_for_distribution_column('devices', CAST(d.number AS BIGINT)))
            FROM batches b CROSS JOIN unnest(string_to_array(b.device_list, ',')) AS d (number)
            GROUP BY b.campaign_id, b.number
            """,
            []
        ) { Shards(devices: Int($0.integer(0)), shards: Int($0.integer(1))) }
    }

    @Test("FLEET-5, LED-1, PUSH-5: each batch has devices of one shard, and everyone gets the message once")
    func campaign() async throws {
        let count = 20
        let world = try await ServiceWorld(.postgres, isRecycled: false)
        try await world.makeFleet(count)
        world.transport.answer(
            "token4", .rejected(status: 503, reason: "ServiceUnavailable", retryAfter: 100), .accepted
        )
        let id = try await world.launch()
        let entered = try await world.enterDistributed(writers: 2)
        defer { try? entered.close() }
        let planner = world.makePlanner(entered.database)
        while try await planner.planNext() {}
        let shards = try await entered.database.read { try Self.shards($0) }
        let areApart = shards.allSatisfy { $0.shards == 1 }
        let devices = shards.reduce(0) { $0 + $1.devices }
        #expect(shards.count > 1 && areApart && devices == count)
        let dispatcher = world.dispatcher(database: entered.database)
        await dispatcher.runUntilIdle()
        #expect(try await world.counts(id).accepted == count - 1)
        // What is left is the batch of the device that was told to wait.
        #expect(try await world.rows("batches") == 1)
        world.clock.advance(by: 200)
        await dispatcher.runUntilIdle()
        let counts = try await world.counts(id)
        #expect(counts.accepted == count && counts.total == count)
        #expect(try await world.rows("batches") == 0)
        #expect(try await world.campaign(id).status == .completed)
        let tokens = world.transport.requests.map(\.token)
        #expect(tokens.count == count + 1 && Set(tokens).count == count)
    }

    @Test("FLEET-5, CAMP-2, LED-1: a cancelled campaign's batches end the devices of their shards, each of them once")
    func cancelled() async throws {
        let count = 20
        let world = try await ServiceWorld(.postgres, isRecycled: false)
        try await world.makeFleet(count)
        let id = try await world.launch()
        let entered = try await world.enterDistributed(writers: 2)
        defer { try? entered.close() }
        let planner = world.makePlanner(entered.database)
        while try await planner.planNext() {}
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        while try await planner.sweepCancelled() {}
        let counts = try await world.counts(id)
        #expect(counts.cancelled == count && counts.total == count)
        #expect(try await world.rows("batches") == 0)
        #expect(world.transport.requests.isEmpty)
    }
}
