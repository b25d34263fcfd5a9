import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// In-app campaigns from draft to end, as an operator moves them (CAMP-2, IAM-4, IAM-10).
struct InAppLifeTests {
    private static func draft(
        _ title: String = "Sale", endsAt: Date? = nil, audience: Condition = .everyone,
        schedule: CampaignSchedule? = nil
    ) -> CampaignDraft {
        CampaignDraft(
            name: "Sale", kind: .inApp, audience: audience,
            inApp: InAppDraft(
                type: .modal, trigger: InAppTrigger(event: "session:start"), endsAt: endsAt,
                content: InAppContent(title: title)
            ),
            schedule: schedule
        )
    }

    private static func launched(_ world: ServiceWorld, _ draft: CampaignDraft = draft()) async throws -> CampaignID {
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        _ = try await world.campaigns.life.launch(id, app: world.app)
        return id
    }

    private static func clock(_ world: ServiceWorld) async throws -> InAppRevision {
        let app = world.app.id
        return try await world.database.read { try $0.inAppRevisions.find(app: app) }
    }

    @Test(
        "CAMP-2: an in-app campaign is active until it ends; steps may be repeated, and devices are woken once")
    func idempotence() async throws {
        let world = try await ServiceWorld()
        let (campaigns, app) = (world.campaigns, world.app)
        let id = try await campaigns.drafts.create(Self.draft(), app: app).id
        let steps: [(CampaignStatus, @Sendable () async throws -> Campaign)] = [
            (.active, { try await campaigns.life.launch(id, app: app) }),
            (.paused, { try await campaigns.life.pause(id, app: app) }),
            (.active, { try await campaigns.life.resume(id, app: app) }),
            (.cancelled, { try await campaigns.life.cancel(id, app: app) }),
            (.cancelled, { try await campaigns.life.recall(id, app: app) }),
        ]
        for (status, step) in steps {
            world.clock.advance(by: 1)
            let before = try await Self.clock(world).version
            let first = try await step()
            #expect(first.status == status)
            let after = try await Self.clock(world).version
            #expect(after > before)
            world.clock.advance(by: 1)
            #expect(try await step() == first)
            #expect(try await world.campaign(id) == first)
            #expect(try await Self.clock(world).version == after)
        }
    }

    @Test("CAMP-2, CAMP-5: one with a start time waits for it, and becomes active")
    func scheduled() async throws {
        let world = try await ServiceWorld()
        let start = world.clock.now.addingTimeInterval(3_600)
        let id = try await Self.launched(world, Self.draft(schedule: CampaignSchedule(at: start)))
        #expect(try await world.campaign(id).status == .scheduled)
        world.clock.advance(by: 3_600)
        try await world.planner.startDue()
        let campaign = try await world.campaign(id)
        #expect(campaign.status == .active && campaign.launchedAt == start && campaign.inAppVersion == 1)
        #expect(try await Self.clock(world).version > 0)
    }

    @Test("CAMP-2, IAM-3: an app without credentials of a push service can launch one: devices fetch by themselves")
    func withoutCredentials() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        let id = try await world.campaigns.drafts.create(Self.draft(), app: other).id
        #expect(try await world.campaigns.life.launch(id, app: other).status == .active)
    }

    @Test("IAM-1: a message whose end has passed is neither launched nor published again")
    func ended() async throws {
        let world = try await ServiceWorld()
        let now = world.clock.now
        let late = try await world.campaigns.drafts.create(Self.draft(endsAt: now), app: world.app).id
        #expect(await errorCode { try await world.campaigns.life.launch(late, app: world.app) } == "passed")
        #expect(try await world.campaign(late).status == .draft)
        let id = try await Self.launched(world)
        let edit = Self.draft("New", endsAt: now)
        #expect(
            await errorCode { try await world.campaigns.drafts.update(id, with: edit, app: world.app) } == "passed")
        #expect(try await world.campaign(id).draft == Self.draft())
    }

    @Test("IAM-4: an edit of an active message is published at once: its version grows, displays are kept or reset")
    func edit() async throws {
        let world = try await ServiceWorld()
        let id = try await Self.launched(world)
        let version = try await Self.clock(world).version
        let second = try await world.campaigns.drafts.update(id, with: Self.draft("Second"), app: world.app)
        #expect(second.status == .active && second.inAppVersion == 2 && second.displayEpoch == 0)
        #expect(second.draft.inApp?.content.title == "Second")
        #expect(try await Self.clock(world).version > version)
        let same = try await world.campaigns.drafts.update(id, with: Self.draft("Second"), app: world.app)
        #expect(same == second)
        let reset = try await world.campaigns.drafts.update(
            id, with: Self.draft("Second"), resetDisplays: true, app: world.app
        )
        #expect(reset.inAppVersion == 3 && reset.displayEpoch == 3)
        let third = try await world.campaigns.drafts.update(id, with: Self.draft("Third"), app: world.app)
        #expect(third.inAppVersion == 4 && third.displayEpoch == 3)
        // It may reach others, too.
        let other = try await world.campaigns.drafts.update(id, with: Self.draft(audience: .tag("vip")), app: world.app)
        #expect(other.draft.audience == .tag("vip") && other.inAppVersion == 5)
        #expect(try await world.campaign(id) == other)
    }

    @Test("IAM-4: an edit of bytes alone is published, too")
    func editedBytes() async throws {
        let world = try await ServiceWorld()
        let id = try await Self.launched(world, Self.draft("caf\u{E9}"))
        let clock = try await Self.clock(world).version
        let edited = try await world.campaigns.drafts.update(id, with: Self.draft("cafe\u{301}"), app: world.app)
        let stored = try await world.campaign(id)
        #expect(edited.inAppVersion == 2 && stored.inAppVersion == 2)
        #expect(stored.draft.inApp?.content.title.map { Array($0.utf8) } == Array("cafe\u{301}".utf8))
        #expect(try await Self.clock(world).version > clock)
    }

    @Test("IAM-4: an edit of a paused message is for its resume; a scheduled or ended one cannot be edited")
    func whenEdited() async throws {
        let world = try await ServiceWorld()
        let (campaigns, app) = (world.campaigns, world.app)
        let id = try await Self.launched(world)
        _ = try await campaigns.life.pause(id, app: app)
        let paused = try await campaigns.drafts.update(id, with: Self.draft("Second"), app: app)
        #expect(paused.status == .paused && paused.inAppVersion == 2)
        #expect(try await campaigns.life.resume(id, app: app).status == .active)
        _ = try await campaigns.life.cancel(id, app: app)
        #expect(
            await errorCode { try await campaigns.drafts.update(id, with: Self.draft("Third"), app: app) }
                == "conflict")
        let at = CampaignSchedule(at: world.clock.now.addingTimeInterval(60))
        let waiting = try await Self.launched(world, Self.draft(schedule: at))
        #expect(
            await errorCode { try await campaigns.drafts.update(waiting, with: Self.draft(), app: app) } == "conflict"
        )
    }

    @Test("ADM-3: fields that an edit cannot change are reported: the kind, and the start")
    func fixedParts() async throws {
        let world = try await ServiceWorld()
        let (campaigns, app) = (world.campaigns, world.app)
        let at = CampaignSchedule(at: world.clock.now)
        let id = try await Self.launched(world, Self.draft(schedule: at))
        let push = ServiceWorld.draft()
        #expect(await errorCode { try await campaigns.drafts.update(id, with: push, app: app) } == "notChangeable")
        let later = Self.draft(schedule: CampaignSchedule(at: world.clock.now.addingTimeInterval(60)))
        #expect(await errorCode { try await campaigns.drafts.update(id, with: later, app: app) } == "notChangeable")
        #expect(try await world.campaign(id).inAppVersion == 1)
        let same = try await campaigns.drafts.update(id, with: Self.draft("New", schedule: at), app: app)
        let without = try await campaigns.drafts.update(id, with: Self.draft("Newer"), app: app)
        #expect(same.inAppVersion == 2 && without.inAppVersion == 3 && without.draft.schedule == at)
        var bad = Self.draft()
        bad.inApp?.trigger = nil
        #expect(await errorCode { try await campaigns.drafts.update(id, with: bad, app: app) } == "missing")
    }

    @Test(
        "IAM-10: a deleted campaign leaves the list and is cancelled; a recall may follow; both may be repeated")
    func deletion() async throws {
        let world = try await ServiceWorld()
        let (campaigns, app) = (world.campaigns, world.app)
        let id = try await Self.launched(world)
        let version = try await Self.clock(world).version
        world.clock.advance(by: 1)
        let moment = world.clock.now
        try await campaigns.life.delete(id, app: app)
        let deleted = try await world.campaign(id)
        #expect(deleted.status == .cancelled && deleted.deletedAt == moment && deleted.endedAt == moment)
        #expect(deleted.recalledAt == nil)
        #expect(try await Self.clock(world).version > version)
        #expect(try await campaigns.queries.list(app: app, before: nil, limit: 10).isEmpty)
        world.clock.advance(by: 1)
        try await campaigns.life.delete(id, app: app)
        #expect(try await world.campaign(id) == deleted)
        #expect(await errorCode { try await campaigns.life.resume(id, app: app) } == "conflict")

        let recalled = try await campaigns.life.recall(id, app: app)
        #expect(recalled.recalledAt == world.clock.now && recalled.endedAt == moment)
        world.clock.advance(by: 1)
        #expect(try await campaigns.life.recall(id, app: app) == recalled)
    }

    @Test("ADM-2: deletion: a draft is removed, an ended one leaves the list, a sending one is a conflict")
    func whatIsDeleted() async throws {
        let world = try await ServiceWorld()
        let (campaigns, app) = (world.campaigns, world.app)
        for draft in [Self.draft(), ServiceWorld.draft()] {
            let id = try await campaigns.drafts.create(draft, app: app).id
            try await campaigns.life.delete(id, app: app)
            #expect(await errorCode { try await world.campaign(id) } == "notFound")
            #expect(await errorCode { try await campaigns.life.delete(id, app: app) } == "notFound")
        }
        let push = try await world.launch()
        #expect(await errorCode { try await campaigns.life.delete(push, app: app) } == "conflict")
        _ = try await campaigns.life.pause(push, app: app)
        #expect(await errorCode { try await campaigns.life.delete(push, app: app) } == "conflict")
        _ = try await campaigns.life.cancel(push, app: app)
        try await campaigns.life.delete(push, app: app)
        #expect(try await world.campaign(push).deletedAt == world.clock.now)
        // An in-app campaign that waits for its time reaches nobody.
        let at = CampaignSchedule(at: world.clock.now.addingTimeInterval(60))
        let waiting = try await Self.launched(world, Self.draft(schedule: at))
        try await campaigns.life.delete(waiting, app: app)
        world.clock.advance(by: 120)
        try await world.planner.startDue()
        let campaign = try await world.campaign(waiting)
        #expect(campaign.status == .cancelled && campaign.launchedAt == nil && campaign.deletedAt != nil)
        #expect(try await campaigns.queries.list(app: app, before: nil, limit: 10).isEmpty)
        let other = try await world.apps.create(code: "other", name: "Other").app
        #expect(await errorCode { try await campaigns.life.delete(waiting, app: other) } == "notFound")
    }

    @Test("IAM-10, LED-1: a recall removes a message even after its end, and the campaign stays completed")
    func recallAfterTheEnd() async throws {
        let world = try await ServiceWorld()
        let (campaigns, app) = (world.campaigns, world.app)
        let id = try await Self.launched(world, Self.draft(endsAt: world.clock.now.addingTimeInterval(60)))
        world.clock.advance(by: 61)
        await world.silentPushSender().runUntilIdle()
        let ended = try await campaigns.queries.report(id, app: app).campaign
        #expect(ended.status == .completed)
        let recalled = try await campaigns.life.recall(id, app: app)
        #expect(recalled.status == .completed && recalled.endedAt == ended.endedAt)
        #expect(recalled.recalledAt == world.clock.now && recalled.statusReason == ended.statusReason)
    }

    @Test("IAM-10: only an in-app message that was launched can be recalled")
    func whatIsRecalled() async throws {
        let world = try await ServiceWorld()
        let push = try await world.launch()
        #expect(await errorCode { try await world.campaigns.life.recall(push, app: world.app) } == "conflict")
        let draft = try await world.campaigns.drafts.create(Self.draft(), app: world.app).id
        #expect(await errorCode { try await world.campaigns.life.recall(draft, app: world.app) } == "conflict")
        #expect(try await world.campaign(draft).status == .draft)
    }

    @Test("IAM-1: an app has at most 100 in-app campaigns at a time, including scheduled and paused ones")
    func limit() async throws {
        let world = try await ServiceWorld()
        let (campaigns, app) = (world.campaigns, world.app)
        let first = try await Self.launched(world)
        let at = CampaignSchedule(at: world.clock.now.addingTimeInterval(60))
        _ = try await Self.launched(world, Self.draft(schedule: at))
        for _ in 2..<InAppLimits.maximumActive { _ = try await Self.launched(world) }
        _ = try await campaigns.life.pause(first, app: app)
        let next = try await campaigns.drafts.create(Self.draft(), app: app).id
        #expect(await errorCode { try await campaigns.life.launch(next, app: app) } == "conflict")
        try await campaigns.life.delete(first, app: app)
        #expect(try await campaigns.life.launch(next, app: app).status == .active)
    }

    @Test(
        "IAM-1, SEC-8: what an app's in-app campaigns say together is bounded, at a launch and at an edit",
        arguments: Engine.ofEachRun)
    func bytes(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let (campaigns, app, now) = (world.campaigns, world.app, world.clock.now)
        let id = try await Self.launched(world)
        let next = try await campaigns.drafts.create(Self.draft(), app: app).id
        let size = try JSONText.encode(try await world.campaign(id).draft).utf8.count
        // What is left has room for both, and for a body of 500 bytes.
        let left = 2 * size + 1_000
        var large = Self.draft()
        // Of letters with two bytes each.
        let letters = (InAppLimits.maximumActiveBytes - left - size) / 2
        large.audience = .contactKeys([String(repeating: "é", count: letters)])
        let paused = large
        let other = try await world.database.write { connection in
            let other = try connection.campaigns.insert(paused, app: app.id, now: now)
            try connection.execute(
                "UPDATE campaigns SET status = 'paused', launched_at = ? WHERE id = ?",
                [.date(now), .integer(other.number)]
            )
            return other
        }
        #expect(try await campaigns.life.launch(next, app: app).status == .active)
        func edit(_ bytes: Int) async -> String? {
            await errorCode {
                try await world.edit(id) { $0.inApp?.content.body = String(repeating: "b", count: bytes) }
            }
        }
        let before = try await world.campaign(id)
        #expect(await edit(2_000) == "conflict")
        #expect(try await world.campaign(id) == before)
        #expect(await edit(500) == nil)
        let third = try await campaigns.drafts.create(Self.draft(), app: app).id
        func launch() async -> String? {
            await errorCode { try await campaigns.life.launch(third, app: app) }
        }
        try await world.database.write { connection in
            // More than there may be by now, as an earlier version let it.
            _ = try connection.execute(
                "UPDATE campaigns SET content = content || content WHERE id = ?",
                [.integer(other.number)]
            )
        }
        #expect(await launch() == "conflict")
        #expect(await edit(501) == "conflict")
        #expect(await edit(499) == nil)
        try await world.database.write { connection in
            _ = try connection.execute(
                "UPDATE campaigns SET status = 'cancelled' WHERE id = ?", [.integer(other.number)]
            )
        }
        #expect(await launch() == nil)
    }

    @Test("IAM-12: the app's setting for script applies when a message is saved and when it is launched")
    func scripts() async throws {
        let world = try await ServiceWorld()
        var draft = Self.draft()
        draft.inApp?.type = .html
        draft.inApp?.content = InAppContent(html: "<script>1</script>")
        let scripted = draft
        let code = await errorCode { try await world.campaigns.drafts.create(scripted, app: world.app) }
        #expect(code == "scriptNotAllowed")
        var change = AppSettingsChange()
        change.inAppScripts = .set(true)
        _ = try await world.apps.changeSettings(change, of: world.app)
        let id = try await world.campaigns.drafts.create(scripted, app: world.app).id
        change.inAppScripts = .set(false)
        _ = try await world.apps.changeSettings(change, of: world.app)
        #expect(await errorCode { try await world.campaigns.life.launch(id, app: world.app) } == "scriptNotAllowed")
    }
}
