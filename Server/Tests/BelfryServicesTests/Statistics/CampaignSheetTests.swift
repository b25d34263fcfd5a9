import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// What the page of a campaign begins with.
struct CampaignSheetTests {
    /// The sheet, and how often the database was read for it.
    private static func sheet(
        _ id: CampaignID, in world: ServiceWorld
    ) async throws -> (sheet: CampaignSheet, reads: Int) {
        let database = CountingDatabase(world.database)
        let sheet = try await world.campaigns(over: database).queries.sheet(id, app: world.app)
        return (sheet, database.count)
    }

    @Test("PERF-12: the page of a draft is read at once, with what else it needs of the app")
    func draft() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let id = try await world.draft(ServiceWorld.draft())
        let (sheet, reads) = try await Self.sheet(id, in: world)
        #expect(sheet.standing.campaign.id == id && sheet.standing.summedAt == nil && sheet.hours == nil)
        #expect(sheet.hasCredentials && sheet.schema == ["city": .string])
        #expect(reads == 1)
        let other = try await world.apps.create(code: "other", name: "Other").app
        let code = await errorCode { try await world.campaigns.queries.sheet(id, app: other) }
        #expect(code == "notFound")
    }

    @Test("PERF-12: a small ledger is summed up for its page, and of a large one the figures are there already")
    func ledgers() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let (small, _) = try await Self.sheet(id, in: world)
        #expect(small.standing.report.counts.accepted == 3 && small.standing.summedAt == nil)
        #expect(small.hours?.hours.map(\.accepted) == [3])
        let now = world.clock.now
        _ = try await world.database.write { connection in
            try connection.executeEach(
                """
                INSERT INTO deliveries (campaign_id, device_id, state, attempts, updated_at)
                VALUES (?, ?, 'accepted', 1, ?)
                """,
                (1...5_000).map { [.integer(id.number), .integer(1_000 + $0), .date(now)] }
            )
        }
        let (unsummed, _) = try await Self.sheet(id, in: world)
        #expect(unsummed.standing.report.counts.accepted == 5_003 && unsummed.hours == nil)
        await world.summation.sumUp()
        let (large, reads) = try await Self.sheet(id, in: world)
        #expect(large.standing.report.counts.accepted == 5_003 && large.standing.summedAt == now)
        #expect(large.hours?.hours.map(\.accepted) == [5_003] && reads == 1)
    }
}
