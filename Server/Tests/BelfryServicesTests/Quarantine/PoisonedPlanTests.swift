import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Campaigns whose planning ends the process, or fails.
struct PoisonedPlanTests {
    private static func deaths(_ world: ServiceWorld, of bad: CampaignID) async throws -> Int {
        try await world.deaths(by: { try $0.figures.counts(of: bad).audience > 0 }) { database, attempts, number in
            await world.dispatcher("\(number)", database: database, attempts: attempts).runUntilIdle()
            await world.silentPushSender("\(number)", database: database, attempts: attempts).runUntilIdle()
        }
    }

    @Test("SEC-8: planning that crashes the process is quarantined after three attempts; the campaign pauses")
    func quarantine() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await world.launch()
        let good = try await world.launch(audience: .deviceIDs([ServiceWorld.client(9).rawValue]))
        #expect(try await Self.deaths(world, of: bad) == 3)
        #expect(try await world.campaign(good).status == .completed)
        let campaign = try await world.campaign(bad)
        #expect(campaign.status == .paused && campaign.statusReason?.contains("quarantine (plan-") == true)
        #expect(campaign.reason?.cause == .quarantine)
        #expect(campaign.statusReason?.hasSuffix(" Resume or cancel it.") == true)
        let work = try #require(try await world.quarantined().first)
        #expect(work.name == "plan-\(bad.number)" && work.attempts == 3 && work.app == world.app.code)
        #expect(world.quarantinedCount("plan") == 1)
        // To resume it is to retry.
        _ = try await world.campaigns.life.resume(bad, app: world.app)
        #expect(try await world.quarantined().isEmpty)
        try await world.sendToTheEnd()
        #expect(try await world.counts(bad).accepted == 3)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8: retried it continues, dropped it is cancelled", arguments: [false, true])
    func decided(isDropped: Bool) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await world.launch()
        _ = try await Self.deaths(world, of: bad)
        let name = try #require(try await world.quarantined().first).name
        if isDropped {
            _ = try await world.quarantine.drop(name, app: nil)
        } else {
            _ = try await world.quarantine.retry(name, app: nil)
        }
        try await world.sendToTheEnd()
        #expect(try await world.campaign(bad).status == (isDropped ? .cancelled : .completed))
        #expect(try await world.counts(bad).accepted == (isDropped ? 0 : 3))
        #expect(try await world.quarantined().isEmpty)
    }

    @Test("SEC-8, CAMP-2: a retry of its plan resumes no campaign that a person has paused; its audience is selected")
    func pausedByPerson() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await world.launch()
        _ = try await world.campaigns.life.pause(bad, app: world.app)
        #expect(try await Self.deaths(world, of: bad) == 3)
        let name = try #require(try await world.quarantined().first).name
        _ = try await world.quarantine.retry(name, app: nil)
        try await world.sendToTheEnd()
        let campaign = try await world.campaign(bad)
        #expect(campaign.status == .paused && campaign.statusReason == "Paused by an operator.")
        #expect(try await world.counts(bad).pending == 3)
        #expect(world.transport.requests.isEmpty)
        #expect(try await world.quarantined().isEmpty)
        _ = try await world.campaigns.life.resume(bad, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.counts(bad).accepted == 3)
    }

    @Test("SEC-8, CAMP-2: whoever pauses what quarantine has paused already keeps it paused when its plan is retried")
    func pausedAgain() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await world.launch()
        #expect(try await Self.deaths(world, of: bad) == 3)
        let paused = try await world.campaigns.life.pause(bad, app: world.app)
        #expect(paused.reason == StatusReason("Paused by an operator.", cause: .person))
        let name = try #require(try await world.quarantined().first).name
        _ = try await world.quarantine.retry(name, app: nil)
        try await world.sendToTheEnd()
        let campaign = try await world.campaign(bad)
        #expect(campaign.status == .paused && campaign.reason == paused.reason)
        #expect(try await world.counts(bad).pending == 3)
        #expect(world.transport.requests.isEmpty)
        _ = try await world.campaigns.life.resume(bad, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.counts(bad).accepted == 3)
    }

    @Test(
        "SEC-8: that a campaign was paused for a quarantine is known whatever the sentence says, and of older rows by it",
        arguments: [
            ("Its audience crashes the server. [quarantine]", "Its audience crashes the server."),
            ("Work on it is in quarantine (plan-1). Resume it.", "Work on it is in quarantine (plan-1). Resume it."),
        ])
    func pausedByServer(stored: String, shown: String) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await world.launch()
        #expect(try await Self.deaths(world, of: bad) == 3)
        _ = try await world.database.write { connection in
            try connection.execute("UPDATE campaigns SET status_reason = ?", [.text(stored)])
        }
        #expect(try await world.campaign(bad).statusReason == shown)
        let (app, id) = (world.app.id, bad)
        let lists = try await world.database.read { connection in
            (
                try connection.campaigns.paused(app: app, limit: 9).map(\.reason),
                try connection.queues.halted(limit: 9).filter { $0.id == id }.map(\.reason)
            )
        }
        #expect(lists.0 == [shown] && lists.1 == [shown])
        let name = try #require(try await world.quarantined().first).name
        _ = try await world.quarantine.retry(name, app: nil)
        try await world.sendToTheEnd()
        #expect(try await world.counts(bad).accepted == 3)
    }

    @Test("SEC-8, CAMP-2: cancelling is enough")
    func cancelled() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await world.launch()
        _ = try await Self.deaths(world, of: bad)
        _ = try await world.campaigns.life.cancel(bad, app: world.app)
        #expect(try await Self.deaths(world, of: bad) == 0)
        #expect(try await world.quarantined().isEmpty)
    }

    @Test(
        "SEC-8: each planned batch resets the count",
        .enabled(if: !TestPostgres.isDistributed, "On a cluster one step plans 32 batches, which is everybody here.")
    )
    func progress() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(9_500)
        let id = try await world.launch()
        for number in 1...8 {
            // One more batch is planned, and then the process ends.
            let goal = number * CampaignPlanner.batchSize
            let mortal = MortalDatabase(
                world.database, isLastWrite: { try $0.figures.counts(of: id).audience == goal }
            )
            let planner = world.makePlanner(mortal, attempts: world.makeAttempts("\(number)", over: mortal))
            do { while try await planner.planNext() {} } catch is MortalDatabase.Dead {}
            world.clock.advance(by: 15)
        }
        while try await world.planner.planNext() {}
        #expect(try await world.counts(id).audience == 9_500)
        #expect(try await world.quarantined().isEmpty)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test(
        "SEC-8: planning that fails three times is quarantined, and the next campaign follows",
        arguments: [false, true])
    func failing(isInApp: Bool) async throws {
        struct Riddle: Error {}
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await isInApp ? world.publish("Bad") : world.launch()
        let good = try await isInApp ? world.publish("Good") : world.launch()
        let faulty = FaultyDatabase(world.database) { connection in
            if try connection.figures.counts(of: bad).audience > 0 { throw Riddle() }
        }
        let attempts = world.makeAttempts("a", over: faulty)
        for _ in 1...4 {
            await world.dispatcher("a", database: faulty, attempts: attempts).runUntilIdle()
            await world.silentPushSender("a", database: faulty, attempts: attempts).runUntilIdle()
            world.clock.advance(by: 1)
        }
        #expect(try await world.counts(good).audience == 3)
        let work = try #require(try await world.quarantined().first)
        #expect(work.name == "plan-\(bad.number)" && work.reason.contains("Riddle"))
        #expect(try await world.campaign(bad).status == .paused)
    }

    @Test(
        "SEC-8: a damaged database sets no planning aside, however often it fails, and the next campaign follows",
        arguments: [false, true])
    func damaged(isInApp: Bool) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await isInApp ? world.publish("Bad") : world.launch()
        let good = try await isInApp ? world.publish("Good") : world.launch()
        let faulty = FaultyDatabase(world.database) { connection in
            if try connection.figures.counts(of: bad).audience > 0 { throw StoreError.damaged(reason: "malformed") }
        }
        func plan(_ database: any SQLDatabase, _ owner: String) async {
            let attempts = world.makeAttempts(owner, over: database)
            await world.dispatcher(owner, database: database, attempts: attempts).runUntilIdle()
            await world.silentPushSender(owner, database: database, attempts: attempts).runUntilIdle()
        }
        // Each as if another process looked.
        for number in 1...(2 * AttemptRule.maximum) {
            await plan(faulty, "\(number)")
            // It rests, and does not come first again.
            world.clock.advance(by: 1)
            await plan(faulty, "\(number)")
            #expect(try await world.counts(good).audience == 3)
            world.clock.advance(by: WorkAttempts.restAtDamage)
        }
        #expect(faulty.count >= 2 * AttemptRule.maximum)
        #expect(try await world.quarantined().isEmpty)
        #expect(try await world.campaign(bad).status != .paused)
        await plan(world.database, "restored")
        #expect(try await world.counts(bad).audience == 3)
    }

    @Test("SEC-8, IAM-2: the processing of an in-app audience is counted as well, and delays no other")
    func inApp() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let end = world.clock.now.addingTimeInterval(3_600)
        let bad = try await world.publish("Bad", endsAt: end)
        let good = try await world.publish("Good", endsAt: end)
        #expect(try await Self.deaths(world, of: bad) == 3)
        #expect(try await world.counts(good).audience == 3)
        #expect(try await world.campaign(bad).status == .paused)
        world.clock.advance(by: 3_600)
        await world.silentPushSender().runUntilIdle()
        #expect(try await world.campaign(good).status == .completed)
        #expect(try await world.campaign(bad).status == .paused)
        _ = try await world.quarantine.drop("plan-\(bad.number)", app: nil)
        await world.silentPushSender().runUntilIdle()
        #expect(try await world.campaign(bad).status == .cancelled)
    }
}
