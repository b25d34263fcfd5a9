import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct CampaignLifeTests {
    @Test("CAMP-2: launch, pause, resume and cancel may be repeated and change nothing the second time")
    func idempotence() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        let steps: [(CampaignStatus, @Sendable () async throws -> Campaign)] = [
            (.sending, { try await world.campaigns.life.launch(id, app: world.app) }),
            (.paused, { try await world.campaigns.life.pause(id, app: world.app) }),
            (.sending, { try await world.campaigns.life.resume(id, app: world.app) }),
            (.cancelled, { try await world.campaigns.life.cancel(id, app: world.app) }),
        ]
        for (status, step) in steps {
            world.clock.advance(by: 1)
            let first = try await step()
            #expect(first.status == status)
            world.clock.advance(by: 1)
            #expect(try await step() == first)
            #expect(try await world.campaign(id) == first)
        }
    }

    @Test("CAMP-2: a step that the status does not allow is refused, and the status stays")
    func rejections() async throws {
        let world = try await ServiceWorld()
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        #expect(await errorCode { try await world.campaigns.life.pause(id, app: world.app) } == "conflict")
        #expect(await errorCode { try await world.campaigns.life.resume(id, app: world.app) } == "conflict")
        #expect(try await world.campaign(id).status == .draft)
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        #expect(await errorCode { try await world.campaigns.life.launch(id, app: world.app) } == "conflict")
        #expect(await errorCode { try await world.campaigns.life.resume(id, app: world.app) } == "conflict")
        #expect(try await world.campaign(id).status == .cancelled)
        #expect(try await world.counts(id).audience == 0)
    }

    @Test("CAMP-2: a campaign belongs to its app")
    func otherApp() async throws {
        let world = try await ServiceWorld()
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        let other = try await world.apps.create(code: "other", name: "Other").app
        #expect(await errorCode { try await world.campaigns.life.launch(id, app: other) } == "notFound")
        #expect(await errorCode { try await world.campaigns.queries.report(id, app: other) } == "notFound")
        #expect(try await world.campaign(id).status == .draft)
    }

    @Test("CAMP-2: nothing is launched without credentials")
    func withoutCredentials() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: other).id
        #expect(await errorCode { try await world.campaigns.life.launch(id, app: other) } == "conflict")
    }

    @Test("CAMP-2: a draft may be changed, a launched campaign may not")
    func update() async throws {
        let world = try await ServiceWorld()
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        let changed = ServiceWorld.draft(audience: .tag("vip"), name: " Autumn ")
        #expect(try await world.campaigns.drafts.update(id, with: changed, app: world.app).draft.name == "Autumn")
        #expect(try await world.campaign(id).draft.audience == .tag("vip"))
        _ = try await world.campaigns.life.launch(id, app: world.app)
        let code = await errorCode {
            try await world.campaigns.drafts.update(id, with: ServiceWorld.draft(), app: world.app)
        }
        #expect(code == "conflict")
        #expect(try await world.campaign(id).draft.name == "Autumn")
    }

    @Test("CAMP-2, LED-1: a paused campaign sends nothing, keeps the rest pending, and continues where it was")
    func pauseAndResume() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(5)
        let id = try await world.launch()
        _ = try await world.campaigns.life.pause(id, app: world.app)
        try await world.sendToTheEnd()
        var counts = try await world.counts(id)
        #expect(counts.pending == 5 && counts.audience == 5)
        #expect(world.transport.requests.isEmpty)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        counts = try await world.counts(id)
        #expect(counts.accepted == 5 && counts.total == counts.audience)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("CAMP-2, LED-1: cancelling makes every row final, including those not planned yet")
    func cancel() async throws {
        let world = try await ServiceWorld()
        let size = CampaignPlanner.batchSize + 50
        try await world.makeFleet(size)
        let id = try await world.launch()
        _ = try await world.planner.planNext()
        // On a cluster a step plans several batches, and nobody is left.
        let atOnce = try await world.database.read { $0.batches.cutAtOnce(CampaignPlanner.batchSize) }
        #expect(try await world.counts(id).audience == min(atOnce, size))
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        try await world.sendToTheEnd()
        let counts = try await world.counts(id)
        #expect(counts.cancelled == size && counts.audience == size)
        #expect(world.transport.requests.isEmpty)
        let row = try await world.delivery(id, ServiceWorld.client(size))
        #expect(row?.reason == .campaignCancelled)
        #expect(try await world.campaign(id).status == .cancelled)
    }

    @Test("CAMP-2: sends in flight when a campaign is cancelled keep their own outcome, without retries")
    func cancelMidway() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(4)
        world.transport.answer("token2", .serverError)
        world.transport.answer("token3", .unregistered(since: nil))
        world.transport.hold()
        let id = try await world.launch()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher().runUntilIdle() }
            await world.transport.received(4)
            _ = try? await world.campaigns.life.cancel(id, app: world.app)
            world.transport.release()
        }
        let counts = try await world.counts(id)
        #expect(counts.accepted == 2 && counts.rejected == 1 && counts.cancelled == 1)
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.state == .cancelled)
        #expect(try await world.campaign(id).status == .cancelled)
    }

    @Test("ADM-3: campaigns are listed newest first and page by page")
    func list() async throws {
        let world = try await ServiceWorld()
        var ids: [CampaignID] = []
        for _ in 0..<3 { ids.append(try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id) }
        let first = try await world.campaigns.queries.list(app: world.app, before: nil, limit: 2).map(\.id)
        #expect(first == [ids[2], ids[1]])
        let rest = try await world.campaigns.queries.list(app: world.app, before: ids[1].number, limit: 2).map(\.id)
        #expect(rest == [ids[0]])
    }
}
