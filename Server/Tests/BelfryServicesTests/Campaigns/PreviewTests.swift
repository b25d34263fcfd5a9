import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct PreviewTests {
    private static func world() async throws -> (world: ServiceWorld, draft: CampaignDraft) {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("firstName", type: .string, app: world.app)
        for (number, name) in [(1, "Anna"), (2, "Ben"), (3, nil)] as [(Int, String?)] {
            var device = try await ServiceDevice.started(world, number)
            try await device.register {
                $0.pushToken = "token\(number)"
                $0.attributes = name.map { ["firstName": .string($0)] } ?? [:]
            }
        }
        var optedOut = try await ServiceDevice.started(world, 4)
        try await optedOut.register {
            $0.pushToken = "token4"
            $0.pushEnabled = false
        }
        try await world.process()
        return (world, ServiceWorld.draft(push: PushContent(title: "Hello {{firstName}}", body: "Look")))
    }

    @Test("CAMP-4: a preview shows real recipients' texts, or why there are none")
    func preview() async throws {
        let (world, draft) = try await Self.world()
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let previews = try await world.campaigns.previews.preview(id, devices: nil, limit: 3, app: world.app)
        #expect(previews.map { $0.content?.title } == ["Hello Anna", "Hello Ben", nil])
        #expect(previews[2].problem?.contains("firstName") == true)
        let named = try await world.campaigns.previews.preview(
            id, devices: [ServiceWorld.client(2).rawValue], limit: 5, app: world.app
        )
        #expect(named.map { $0.content?.title } == ["Hello Ben"])
        await #expect(throws: ServiceError.self) {
            _ = try await world.campaigns.previews.preview(
                id, devices: [ServiceWorld.client(9).rawValue], limit: 5, app: world.app)
        }
    }

    @Test("CAMP-7: a dry run says who would get it and who would not, by reason, and agrees with the launch")
    func dryRun() async throws {
        let (world, draft) = try await Self.world()
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let run = try await world.campaigns.previews.dryRun(id, app: world.app)
        #expect(run.audience == 4 && run.wouldSend == 2 && run.later == 0)
        #expect(run.suppressed == [.renderError: 1, .optedOut(.user): 1])
        #expect(run.samples.count == 4)
        #expect(world.transport.requests.isEmpty)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        let counts = try await world.counts(id)
        #expect(counts.accepted == run.wouldSend && counts.suppressed == 2)
    }

    @Test("CAMP-7: a dry run says who waits for quiet hours and who is over the cap")
    func dryRunOfSchedules() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        _ = try await world.launch(audience: .deviceIDs([ServiceWorld.client(1).rawValue]))
        try await world.sendToTheEnd()
        var draft = ServiceWorld.draft(
            schedule: CampaignSchedule(frequencyCap: FrequencyCap(count: 1, within: try ISODuration("P1D")))
        )
        let capped = try await world.campaigns.drafts.create(draft, app: world.app).id
        let first = try await world.campaigns.previews.dryRun(capped, app: world.app)
        #expect(first.wouldSend == 2 && first.suppressed == [.frequencyCap: 1])
        draft.schedule = CampaignSchedule(
            quietHours: QuietHours(
                from: try #require(TimeOfDay("11:00")), to: try #require(TimeOfDay("13:00")), then: .delay)
        )
        let quiet = try await world.campaigns.drafts.create(draft, app: world.app).id
        let second = try await world.campaigns.previews.dryRun(quiet, app: world.app)
        #expect(second.later == 3 && second.wouldSend == 0)
        #expect(second.samples.first?.at == ServiceWorld.epoch.addingTimeInterval(3_600))
    }

    @Test("CAMP-7: a test send reaches the named devices before the launch, and is in no ledger")
    func testSend() async throws {
        let (world, draft) = try await Self.world()
        world.transport.answer("token2", .badDeviceToken)
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let names = try [1, 2, 4].map { try ServiceWorld.client($0).rawValue }
        let results = try await world.campaigns.tests.test(id, devices: names, app: world.app)
        let byDevice = Dictionary(uniqueKeysWithValues: results.map { ($0.device, $0) })
        #expect(byDevice[names[0]]?.state == .accepted)
        #expect(byDevice[names[1]]?.state == .rejected && byDevice[names[1]]?.reason?.rawValue == "BadDeviceToken")
        #expect(byDevice[names[2]]?.state == .suppressed && byDevice[names[2]]?.reason?.rawValue == "optedOut:user")
        #expect(results.allSatisfy { $0.sentence.hasSuffix(".") })
        #expect(try await world.counts(id).audience == 0)
        // Its id names no campaign: what a device reports of it counts nowhere.
        let sid = try #require(world.transport.requests(for: "token1").first?.apnsID)
        #expect(try #require(MessageID(sid)).campaign == nil)
        // The campaign itself still goes to everybody.
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
        // The result for the token is stored.
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.reason?.rawValue == "optedOut:token-malformed")
    }

    @Test(
        "ADM-3, CAMP-7: a draft that a new attribute type made invalid is refused with the field, as at its launch"
    )
    func changedType() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let draft = ServiceWorld.draft(audience: .attribute("city", .equal("Paris")))
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        try await world.apps.defineAttribute("city", type: .date, app: world.app)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await world.campaigns.previews.preview(id, devices: nil, limit: 1, app: world.app) },
            { _ = try await world.campaigns.previews.dryRun(id, app: world.app) },
            { _ = try await world.campaigns.life.launch(id, app: world.app) },
        ]
        for call in calls {
            #expect(await errorCode { try await call() } != nil)
            await #expect(throws: ServiceError.self) { try await call() }
        }
    }

    @Test("CAMP-7, PUSH-1: a test send with an expired provider token fails, and the next one has a new token")
    func renewal() async throws {
        let (world, draft) = try await Self.world()
        let campaigns = world.campaigns
        let id = try await campaigns.drafts.create(draft, app: world.app).id
        func send() async throws -> DeliveryState? {
            let devices = [try ServiceWorld.client(1).rawValue]
            return try await campaigns.tests.test(id, devices: devices, app: world.app).first?.state
        }
        #expect(try await send() == .accepted)
        // Half an hour later it is older than APNs, by its own clock, accepts.
        world.clock.advance(by: 1_800)
        world.transport.answer("token1", .expiredProviderToken, .accepted)
        #expect(try await send() == .rejected)
        #expect(try await send() == .accepted)
        let tokens = world.transport.requests.map(\.authorization)
        #expect(tokens.count == 3 && tokens[0] == tokens[1] && tokens[1] != tokens[2])
    }

    @Test("CAMP-7: a campaign that is over cannot be tested any more", arguments: [true, false])
    func afterTheEnd(_ isCancelled: Bool) async throws {
        let (world, draft) = try await Self.world()
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        _ = try await world.campaigns.life.launch(id, app: world.app)
        if isCancelled { _ = try await world.campaigns.life.cancel(id, app: world.app) }
        try await world.sendToTheEnd()
        let sent = world.transport.requests.count
        await #expect(throws: ServiceError.self) {
            _ = try await world.campaigns.tests.test(id, devices: [ServiceWorld.client(1).rawValue], app: world.app)
        }
        #expect(world.transport.requests.count == sent)
    }
}
