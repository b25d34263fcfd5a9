import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Campaigns whose rows end the process that reads them.
struct UnreadPlanTests {
    @Test(
        "SEC-8: a campaign that crashes every reader is paused and cancelled without being read",
        arguments: [CampaignStatus.sending, .scheduled, .active])
    func unread(status: CampaignStatus) async throws {
        let world = try await ServiceWorld()
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

    @Test(
        "SEC-8: a retry of an unreadable campaign is counted, and quarantines it again with the new reason"
    )
    func retried() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await world.launch()
        let subject = WorkSubject.plan(bad.number)
        let now = world.clock.now
        let content = try await world.database.write { connection -> String? in
            let content = try connection.first("SELECT content FROM campaigns", []) { $0.text(0) }
            try connection.execute("UPDATE campaigns SET content = 'no JSON', status = 'paused'", [])
            try connection.workAttempts.save(
                WorkAttempt(
                    subject: subject, app: world.app.id, status: .quarantined, attempts: 3, leaseUntil: now,
                    reason: "It failed.", since: now
                )
            )
            return content
        }
        for attempt in 4...5 {
            world.clock.advance(by: 60)
            let retry = try await world.quarantine.retry("\(subject)", app: world.app.id)
            guard case .quarantined(let work) = retry else {
                Issue.record("it was not quarantined: \(retry)")
                return
            }
            #expect(work.attempts == attempt && work.since == world.clock.now)
            #expect(work.reason.hasPrefix("It was tried alone \(attempt) times and failed: "))
            #expect(try await world.quarantined() == [work])
            #expect(try await Self.state(world, bad).status == "paused")
        }
        _ = try await world.database.write {
            try $0.execute("UPDATE campaigns SET content = ?", [.text(try #require(content))])
        }
        let mended = try await world.quarantine.retry("\(subject)", app: nil)
        guard case .waits = mended else {
            Issue.record("it does not go on: \(mended)")
            return
        }
        #expect(try await world.quarantined().isEmpty)
        #expect(try await Self.state(world, bad).status == "sending")
    }

    private static func state(_ world: ServiceWorld, _ id: CampaignID) async throws -> (status: String, reason: String)
    {
        let found = try await world.database.read { connection in
            try connection.first(
                "SELECT status, status_reason FROM campaigns WHERE id = ?", [.integer(id.number)]
            ) { (status: $0.text(0), reason: $0.text(1)) }
        }
        return try #require(found)
    }

    /// How often the app's in-app messages have changed.
    private static func clock(_ world: ServiceWorld) async throws -> Int64 {
        let app = world.app.id
        return try await world.database.read { try $0.inAppRevisions.find(app: app).version }
    }
}
