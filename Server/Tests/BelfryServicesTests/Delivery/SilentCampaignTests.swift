import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// PUSH-7: silent pushes of campaigns and the server's own share one budget.
struct SilentCampaignTests {
    private static func keyed(_ value: String, ttl: Int? = nil) -> PushContent {
        PushContent(title: "", body: "", ttlSeconds: ttl, custom: ["refresh": .string(value)])
    }

    private static let plain = PushContent(title: "", body: "")

    /// Lets time pass with both workers at work.
    private static func pass(_ world: ServiceWorld, until date: Date) async throws {
        while world.clock.now < date {
            world.clock.advance(to: min(date, world.clock.now.addingTimeInterval(60)))
            await world.dispatcher().runUntilIdle()
            await world.silentPushSender().runUntilIdle()
        }
    }

    @Test("PUSH-7: pushes with custom keys are never merged; each waits for its turn in the device's budget")
    func turns() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let times = Dates()
        world.transport.onRequest { [clock = world.clock] request in
            if request.token == "token1" { times.append(clock.now) }
        }
        var ids: [CampaignID] = []
        for number in 0..<3 { ids.append(try await world.launch(push: Self.keyed("\(number)"), kind: .silent)) }
        await world.dispatcher().runUntilIdle()
        #expect(world.transport.requests.count == 2)
        // Their batches are under way side by side: any of them may be the first.
        var waiting: [CampaignID] = []
        for id in ids {
            let row = try #require(try await world.delivery(id, ServiceWorld.client(1)))
            guard row.state == .pending else { continue }
            #expect(row.retryAt == ServiceWorld.epoch.addingTimeInterval(1_200))
            waiting.append(id)
        }
        #expect(waiting.count == 2)
        let last = try #require(waiting.last)
        let answer = try await world.explainer.explain(last, device: ServiceWorld.client(1).rawValue, app: world.app)
        #expect(answer.sentence.contains("silent pushes"))
        try await Self.pass(world, until: ServiceWorld.epoch.addingTimeInterval(3_000))
        #expect(times.all.map { $0.timeIntervalSince(ServiceWorld.epoch) } == [0, 1_200, 2_400])
        let bodies = world.transport.requests(for: "token1").map { String(decoding: $0.body, as: UTF8.self) }
        for number in 0..<3 { #expect(bodies.count { $0.contains("\"refresh\":\"\(number)\"") } == 1) }
        for id in ids {
            let counts = try await world.counts(id)
            #expect(counts.accepted == 2 && counts.total == counts.audience)
            #expect(try await world.campaign(id).status == .completed)
        }
    }

    @Test("PUSH-7: one that the budget holds back until its time is over ends as silentBudget")
    func heldBack() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        _ = try await world.launch(push: Self.keyed("first"), kind: .silent)
        await world.dispatcher().runUntilIdle()
        for ttl in [0, 600] {
            let id = try await world.launch(push: Self.keyed("late", ttl: ttl), kind: .silent)
            await world.dispatcher().runUntilIdle()
            let row = try #require(try await world.delivery(id, ServiceWorld.client(1)))
            #expect(row.state == .suppressed && row.reason == .silentBudget && row.attempts == 0)
            #expect(try await world.campaign(id).status == .completed)
        }
        // One that lives long enough goes, though its server slept over the first turn.
        let id = try await world.launch(push: Self.keyed("long", ttl: 7_200), kind: .silent)
        await world.dispatcher().runUntilIdle()
        world.clock.advance(by: 3_000)
        await world.dispatcher().runUntilIdle()
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
        // And one whose time ran out while it waited says why it never left.
        let last = try await world.launch(push: Self.keyed("slept", ttl: 1_500), kind: .silent)
        await world.dispatcher().runUntilIdle()
        world.clock.advance(by: 3_000)
        await world.dispatcher().runUntilIdle()
        #expect(try await world.delivery(last, ServiceWorld.client(1))?.reason == .silentBudget)
        #expect(world.transport.requests.count == 2)
    }

    @Test("PUSH-7, LED-1: one that was deferred, and that the budget then holds back for good, ends as expired")
    func deferredAndHeldBack() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .serverError, .accepted)
        let id = try await world.launch(push: Self.keyed("prices", ttl: 600), kind: .silent)
        await world.dispatcher().runUntilIdle()
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .pending)
        // Another campaign's push takes the device's turn before the retry.
        let other = try await world.launch(push: Self.keyed("first"), kind: .silent)
        await world.dispatcher().runUntilIdle()
        #expect(try await world.delivery(other, ServiceWorld.client(1))?.state == .accepted)
        world.clock.advance(by: 1)
        await world.dispatcher().runUntilIdle()
        let row = try #require(try await world.delivery(id, ServiceWorld.client(1)))
        #expect(row.state == .rejected && row.reason == .expired && row.note == "InternalServerError")
        #expect(world.transport.requests.count == 2)
    }

    @Test("PUSH-7: a campaign's push takes the server's own reasons along, so that one push serves both")
    func alongWithCampaign() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        _ = try await world.publish("First")
        await world.silentPushSender().runUntilIdle()
        _ = try await world.publish("Second")
        await world.silentPushSender().runUntilIdle()
        let id = try await world.launch(push: Self.keyed("prices"), kind: .silent)
        await world.dispatcher().runUntilIdle()
        #expect(world.transport.requests.count == 1)
        world.clock.advance(by: 1_200)
        // The campaign is first, and nothing is left for the server's own push.
        await world.dispatcher().runUntilIdle()
        await world.silentPushSender().runUntilIdle()
        #expect(world.transport.requests.count == 2)
        let push = try #require(world.transport.requests.last)
        #expect(push.sync == ["inApp"])
        #expect(String(decoding: push.body, as: UTF8.self).contains("\"refresh\":\"prices\""))
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
        let state = try #require(try await world.silentPush(ServiceWorld.client(1)))
        #expect(state.waiting == [] && state.carried == [] && state.campaign == nil && state.dueAt == nil)
    }

    @Test("PUSH-7: a push without custom keys is served by any other that leaves after it is due")
    func merged() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        _ = try await world.publish("First")
        await world.silentPushSender().runUntilIdle()
        world.clock.advance(by: 60)
        let ids = [
            try await world.launch(push: Self.plain, kind: .silent),
            try await world.launch(push: Self.plain, kind: .silent),
        ]
        _ = try await world.publish("Second")
        await world.dispatcher().runUntilIdle()
        #expect(world.transport.requests.count == 1)
        try await Self.pass(world, until: ServiceWorld.epoch.addingTimeInterval(1_380))
        #expect(world.transport.requests.count == 2)
        #expect(world.transport.requests.last?.sync == ["inApp"])
        for id in ids { #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted) }
        // One of the two left, or the server's own did; the others were served by it.
        var merged = 0
        for id in ids {
            let answer = try await world.explainer.explain(
                id, device: ServiceWorld.client(1).rawValue, app: world.app
            )
            if answer.sentence.contains("Another silent push") { merged += 1 }
        }
        #expect(merged == 1)
    }

    @Test("PUSH-7: what certainly did not arrive costs no budget, and gives back what it took along")
    func rejected() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        _ = try await world.publish("First")
        await world.silentPushSender().runUntilIdle()
        _ = try await world.publish("Second")
        await world.silentPushSender().runUntilIdle()
        world.clock.advance(by: 1_200)
        world.transport.script("token1", [.payloadTooLarge, .accepted])
        let id = try await world.launch(push: Self.keyed("large"), kind: .silent)
        await world.dispatcher().runUntilIdle()
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .rejected)
        await world.silentPushSender().runUntilIdle()
        #expect(world.transport.requests.count == 3)
        #expect(world.transport.requests.last?.payloadKeys["belfry"] == ["sid", "to", "sync"])
    }

    @Test("PUSH-5, PUSH-7: a worker that dies with a campaign's push under way loses nothing, and pays once")
    func takeover() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        _ = try await world.publish()
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        world.clock.advance(by: 1_200)
        _ = try await world.publish("Second")
        while try await world.inAppPlanner().planNext() {}
        world.transport.script("token1", [.silence, .accepted])
        let id = try await world.launch(push: Self.keyed("prices"), kind: .silent)
        await world.dispatcher().runUntilIdle()
        try await Self.pass(world, until: world.clock.now.addingTimeInterval(120))
        let sent = world.transport.requests.dropFirst()
        #expect(sent.count == 2 && Set(sent.map(\.apnsID)).count == 1 && Set(sent.map(\.body)).count == 1)
        #expect(sent.allSatisfy { $0.sync == ["inApp"] })
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
        #expect(try await world.silentPush(ServiceWorld.client(1))?.dueAt == nil)
    }

    @Test("PUSH-7, CAMP-6: a push in another language takes nothing along", arguments: 1...4)
    func variants(count: Int) async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        let locales = ["de", "fr", "it", "pt"].prefix(count)
        try await device.register {
            $0.pushToken = "token1"
            $0.locale = locales.last
        }
        try await world.process()
        let variants = Dictionary(locales.map { ($0, PushVariant(title: "In \($0)")) }) { first, _ in first }
        _ = try await world.launch(push: PushContent(title: "A", body: "B", variants: variants))
        try await world.sendToTheEnd()
        let push = try #require(world.transport.requests.first)
        #expect(push.payloadKeys["belfry"]?.isDisjoint(with: ["sync", "nonce"]) == true)
        #expect(String(decoding: push.body, as: UTF8.self).contains("In \(locales.last ?? "")"))
    }

    @Test("PUSH-7: silent campaigns leave browsers out unless asked, and say what they cost")
    func browsers() async throws {
        let world = try await ServiceWorld()
        _ = try await world.apps.putWebPushCredentials(TestKeys.webPush(), app: world.app)
        try await ServiceDevice.started(world, 1).putToken(TestKeys.subscription(), provider: .webpush)
        try await ServiceDevice.started(world, 2).putToken("token2")
        let quiet = try await world.launch(push: Self.plain, kind: .silent)
        try await world.sendToTheEnd()
        #expect(try await world.delivery(quiet, ServiceWorld.client(1))?.reason == .browser)
        #expect(try await world.delivery(quiet, ServiceWorld.client(2))?.state == .accepted)
        world.clock.advance(by: 3_600)
        let asked = PushContent(title: "", body: "", browsers: true)
        let id = try await world.launch(push: asked, kind: .silent)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 2)
        let draft = try await world.campaigns.drafts.create(
            ServiceWorld.draft(push: asked, kind: .silent), app: world.app
        )
        let run = try await world.campaigns.previews.dryRun(draft.id, app: world.app)
        #expect(run.warnings.count == 1 && run.wouldSend == 2)
        let shown = try await world.campaigns.previews.preview(draft.id, devices: nil, limit: 5, app: world.app)
        #expect(shown.warnings == run.warnings)
        let plain = try await world.campaigns.drafts.create(
            ServiceWorld.draft(push: Self.plain, kind: .silent), app: world.app
        )
        let other = try await world.campaigns.previews.dryRun(plain.id, app: world.app)
        #expect(other.warnings == [] && other.suppressed == [.browser: 1])
        await #expect(throws: (any Error).self) {
            try await world.campaigns.drafts.create(
                ServiceWorld.draft(push: PushContent(title: "A", body: "B", browsers: true)), app: world.app
            )
        }
    }
}
