import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Campaigns that were paused before their time, and are resumed when it is past (CAMP-5).
struct LateResumeTests {
    private static let day: TimeInterval = 86_400

    /// Scheduled and paused, before anything of it began.
    private static func paused(_ world: ServiceWorld, _ draft: CampaignDraft) async throws -> CampaignID {
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        #expect(try await world.campaigns.life.launch(id, app: world.app).status == .scheduled)
        _ = try await world.campaigns.life.pause(id, app: world.app)
        return id
    }

    private static func inApp(_ schedule: CampaignSchedule?, endsAt: Date? = nil) -> CampaignDraft {
        CampaignDraft(
            name: "Sale", kind: .inApp, audience: .everyone,
            inApp: InAppDraft(
                type: .modal, trigger: InAppTrigger(event: "session:start"), endsAt: endsAt,
                content: InAppContent(title: "Sale")
            ),
            schedule: schedule
        )
    }

    private static func resume(_ world: ServiceWorld, _ id: CampaignID) async -> String? {
        await errorCode { try await world.campaigns.life.resume(id, app: world.app) }
    }

    @Test("CAMP-5, CON-7: what is too late to be launched is too late to be resumed, and stays paused")
    func tooLate() async throws {
        // The clock of a world begins at 2026-11-21T12:00:00Z.
        let at = try #require(Timestamp.date("2026-11-21T13:00:00Z"))
        let local = try #require(LocalDateTime("2026-11-23T09:00:00"))
        let cases: [(schedule: CampaignSchedule, late: Date)] = [
            (CampaignSchedule(at: at), at.addingTimeInterval(Self.day + 1)),
            (CampaignSchedule(localAt: local), try #require(Timestamp.date("2026-11-23T21:00:01Z"))),
            (CampaignSchedule(at: at, expiresAt: at.addingTimeInterval(60)), at.addingTimeInterval(60)),
        ]
        for (schedule, late) in cases {
            let world = try await ServiceWorld()
            try await world.makeFleet(2)
            let id = try await Self.paused(world, ServiceWorld.draft(schedule: schedule))
            world.clock.advance(to: late)
            let before = try await world.campaign(id)
            #expect(await Self.resume(world, id) == "passed", "\(late)")
            #expect(try await world.campaign(id) == before && before.status == .paused)
            await world.dispatcher().runUntilIdle()
            #expect(world.transport.requests.isEmpty)
            #expect(try await world.campaigns.life.cancel(id, app: world.app).status == .cancelled)
        }
    }

    @Test("CAMP-5: a resume in time waits for it, or begins at once; one of what has begun is as ever")
    func inTime() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let at = world.clock.now.addingTimeInterval(3_600)
        let early = try await Self.paused(world, ServiceWorld.draft(schedule: CampaignSchedule(at: at)))
        let late = try await Self.paused(world, ServiceWorld.draft(schedule: CampaignSchedule(at: at)))
        let waiting = try await world.campaigns.life.resume(early, app: world.app)
        #expect(waiting.status == .scheduled && waiting.scheduledAt == at)
        world.clock.advance(to: at)
        await world.dispatcher().runUntilIdle()
        #expect(try await world.counts(early).accepted == 2)

        let begun = try await world.launch()
        _ = try await world.campaigns.life.pause(begun, app: world.app)
        // The last moment for the one whose time is past; no moment is too late for the one that has begun.
        world.clock.advance(to: at.addingTimeInterval(Self.day))
        #expect(try await world.campaigns.life.resume(late, app: world.app).status == .scheduled)
        await world.dispatcher().runUntilIdle()
        #expect(try await world.counts(late).accepted == 2)
        world.clock.advance(by: 30 * Self.day)
        #expect(try await world.campaigns.life.resume(begun, app: world.app).status == .sending)
    }

    @Test("CAMP-5, CON-7: a resume before the launch needs what a launch needs: credentials, and what the app allows")
    func lacks() async throws {
        let world = try await ServiceWorld()
        let schedule = CampaignSchedule(at: world.clock.now.addingTimeInterval(3_600))
        let push = try await Self.paused(world, ServiceWorld.draft(schedule: schedule))
        try await world.apps.removeCredentials(of: .apns, app: world.app)
        #expect(await Self.resume(world, push) == "conflict")
        #expect(try await world.campaign(push).status == .paused)

        var change = AppSettingsChange()
        change.inAppScripts = .set(true)
        _ = try await world.apps.changeSettings(change, of: world.app)
        var scripted = Self.inApp(schedule)
        scripted.inApp?.type = .html
        scripted.inApp?.content = InAppContent(html: "<script>1</script>")
        let page = try await Self.paused(world, scripted)
        change.inAppScripts = .set(false)
        _ = try await world.apps.changeSettings(change, of: world.app)
        #expect(await Self.resume(world, page) == "scriptNotAllowed")
        #expect(try await world.campaign(page).status == .paused)
    }

    @Test("CON-5, CAMP-5: where the app asks for approvals by now, what nobody has approved is not resumed")
    func approvals() async throws {
        let world = try await ServiceWorld()
        let schedule = CampaignSchedule(at: world.clock.now.addingTimeInterval(3_600))
        let unseen = try await Self.paused(world, ServiceWorld.draft(schedule: schedule))
        let draft = ServiceWorld.draft(schedule: schedule)
        let seen = try await world.campaigns.drafts.create(draft, by: ServiceWorld.anna, app: world.app).id
        try await world.askForApprovals()
        try await world.approve(seen, by: ServiceWorld.bert)
        _ = try await world.campaigns.life.launch(seen, app: world.app)
        _ = try await world.campaigns.life.pause(seen, app: world.app)
        #expect(await Self.resume(world, seen) == nil)
        #expect(await Self.resume(world, unseen) == "approvalRequired")
        #expect(try await world.campaign(unseen).status == .paused)
    }

    @Test("IAM-1, CAMP-5: a scheduled in-app campaign keeps its place while it is paused, and is refused after its end")
    func inApp() async throws {
        let world = try await ServiceWorld()
        let app = world.app
        let at = world.clock.now.addingTimeInterval(3_600)
        let end = at.addingTimeInterval(60)
        let id = try await Self.paused(world, Self.inApp(CampaignSchedule(at: at), endsAt: end))
        for _ in 1..<InAppLimits.maximumActive {
            let other = try await world.campaigns.drafts.create(Self.inApp(nil), app: app).id
            _ = try await world.campaigns.life.launch(other, app: app)
        }
        #expect(await Self.resume(world, id) == nil)
        _ = try await world.campaigns.life.pause(id, app: app)
        world.clock.advance(to: end)
        #expect(await Self.resume(world, id) == "passed")
        #expect(try await world.campaign(id).status == .paused)
    }

    @Test("CAMP-5, SEC-8: a plan that was set aside before the time is not taken up again when that is long past")
    func quarantine() async throws {
        let world = try await ServiceWorld()
        let at = world.clock.now.addingTimeInterval(3_600)
        let id = try await world.launch(schedule: CampaignSchedule(at: at))
        let (app, now) = (world.app.id, world.clock.now)
        try await world.database.write { connection in
            try AttemptLog(connection: connection, now: now).quarantine(
                QuarantinedSubject(subject: .plan(id.number), attempts: 3, error: "It failed."), app: app
            )
        }
        let name = try #require(try await world.quarantined().first).name
        world.clock.advance(to: at.addingTimeInterval(Self.day + 1))
        #expect(await errorCode { try await world.quarantine.retry(name, app: nil) } == "passed")
        #expect(try await world.campaign(id).status == .paused)
        #expect(try await world.quarantined().map(\.name) == [name])
        _ = try await world.quarantine.drop(name, app: nil)
        #expect(try await world.campaign(id).status == .cancelled)
    }

    @Test("CON-12: a campaign that was paused before its time is rehearsed, and told what a resume would be refused")
    func rehearsed() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let at = world.clock.now.addingTimeInterval(Self.day)
        let id = try await Self.paused(world, ServiceWorld.draft(schedule: CampaignSchedule(at: at)))
        let rehearsal = try await world.rehearse(id)
        #expect(rehearsal.status == .done && rehearsal.launchAt == at && rehearsal.figures?.firstAt == at)
        #expect(rehearsal.figures?.warnings.isEmpty == true)
        world.clock.advance(to: at.addingTimeInterval(Self.day + 1))
        let late = try await world.rehearse(id)
        #expect(late.status == .done && late.launchAt == world.clock.now)
        #expect(late.figures?.warnings == ["The send time passed more than a day ago."])

        let begun = try await world.launch()
        _ = try await world.campaigns.life.pause(begun, app: world.app)
        #expect(await errorCode { try await world.rehearsals.start(begun, app: world.app) } == "notBeforeLaunch")
    }
}
