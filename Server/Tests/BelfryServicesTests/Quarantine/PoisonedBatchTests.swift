import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Batches that end the process that sends them, and processes that are ended by something else.
struct PoisonedBatchTests {
    /// - Returns: two campaigns to three devices each; the outcomes of the first end the process.
    private static func campaigns(_ world: ServiceWorld) async throws -> (bad: CampaignID, good: CampaignID) {
        try await world.makeFleet(6)
        func launch(_ numbers: ClosedRange<Int>) async throws -> CampaignID {
            try await world.launch(audience: .deviceIDs(try numbers.map { try ServiceWorld.client($0).rawValue }))
        }
        return (try await launch(1...3), try await launch(4...6))
    }

    private static func deaths(_ world: ServiceWorld, of bad: CampaignID) async throws -> Int {
        try await world.deaths(by: { try $0.figures.counts(of: bad).accepted > 0 }) { database, attempts, number in
            await world.dispatcher("\(number)", database: database, attempts: attempts).runUntilIdle()
        }
    }

    @Test("SEC-8, LED-2: a batch that crashes the process is quarantined, others continue, and everybody sees why")
    func quarantine() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        let (bad, good) = try await Self.campaigns(world)
        #expect(try await Self.deaths(world, of: bad) == 4)
        #expect(try await world.campaign(good).status == .completed)
        #expect(try await world.counts(good).accepted == 3)
        let work = try #require(try await world.quarantined().first)
        #expect(try await world.quarantined().count == 1 && work.kind == "batch" && work.campaign == bad)
        #expect(work.attempts == 3 && work.app == world.app.code && world.quarantinedCount("batch") == 1)

        // Its messages wait, and so does the campaign.
        let campaign = try await world.campaign(bad)
        #expect(campaign.status == .sending && campaign.statusReason?.contains("in quarantine") == true)
        #expect(try await world.counts(bad).pending == 3)
        let explanation = try await world.explainer.explain(
            bad, device: try ServiceWorld.client(1).rawValue, app: world.app)
        #expect(explanation.state == "pending" && explanation.reason == "quarantined")
        #expect(explanation.sentence.contains("in quarantine"))
        let due = try await world.database.read { try $0.batches.nextDue() }
        #expect(due == nil, "Nobody looks for it again and again.")

        _ = try await world.quarantine.retry(work.name, app: nil)
        #expect(try await world.campaign(bad).statusReason == nil)
        try await world.sendToTheEnd()
        #expect(try await world.campaign(bad).status == .completed)
        #expect(try await world.counts(bad).accepted == 3)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8, LED-1: a batch that is dropped ends as rejected, and its campaign completes")
    func dropped() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        let (bad, _) = try await Self.campaigns(world)
        _ = try await Self.deaths(world, of: bad)
        let work = try #require(try await world.quarantined().first)
        _ = try await world.quarantine.drop(work.name, app: world.app.id)
        let counts = try await world.counts(bad)
        #expect(counts.rejected == 3 && counts.total == counts.audience)
        #expect(try await world.campaign(bad).status == .completed)
        let explanation = try await world.explainer.explain(
            bad, device: try ServiceWorld.client(1).rawValue, app: world.app)
        #expect(explanation.reason == "quarantined" && explanation.sentence.contains("dropped"))
        #expect(try await world.quarantined().isEmpty)
    }

    @Test("SEC-8, CAMP-2: a cancelled campaign takes its batches out of quarantine")
    func cancelled() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        let (bad, _) = try await Self.campaigns(world)
        _ = try await Self.deaths(world, of: bad)
        _ = try await world.campaigns.life.cancel(bad, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.counts(bad).cancelled == 3)
        #expect(try await world.quarantined().isEmpty)
    }

    @Test("SEC-8: a campaign that was paused and resumed still says what keeps it from completing")
    func resumed() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        let (bad, _) = try await Self.campaigns(world)
        _ = try await Self.deaths(world, of: bad)
        let reason = try #require(try await world.campaign(bad).statusReason)
        #expect(reason.contains("in quarantine"))
        _ = try await world.campaigns.life.pause(bad, app: world.app)
        let resumed = try await world.campaigns.life.resume(bad, app: world.app)
        #expect(resumed.status == .sending && resumed.statusReason == reason)
        let work = try #require(try await world.quarantined().first)
        _ = try await world.quarantine.drop(work.name, app: nil)
        let ended = try await world.campaign(bad)
        #expect(ended.status == .completed && ended.statusReason == nil)
    }

    @Test("SEC-8, REL-2: fifty process deaths while a batch makes progress quarantine nothing")
    func progress() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(60)
        let id = try await world.launch()
        for number in 1...50 {
            let transport = ScriptedTransport()
            // One outcome is written, and then the process ends.
            transport.hold(after: 1)
            let mortal = MortalDatabase(
                world.database, isLastWrite: { try $0.figures.counts(of: id).accepted == number },
                onDeath: { transport.release() }
            )
            let attempts = world.makeAttempts("process \(number)", over: mortal)
            await world.dispatcher("\(number)", transport: transport, database: mortal, attempts: attempts)
                .runUntilIdle()
            #expect(try await world.counts(id).accepted == number)
            world.clock.advance(by: 15)
        }
        #expect(try await world.quarantined().isEmpty)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 60)
        #expect(try await world.campaign(id).status == .completed)
    }

    /// The end of a process while no push was answered yet.
    private static func killWaiting(_ world: ServiceWorld, _ number: Int) async throws {
        let transport = ScriptedTransport()
        transport.hold()
        let mortal = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                // The first one has the batch in a group, where nothing is counted; the last ones die as they begin it.
                let sql: SQLText =
                    number == 0
                    ? "SELECT count(*) FROM batches WHERE lease_owner = '0'"
                    : "SELECT count(*) FROM work_attempts WHERE reached = \(min(number, 16)) AND status = 'open'"
                return try connection.first(sql, []) { $0.flag(0) } ?? false
            },
            onDeath: { transport.release() }
        )
        let attempts = world.makeAttempts("process \(number)", over: mortal)
        await world.dispatcher("\(number)", transport: transport, database: mortal, attempts: attempts).runUntilIdle()
        world.clock.advance(by: 15)
    }

    @Test("SEC-8, REL-2: sixteen kills while the push service is silent quarantine nothing")
    func silence() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(3)
        let id = try await world.launch()
        for number in 0...16 { try await Self.killWaiting(world, number) }
        #expect(try await world.rows("work_attempts", where: "reached = 16 AND attempts = 0") == 1)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 3)
        #expect(try await world.quarantined().isEmpty)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8: a batch whose responses may crash the process is quarantined in the end")
    func poisonousAnswers() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(3)
        let id = try await world.launch()
        for number in 0...19 { try await Self.killWaiting(world, number) }
        try await world.sendToTheEnd()
        let work = try #require(try await world.quarantined().first)
        #expect(work.campaign == id && work.attempts == 3)
        #expect(try await world.counts(id).pending == 3)
    }

    @Test("SEC-8: work that was in progress together is processed one by one, and the rest in parallel")
    func oneByOne() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(9)
        var ids: [CampaignID] = []
        for number in 1...3 {
            ids.append(try await world.launch(audience: .deviceIDs([try ServiceWorld.client(number).rawValue])))
        }
        // A process leases all three and ends before anything is sent.
        let mortal = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                try connection.first("SELECT count(*) FROM batches WHERE lease_owner = 'a'", []) { $0.flag(0) } ?? false
            }
        )
        await world.dispatcher("a", database: mortal, attempts: world.makeAttempts("a", over: mortal)).runUntilIdle()
        world.clock.advance(by: 15)
        world.transport.hold()
        let worker = world.dispatcher("b", attempts: world.makeAttempts("b"), work: world.work)
        let fourth = try ServiceWorld.client(4).rawValue
        await world.shuttingDown(worker) {
            await world.transport.received(1)
            // Another campaign does not wait for it.
            _ = try? await world.launch(audience: .deviceIDs([fourth]))
            await world.transport.received(2)
            #expect(Set(world.transport.requests.map(\.token)) == ["token1", "token4"])
            // A push service that does not respond does not block the other batches forever.
            await world.clock.asleep(atLeast: 2)
            world.clock.advance(by: AttemptRule.patience)
            await world.transport.received(3)
            #expect(world.transport.requests.last?.token == "token2")
        } then: {
            world.transport.release()
        }
        try await world.sendToTheEnd()
        for id in ids { #expect(try await world.counts(id).accepted == 1) }
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8: a batch that fails repeatedly without ending the process is quarantined, too")
    func failing() async throws {
        struct Riddle: Error {}
        let world = try await ServiceWorld(isOneShard: true)
        let (bad, good) = try await Self.campaigns(world)
        let faulty = FaultyDatabase(world.database) { connection in
            if try connection.figures.counts(of: bad).accepted > 0 { throw Riddle() }
        }
        let worker = world.dispatcher("a", database: faulty, attempts: world.makeAttempts("a", over: faulty))
        for _ in 1...6 {
            await worker.runUntilIdle()
            world.clock.advance(by: 15)
        }
        #expect(try await world.campaign(good).status == .completed)
        let work = try #require(try await world.quarantined().first)
        #expect(work.campaign == bad && work.attempts == 3 && work.reason.contains("Riddle"))
    }

    @Test("SEC-8: a damaged database sets no batch aside, however often it fails, and the others are sent")
    func damaged() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        let (bad, good) = try await Self.campaigns(world)
        let faulty = FaultyDatabase(world.database) { connection in
            if try connection.figures.counts(of: bad).accepted > 0 { throw StoreError.damaged(reason: "malformed") }
        }
        let worker = world.dispatcher("a", database: faulty, attempts: world.makeAttempts("a", over: faulty))
        for _ in 1...(2 * AttemptRule.maximum) {
            let before = faulty.count
            await worker.runUntilIdle()
            let failed = faulty.count
            #expect(failed > before)
            // It rests, for longer than its lease.
            world.clock.advance(by: WorkAttempts.restAtDamage - 1)
            await worker.runUntilIdle()
            #expect(faulty.count == failed)
            world.clock.advance(by: 1)
        }
        #expect(try await world.campaign(good).status == .completed)
        #expect(try await world.quarantined().isEmpty)
        await world.dispatcher("b").runUntilIdle()
        #expect(try await world.campaign(bad).status == .completed)
    }
}
