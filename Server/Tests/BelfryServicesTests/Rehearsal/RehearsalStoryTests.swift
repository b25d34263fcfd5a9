import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct RehearsalStoryTests {
    private static let push = ServiceWorld.draft()

    @Test("CON-12: a rehearsal sends nothing and changes nothing but its own result")
    func changesNothing() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(30)
        let id = try await world.draft(ServiceWorld.draft(schedule: CampaignSchedule(ratePerSecond: 10)))
        let before = try await Self.everything(world)
        let rehearsal = try await world.rehearse(id)
        #expect(rehearsal.status == .done && rehearsal.progress == 1 && rehearsal.audience == 30)
        #expect(rehearsal.words == ["accepted": 30])
        let figures = try #require(rehearsal.figures)
        #expect(figures.firstAt == world.clock.now)
        let last = try #require(figures.lastAt).timeIntervalSince(world.clock.now)
        #expect(abs(last - 2.9) < 0.001)
        #expect(figures.byPlatform.map(\.audience) == [30] && figures.byHour.map(\.count) == [30])
        #expect(try await Self.everything(world) == before)
        #expect(world.transport.requests.isEmpty)
    }

    /// How many rows the tables have that a campaign writes to.
    private static func everything(_ world: ServiceWorld) async throws -> [String] {
        try await world.database.read { connection in
            let tables: [SQLText] = [
                "deliveries", "batches", "silent_pushes", "center_messages", "work_attempts", "audit_log",
            ]
            return try tables.flatMap { table in
                try connection.query("SELECT count(*) FROM \(table)", []) { String($0.integer(0)) }
            }
                + connection.query("SELECT id, status, content, planned_to, rate_unit FROM campaigns ORDER BY id", []) {
                    "\($0.integer(0)) \($0.text(1)) \($0.text(2)) \($0.integer(3)) \($0.integer(4))"
                }
        }
    }

    @Test("CON-12: only what has not begun is rehearsed, and asking twice gives the one that waits")
    func start() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let id = try await world.draft(Self.push)
        let first = try await world.rehearsals.start(id, app: world.app)
        #expect(first.status == .waiting && first.progress == 0)
        #expect(try await world.rehearsals.start(id, app: world.app).id == first.id)
        // Another draft is another rehearsal.
        _ = try await world.campaigns.drafts.update(id, with: ServiceWorld.draft(name: "Other"), app: world.app)
        let second = try await world.rehearsals.start(id, app: world.app)
        #expect(second.id != first.id && second.version != first.version)
        #expect(try await world.rehearsals.find(first.id, of: id, app: world.app).status == .cancelled)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        let code = await errorCode { try await world.rehearsals.start(id, app: world.app) }
        #expect(code == "notBeforeLaunch")
        await world.rehearser().runUntilIdle()
        // It had begun before its turn came.
        let failed = try await world.rehearsals.find(second.id, of: id, app: world.app)
        #expect(failed.status == .failed && failed.problem?.contains("sending") == true)
        let other = try await world.draft(Self.push)
        #expect(
            await errorCode { try await world.rehearsals.find(first.id, of: other, app: world.app) } == "notFound"
        )
    }

    @Test("CON-12: a scheduled campaign is rehearsed as of its time")
    func scheduled() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let at = world.clock.now.addingTimeInterval(86_400)
        let id = try await world.launch(schedule: CampaignSchedule(at: at))
        let rehearsal = try await world.rehearse(id)
        #expect(rehearsal.launchAt == at && rehearsal.figures?.firstAt == at)
        try await world.sendToTheEnd()
        #expect(try await world.rehearsals.comparison(rehearsal.id, of: id, app: world.app).different == 0)
    }

    @Test("CON-13: a cancelled rehearsal ends, keeps nothing, and stays cancelled")
    func cancel() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(5)
        let id = try await world.draft(Self.push)
        let started = try await world.rehearsals.start(id, app: world.app)
        #expect(try await world.rehearsals.cancel(started.id, of: id, app: world.app).status == .cancelled)
        await world.rehearser().runUntilIdle()
        let ended = try await world.rehearsals.cancel(started.id, of: id, app: world.app)
        #expect(ended.status == .cancelled && ended.figures == nil)
        #expect(try await world.rehearsals.people(in: ended, limit: 10).people.isEmpty)
    }

    @Test("CON-13: when its worker dies, another one begins it anew once the loan has ended; after three it says so")
    func interrupted() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(5)
        let id = try await world.draft(Self.push)
        let started = try await world.rehearsals.start(id, app: world.app)
        for _ in 0..<2 {
            // A worker claims it and is never heard of again.
            let now = world.clock.now
            let row = try await world.database.write { connection in
                try connection.rehearsals.claim(owner: "dead", until: now.addingTimeInterval(15), now: now)
            }
            #expect(row?.id == started.id)
            await world.rehearser().runUntilIdle()
            #expect(try await world.rehearsals.find(started.id, of: id, app: world.app).status == .running)
            world.clock.advance(by: 16)
        }
        await world.rehearser().runUntilIdle()
        #expect(try await world.rehearsals.find(started.id, of: id, app: world.app).status == .done)

        let other = try await world.rehearsals.start(try await world.draft(Self.push), app: world.app)
        for _ in 0..<3 {
            let now = world.clock.now
            _ = try await world.database.write { connection in
                try connection.rehearsals.claim(owner: "dead", until: now.addingTimeInterval(15), now: now)
            }
            world.clock.advance(by: 16)
        }
        await world.rehearser().runUntilIdle()
        let failed = try await world.rehearsals.find(other.id, of: other.campaign, app: world.app)
        #expect(failed.status == .failed && failed.problem?.contains("interrupted") == true)
    }

    @Test("CON-13, SEC-9: of one app twenty rehearsals wait and no more, and they hold up no other app's")
    func turns() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        var asked: [Rehearsal] = []
        for _ in 0..<RehearsalService.maximumWaiting {
            asked.append(try await world.rehearsals.start(try await world.draft(Self.push), app: world.app))
        }
        let more = try await world.draft(Self.push)
        let code = await errorCode { try await world.rehearsals.start(more, app: world.app) }
        #expect(code == "tooManyRequests")
        let theirs = try await world.campaigns.drafts.create(Self.push, app: other).id
        let last = try await world.rehearsals.start(theirs, app: other)
        let worker = world.rehearser()
        for _ in 0..<2 {
            _ = await withDiscardingTaskGroup(returning: WorkTick.self) { pieces in await worker.turn(&pieces) }
        }
        #expect(try await world.rehearsals.find(last.id, of: theirs, app: other).endedAt != nil)
        #expect(try await world.rows("rehearsals", where: "ended_at IS NULL") == asked.count - 1)
        // Whoever was refused asks again, and none of those that wait is lost.
        asked.append(try await world.rehearsals.start(more, app: world.app))
        await worker.runUntilIdle()
        for one in asked {
            #expect(try await world.rehearsals.find(one.id, of: one.campaign, app: world.app).status == .done)
        }
    }

    @Test("CON-12: the newest five of a campaign are kept, and a draft takes its own along when it is deleted")
    func kept() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let id = try await world.draft(Self.push)
        var ids: [Int64] = []
        for _ in 0..<7 { ids.append(try await world.rehearse(id).id) }
        let kept = try await world.rehearsals.list(of: id, app: world.app)
        #expect(kept.map(\.id) == ids.suffix(RehearsalService.keptPerCampaign).reversed())
        try await world.campaigns.life.delete(id, app: world.app)
        let rows = try await world.database.read { connection in
            try connection.query(
                "SELECT (SELECT count(*) FROM rehearsals) + (SELECT count(*) FROM rehearsal_pages)", []
            ) { $0.integer(0) }
        }
        #expect(rows == [0])
    }

    @Test("CON-12, SEC-2: however many are begun and cancelled, or overtaken by an edit, no more of them are kept")
    func cancelledAgain() async throws {
        let world = try await ServiceWorld()
        let id = try await world.draft(Self.push)
        for _ in 0..<9 {
            let started = try await world.rehearsals.start(id, app: world.app)
            _ = try await world.rehearsals.cancel(started.id, of: id, app: world.app)
        }
        for number in 0..<9 {
            _ = try await world.campaigns.drafts.update(
                id, with: ServiceWorld.draft(name: "Draft \(number)"), app: world.app)
            _ = try await world.rehearsals.start(id, app: world.app)
        }
        let rows = try await world.database.read { connection in
            try connection.query("SELECT count(*) FROM rehearsals", []) { $0.integer(0) }
        }
        #expect(rows == [Int64(RehearsalService.keptPerCampaign) + 1], "and the one that waits")
    }

    @Test("CON-12, REG-36: a person's traces go with their erasure, and the sums stay")
    func erased() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        _ = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        let id = try await world.draft(Self.push)
        let rehearsal = try await world.rehearse(id)
        #expect(try await world.rehearsals.people(in: rehearsal, limit: 10).people.count == 2)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        _ = try await world.rehearsals.comparison(rehearsal.id, of: id, app: world.app)
        _ = try await world.contacts.erase("anna", app: world.app)
        let again = try await world.rehearsals.find(rehearsal.id, of: id, app: world.app)
        #expect(again.figures == rehearsal.figures)
        let left = try await world.rehearsals.people(in: again, limit: 10).people
        #expect(left.map(\.device) == [try ServiceWorld.client(2).rawValue])
        let comparison = try await world.rehearsals.comparison(rehearsal.id, of: id, app: world.app)
        #expect(comparison.equal == 1 && comparison.different == 0)
    }

    @Test("CON-12: people stand behind each number, in pages")
    func people() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(25)
        for number in [3, 14, 20] {
            let device = try ServiceDevice(world, number)
            try await world.database.write { [app = world.app.id] connection in
                var row = try #require(try connection.devices.find(app: app, client: device.client))
                row.pushToken = nil
                try connection.devices.save(row)
            }
        }
        let id = try await world.draft(Self.push)
        let rehearsal = try await world.rehearse(id)
        #expect(rehearsal.words == ["accepted": 22, "suppressed noToken": 3])
        let noToken = RehearsedSelection(outcome: RehearsedOutcome(state: .suppressed, reason: .noToken))
        let first = try await world.rehearsals.people(in: rehearsal, noToken, limit: 2)
        #expect(try first.people.map(\.device) == [ServiceWorld.client(3).rawValue, ServiceWorld.client(14).rawValue])
        let rest = try await world.rehearsals.people(in: rehearsal, noToken, after: first.next, limit: 2)
        #expect(try rest.people.map(\.device) == [ServiceWorld.client(20).rawValue] && rest.next == nil)
        let nobody = RehearsedSelection(outcome: RehearsedOutcome(state: .rejected, reason: .noToken))
        let none = try await world.rehearsals.people(in: rehearsal, nobody, limit: 2)
        #expect(none.people.isEmpty && none.next == nil)
        #expect(try await world.rehearsals.samples(of: rehearsal).count == 6)
    }
}
