import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("LED-3: the ledger of a campaign goes after its app's term, its sums stay")
struct LedgerRetentionTests {
    private static let day: TimeInterval = 86_400

    private func keepLedgers(for days: Int?, in world: ServiceWorld) async throws {
        var settings = world.app.settings
        settings.deliveryRetentionDays = days
        try await world.save(settings)
    }

    /// The upkeep of a day, and of the next one: a ledger is summed up once more in between.
    private func tidyTwice(_ world: ServiceWorld) async {
        await world.housekeeping.tidy()
        await world.summation.sumUp()
        await world.housekeeping.tidy()
    }

    /// A campaign to two devices that has ended; the first has opened it.
    private func ended(
        in world: ServiceWorld, schedule: CampaignSchedule? = nil
    ) async throws -> (id: CampaignID, devices: [ServiceDevice]) {
        let devices = [
            try await ServiceDevice.registered(world, 1, token: "token1"),
            try await ServiceDevice.registered(world, 2, token: "token2"),
        ]
        let id = try await world.launch(schedule: schedule)
        try await world.sendToTheEnd()
        try await world.engage(.opened, [1], of: id)
        return (id, devices)
    }

    @Test(
        "LED-3, FLEET-3: after the term the rows are gone, sums and hours are as they were, and reports change nothing",
        arguments: Engine.ofEachRun
    )
    func removed(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        try await keepLedgers(for: 60, in: world)
        let (id, devices) = try await ended(in: world)
        let counts = try await world.counts(id)
        #expect(counts.accepted == 2 && counts.opened == 1 && counts.audience == 2)
        let outcomes = try await world.campaigns.queries.standing(id, app: world.app).outcomes
        let hours = try await world.campaigns.queries.hours(id, app: world.app)?.hours
        world.clock.advance(by: 60 * Self.day)
        await world.housekeeping.tidy()
        await world.summation.sumUp()
        #expect(try await world.rows("deliveries") == 2, "The term is not over.")
        _ = try await world.database.write { try $0.execute("UPDATE campaigns SET summed_at = summed_at - 1") }
        world.clock.advance(by: 1)
        await world.housekeeping.tidy()
        #expect(try await world.rows("deliveries") == 2, "It was not summed up since.")
        // What a device tells until then counts.
        try await world.engage(.displayed, [1, 2], of: id)
        await world.summation.sumUp()
        await world.housekeeping.tidy()
        #expect(try await world.rows("deliveries") == 0)
        #expect(try await world.rows("campaigns", where: "ledger_gone = 1") == 1)
        try await world.engage(.opened, [2], of: id)
        await world.summation.sumUp()
        let left = try await world.counts(id)
        #expect(left.accepted == 2 && left.opened == 1 && left.audience == 2 && left.displayed == 2)
        let standing = try await world.campaigns.queries.standing(id, app: world.app)
        #expect(standing.outcomes.map(\.count) == outcomes.map(\.count) && standing.summedAt != nil)
        let sheet = try await world.campaigns.queries.sheet(id, app: world.app)
        #expect(sheet.standing.outcomes == standing.outcomes)
        let last = try await world.campaigns.queries.hours(id, app: world.app)?.hours
        #expect(last?.prefix(1).map(\.accepted) == hours?.prefix(1).map(\.accepted) && last?.isEmpty == false)
        #expect(try await world.delivery(id, devices[0]) == nil)
    }

    @Test(
        "LED-2, LED-3: why somebody got it or not is answered by when and why the ledger went",
        arguments: Engine.ofEachRun)
    func explained(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        try await keepLedgers(for: 60, in: world)
        let (id, devices) = try await ended(in: world)
        world.clock.advance(by: 61 * Self.day)
        await tidyTwice(world)
        let explanation = try await world.explainer.explain(id, device: devices[0].client.rawValue, app: world.app)
        #expect(explanation.state == "removed" && explanation.reason == nil && explanation.history.isEmpty)
        #expect(explanation.sentence.contains("was removed at \(Timestamp.text(world.clock.now))"))
        #expect(explanation.sentence.contains("deliveryRetentionDays"))
        let recipients = RecipientQueries(database: world.database)
        let error = await #expect(throws: ServiceError.self) {
            _ = try await recipients.list(id, RecipientQueries.Filter(), app: world.app, after: nil, limit: 9)
        }
        guard case .gone("ledgerRemoved", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let messages = try await world.explainer.messages(
            of: devices[0].client.rawValue, app: world.app, before: nil, limit: 9
        )
        #expect(messages.isEmpty)
    }

    @Test("LED-5, LED-3: of a person's devices those that came later are told apart, and nobody says how many got it")
    func explainedPerson() async throws {
        let world = try await ServiceWorld()
        try await keepLedgers(for: 60, in: world)
        let old = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let id = try await world.launch()
        try await world.sendToTheEnd()
        world.clock.advance(by: 61 * Self.day)
        let new = try await ServiceDevice.registered(world, 2, key: "anna", token: "token2")
        await tidyTwice(world)
        let answer = try await world.explainer.explain(id, contact: "anna", app: world.app)
        #expect(answer.devices.map(\.client) == [new.client, old.client])
        #expect(answer.devices.map(\.explanation.state) == ["notInAudience", "removed"])
        #expect(answer.state == "removed")
        #expect(answer.devices.first?.explanation.sentence.contains("first seen after the campaign's launch") == true)
        #expect(!answer.sentence.contains("accepted it"))
    }

    @Test("LED-3: without a term ledgers stay; one that has begun to go goes to its end")
    func begun() async throws {
        let world = try await ServiceWorld()
        let (id, _) = try await ended(in: world)
        world.clock.advance(by: 4_000 * Self.day)
        await tidyTwice(world)
        #expect(try await world.rows("deliveries") == 2)
        // As a process that died behind its first write has left it.
        let now = world.clock.now
        try await world.database.write { try $0.ledgerRetention.begin(id, now: now) }
        let counts = try await world.counts(id)
        #expect(counts.accepted == 2 && counts.opened == 1)
        await world.housekeeping.tidy()
        #expect(try await world.rows("deliveries") == 0)
        #expect(try await world.counts(id).accepted == 2)
    }

    @Test("LED-3, CAMP-5: nothing goes that is not over, is not summed up, or that a frequency cap looks at")
    func kept() async throws {
        let world = try await ServiceWorld()
        try await keepLedgers(for: 60, in: world)
        let (id, _) = try await ended(in: world)
        let cap = FrequencyCap(count: 1, within: try ISODuration("P90D"))
        let capped = ServiceWorld.draft(name: "Next", schedule: CampaignSchedule(frequencyCap: cap))
        let draft = try await world.campaigns.drafts.create(capped, app: world.app).id
        world.clock.advance(by: 80 * Self.day)
        await tidyTwice(world)
        #expect(try await world.rows("deliveries") == 2, "A draft's cap looks at them.")
        _ = try await world.campaigns.life.delete(draft, app: world.app)
        // One that was paused before it began to send has not ended.
        let paused = try await world.launch()
        _ = try await world.campaigns.life.pause(paused, app: world.app)
        await tidyTwice(world)
        #expect(try await world.rows("deliveries", where: "campaign_id = \(id.number)") == 0)
        world.clock.advance(by: 400 * Self.day)
        await tidyTwice(world)
        #expect(try await world.rows("campaigns", where: "ledger_removed_at IS NOT NULL") == 1)
    }

    @Test("LED-3: what devices told since a last summing-up that is long past is in the sums that stay")
    func oldSums() async throws {
        let world = try await ServiceWorld()
        try await keepLedgers(for: 60, in: world)
        let (id, _) = try await ended(in: world)
        world.clock.advance(by: 61 * Self.day)
        await world.housekeeping.tidy()
        await world.summation.sumUp()
        // The setting is reset before the next day's upkeep, and set again most of a year later.
        try await keepLedgers(for: nil, in: world)
        await world.housekeeping.tidy()
        world.clock.advance(by: 100 * Self.day)
        try await world.engage(.opened, [2], of: id)
        world.clock.advance(by: 200 * Self.day)
        try await keepLedgers(for: 60, in: world)
        await tidyTwice(world)
        #expect(try await world.rows("deliveries") == 0)
        let counts = try await world.counts(id)
        #expect(counts.opened == 2 && counts.accepted == 2)
    }

    @Test("LED-3, SEC-8: the ledger of a cancelled campaign whose audience may still be selected stays")
    func unplanned() async throws {
        let world = try await ServiceWorld()
        try await keepLedgers(for: 60, in: world)
        let (id, _) = try await ended(in: world)
        // As one whose plan was set aside after it was cancelled.
        _ = try await world.database.write { try $0.execute("UPDATE campaigns SET status = 'cancelled', planned = 0") }
        world.clock.advance(by: 61 * Self.day)
        await tidyTwice(world)
        #expect(try await world.rows("deliveries") == 2)
        #expect(try await world.rows("campaigns", where: "ledger_removed_at IS NOT NULL") == 0)
        _ = try await world.database.write { try $0.execute("UPDATE campaigns SET planned = 1") }
        await tidyTwice(world)
        #expect(try await world.rows("deliveries", where: "campaign_id = \(id.number)") == 0)
    }

    @Test("LED-3, IAM-10: an in-app message that devices may still show keeps its ledger until it was recalled")
    func inApp() async throws {
        let world = try await ServiceWorld()
        try await keepLedgers(for: 60, in: world)
        let ids = try await world.database.write { connection in
            let numbers = try (1...2).map { number in
                let draft = CampaignDraft(
                    name: "Hello \(number)", kind: .push, audience: .everyone, push: ServiceWorld.content
                )
                return try connection.campaigns.insert(draft, app: world.app.id, now: ServiceWorld.epoch).number
            }
            let ended = ServiceWorld.epoch.milliseconds
            try connection.execute(
                """
                UPDATE campaigns SET kind = 'inApp', status = 'cancelled', planned = 1, launched_at = ?,
                    ended_at = ?, summed_at = ?, sum_due_at = ?
                """,
                [.integer(ended), .integer(ended), .integer(ended + 100 * 86_400_000), .integer(ended * 9)]
            )
            try connection.execute(
                "UPDATE campaigns SET recalled_at = ? WHERE id = ?", [.integer(ended), .integer(numbers[0])]
            )
            return numbers
        }
        world.clock.advance(by: 100 * Self.day)
        await world.housekeeping.tidy()
        #expect(try await world.rows("campaigns", where: "ledger_gone = 1 AND id = \(ids[0])") == 1)
        #expect(try await world.rows("campaigns", where: "ledger_removed_at IS NOT NULL") == 1)
    }

    @Test("LED-3, IAM-10: of an in-app message that was cancelled before its own end the term begins with that end")
    func inAppEnd() async throws {
        let world = try await ServiceWorld()
        try await keepLedgers(for: 60, in: world)
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        _ = try await ServiceDevice.registered(world, 2, token: "token2")
        let id = try await world.publish(endsAt: ServiceWorld.epoch.addingTimeInterval(90 * Self.day))
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        try await world.download(id, device.client)
        world.clock.advance(by: 10 * Self.day)
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        await sender.runUntilIdle()
        let counts = try await world.counts(id)
        #expect(counts.audience == 2 && counts.pending == 0 && counts.cancelled == 1)
        world.clock.advance(by: 65 * Self.day)
        await tidyTwice(world)
        #expect(try await world.rows("deliveries") == 2, "The device that has it may show it for two weeks more.")
        world.clock.advance(by: 75 * Self.day)
        await tidyTwice(world)
        #expect(try await world.rows("deliveries") == 2, "It has ended 60 days ago, and no more.")
        world.clock.advance(by: 1)
        await tidyTwice(world)
        #expect(try await world.rows("deliveries") == 0)
        let left = try await world.counts(id)
        #expect(left.audience == 2 && left.pending == 0 && left.cancelled == 1)
    }

    @Test("LED-3, CON-4: when an app gets its first term, a hundred campaigns a day are summed up for it")
    func backlog() async throws {
        let world = try await ServiceWorld()
        try await keepLedgers(for: 60, in: world)
        try await world.database.write { connection in
            for number in 1...220 {
                _ = try connection.campaigns.insert(
                    ServiceWorld.draft(name: "Sale \(number)"), app: world.app.id, now: ServiceWorld.epoch
                )
            }
            let ended = ServiceWorld.epoch.milliseconds
            // Each was summed up for the last time a month after its end.
            try connection.execute(
                """
                UPDATE campaigns SET status = 'completed', planned = 1, launched_at = ?, ended_at = ? + id,
                    summed_at = ?, sum_due_at = ?
                """,
                [
                    .integer(ended), .integer(ended), .integer(ended + 31 * 86_400_000),
                    .date(StatisticsRepository.never),
                ]
            )
        }
        world.clock.advance(by: 100 * Self.day)
        for (asked, gone) in [(100, 0), (100, 100), (20, 200), (0, 220)] {
            await world.housekeeping.tidy()
            #expect(try await world.rows("campaigns", where: "sum_due_at = 0") == asked)
            #expect(try await world.rows("campaigns", where: "ledger_gone = 1") == gone)
            await world.summation.sumUp()
            world.clock.advance(by: Self.day)
        }
    }

    @Test("LED-3: a ledger of more rows than a write removes goes as a whole, and its sums stay")
    func many() async throws {
        let world = try await ServiceWorld()
        try await keepLedgers(for: 60, in: world)
        let id = try await manyRows(in: world)
        world.clock.advance(by: 61 * Self.day)
        await tidyTwice(world)
        #expect(try await world.rows("deliveries") == 0)
        #expect(try await world.counts(id).accepted == 2_600)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("LED-3, SEC-8: a removal amid which the process dies goes on; meanwhile nobody takes the rest for the whole")
    func interrupted() async throws {
        let world = try await ServiceWorld()
        try await keepLedgers(for: 60, in: world)
        let id = try await manyRows(in: world)
        world.clock.advance(by: 61 * Self.day)
        await world.housekeeping.tidy()
        await world.summation.sumUp()
        // It dies when it has removed some.
        let mortal = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                try connection.first("SELECT count(*) FROM deliveries", []) { $0.integer(0) } != 2_600
            }
        )
        await Housekeeping(
            database: mortal, environment: world.environment, attempts: world.makeAttempts("dead", over: mortal),
            logger: world.logger
        ).tidy()
        let left = try await world.rows("deliveries")
        #expect((1..<2_600).contains(left))
        #expect(try await world.rows("campaigns", where: "ledger_removed_at IS NOT NULL AND ledger_gone = 0") == 1)
        await world.summation.sumUp()
        let counts = try await world.counts(id)
        #expect(counts.accepted == 2_600 && counts.opened == 1 && counts.audience == 2_600)
        await world.housekeeping.tidy()
        #expect(try await world.rows("deliveries") == left, "It is the dead one's until its lease ends.")
        world.clock.advance(by: 30)
        await world.housekeeping.tidy()
        #expect(try await world.rows("deliveries") == 0)
        #expect(try await world.rows("campaigns", where: "ledger_gone = 1") == 1)
        let last = try await world.counts(id)
        #expect(last.accepted == 2_600 && last.opened == 1 && last.audience == 2_600)
        #expect(try await world.rows("work_attempts") == 0)
    }

    /// A campaign that has ended, with 2,600 rows in its ledger.
    private func manyRows(in world: ServiceWorld) async throws -> CampaignID {
        let (id, _) = try await ended(in: world)
        try await world.database.write { connection in
            let rows = (3...2_600).map { [SQLValue.integer(id.number), .integer($0)] }
            try connection.executeEach(
                """
                INSERT INTO deliveries (campaign_id, device_id, state, attempts, updated_at)
                VALUES (?, ?, 'accepted', 1, 0)
                """,
                rows
            )
        }
        return id
    }
}
