import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Campaigns whose rows end the process that reads them.
struct UnreadPlanTests {
    @Test(
        "SEC-8: a campaign that ends whoever reads it is paused, and cancelled by an operator, without being read",
        arguments: [CampaignStatus.sending, .scheduled, .active])
    func unread(status: CampaignStatus) async throws {
        let world = try await World()
        try await world.makeFleet(3)
        let bad = try await status == .active ? world.publish("Bad") : world.launch()
        let now = world.clock.now
        try await world.database.write { connection in
            // To read it fails, where no test could survive what ends the process. Three processes have tried.
            try connection.execute("UPDATE campaigns SET content = 'no JSON' WHERE id = ?", [.integer(bad.number)])
            try connection.workAttempts.save(
                WorkAttempt(subject: .plan(bad.number), attempts: 3, owner: "dead", leaseUntil: now, since: now)
            )
            guard status == .scheduled else { return }
            try connection.execute(
                "UPDATE campaigns SET status = 'scheduled', launched_at = NULL, scheduled_at = ? WHERE id = ?",
                [.date(now), .integer(bad.number)]
            )
        }
        let before = try await Self.clock(world)
        await world.dispatcher().runUntilIdle()
        await world.silentPushSender().runUntilIdle()
        let paused = try await Self.state(world, bad)
        #expect(paused.status == "paused" && paused.reason.contains("quarantine (plan-\(bad.number))"))
        #expect(try await world.quarantined().map(\.name) == ["plan-\(bad.number)"])
        // Devices that ask hear of it.
        let between = try await Self.clock(world)
        #expect((between > before) == (status == .active))

        _ = try await world.quarantine.drop("plan-\(bad.number)", app: nil)
        let dropped = try await Self.state(world, bad)
        #expect(dropped.status == "cancelled" && dropped.reason.contains("dropped"))
        #expect(try await world.quarantined().isEmpty)
        let after = try await Self.clock(world)
        #expect((after > between) == (status == .active))
        #expect(try await world.rows("campaigns", where: "planned = 1 AND ended_at IS NOT NULL") == 1)
    }

    private static func state(_ world: World, _ id: CampaignID) async throws -> (status: String, reason: String) {
        let found = try await world.database.read { connection in
            try connection.first(
                "SELECT status, status_reason FROM campaigns WHERE id = ?", [.integer(id.number)]
            ) { (status: $0.text(0), reason: $0.text(1)) }
        }
        return try #require(found)
    }

    /// How often the app's in-app messages have changed.
    private static func clock(_ world: World) async throws -> Int64 {
        let app = world.app.id
        return try await world.database.read { try $0.inAppClocks.find(app: app).version }
    }
}
