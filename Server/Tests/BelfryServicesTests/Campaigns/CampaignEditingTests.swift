import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("CON-5, CON-7: what the console asks of campaigns")
struct CampaignEditingTests {
    @Test("CON-5: a draft is saved from the version that somebody has seen, and from no other")
    func versions() async throws {
        let world = try await ServiceWorld()
        let first = ServiceWorld.draft(name: "First")
        let id = try await world.campaigns.drafts.create(first, app: world.app).id
        let version = try DraftVersion(first)
        let stored = try await world.campaign(id).draft
        #expect(try DraftVersion(stored) == version)
        let second = ServiceWorld.draft(name: "Second")
        #expect(try await world.campaigns.drafts.save(id, as: second, from: version, app: world.app).draft == second)
        await #expect(throws: ServiceError.self) {
            _ = try await world.campaigns.drafts.save(id, as: first, from: version, app: world.app)
        }
        #expect(try await world.campaign(id).draft == second)
        let blank = ServiceWorld.draft(push: PushContent(title: "", body: "B"))
        await #expect(throws: ServiceError.self) {
            _ = try await world.campaigns.drafts.save(id, as: blank, from: try DraftVersion(second), app: world.app)
        }
        _ = try await world.campaigns.life.launch(id, app: world.app)
        await #expect(throws: ServiceError.self) {
            _ = try await world.campaigns.drafts.save(id, as: first, from: try DraftVersion(second), app: world.app)
        }
        #expect(try await world.campaign(id).draft == second)
    }

    @Test("CON-5: of two edits from the same version exactly one is saved")
    func race() async throws {
        let world = try await ServiceWorld()
        let draft = ServiceWorld.draft()
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let version = try DraftVersion(draft)
        let saved = await withTaskGroup(of: Bool.self) { group in
            for number in 1...4 {
                group.addTask {
                    let edit = ServiceWorld.draft(name: "Edit \(number)")
                    return (try? await world.campaigns.drafts.save(id, as: edit, from: version, app: world.app)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(saved == 1)
    }

    @Test("CON-5: a draft is launched from the version that somebody has seen, and from no other")
    func launchedVersion() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let (first, second) = (ServiceWorld.draft(name: "First"), ServiceWorld.draft(name: "Second"))
        let (seen, present) = (try DraftVersion(first), try DraftVersion(second))
        let id = try await world.campaigns.drafts.create(first, app: world.app).id
        _ = try await world.campaigns.drafts.save(id, as: second, from: seen, app: world.app)
        let code = await errorCode { try await world.campaigns.life.launch(id, from: seen, app: world.app) }
        #expect(code == "draftChanged")
        let campaign = try await world.campaign(id)
        #expect(campaign.status == .draft && campaign.launchedAt == nil)
        try await world.sendToTheEnd()
        #expect(world.transport.requests.isEmpty)
        let launched = try await world.campaigns.life.launch(id, from: present, app: world.app)
        #expect(launched.status == .sending && launched.draft == second)
        // Launched twice is launched once.
        #expect(try await world.campaigns.life.launch(id, from: present, app: world.app) == launched)
    }

    @Test("CON-5: of an edit and a launch from the same version exactly one is done, and nothing unseen is launched")
    func launchRace() async throws {
        let world = try await ServiceWorld()
        let (first, second) = (ServiceWorld.draft(name: "First"), ServiceWorld.draft(name: "Second"))
        let seen = try DraftVersion(first)
        for _ in 1...20 {
            let id = try await world.campaigns.drafts.create(first, app: world.app).id
            async let edit = try? await world.campaigns.drafts.save(id, as: second, from: seen, app: world.app)
            async let launch = try? await world.campaigns.life.launch(id, from: seen, app: world.app)
            let (edited, launched) = await (edit, launch)
            #expect((edited == nil) != (launched == nil))
            let campaign = try await world.campaign(id)
            #expect(campaign.status == .draft ? campaign.draft == second : campaign.draft == first)
        }
    }

    @Test("CON-5: a copy says the same, but for times that have passed")
    func duplicate() async throws {
        let world = try await ServiceWorld()
        let soon = world.clock.now.addingTimeInterval(60)
        let draft = ServiceWorld.draft(
            audience: .tag("a"), name: String(repeating: "n", count: 200),
            schedule: CampaignSchedule(at: soon, ratePerSecond: 5)
        )
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        #expect(try await world.campaigns.drafts.duplicate(id, app: world.app).draft.schedule?.at == soon)
        world.clock.advance(by: 120)
        let copy = try await world.campaigns.drafts.duplicate(id, app: world.app)
        #expect(copy.id != id && copy.status == .draft && copy.draft.name.hasPrefix("Copy of n"))
        #expect(copy.draft.schedule == CampaignSchedule(ratePerSecond: 5))
        #expect(copy.draft.audience == draft.audience && copy.draft.push == draft.push)
    }

    @Test("CON-7, LED-3: outcomes add up to the same figures as the report, and the largest comes first")
    func outcomes() async throws {
        let world = try await ServiceWorld()
        let fleet = try await world.makeFleet(6)
        let app = world.app.id
        try await world.database.write { connection in
            for client in fleet.prefix(2) {
                try connection.execute(
                    "UPDATE devices SET push_token = NULL, push_provider = NULL WHERE client_id = ?",
                    [.text(client.rawValue)]
                )
            }
            try connection.audiences.rebuild(app: app)
        }
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let standing = try await world.campaigns.queries.standing(id, app: world.app)
        let report = try await world.campaigns.queries.report(id, app: world.app)
        #expect(standing.report == report)
        #expect(standing.isOver && standing.isPlanned)
        #expect(
            standing.outcomes == [
                DeliveryOutcome(state: .accepted, reason: nil, count: 4),
                DeliveryOutcome(state: .suppressed, reason: .noToken, count: 2),
            ]
        )
    }

    @Test("CON-7: who follows a campaign hears each change once, and that it is over")
    func follow() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let id = try await world.launch()
        let follower = world.campaigns.queries.follow(id, app: world.app)
        #expect(try await follower.next()?.isOver == false)
        try await world.sendToTheEnd()
        async let last = follower.next()
        await world.clock.asleep(atLeast: 1)
        world.clock.advance(by: 10)
        let news = try await last
        #expect(news?.isOver == true)
        #expect(try await follower.next() == nil)
    }

    @Test("CON-5: a sample shows templates with an invented person's values, and says what is wrong with them")
    func sample() async throws {
        let world = try await ServiceWorld()
        let push = PushContent(title: "Hello {{firstName}}", body: "{{visits}} of {{contact.key}}")
        let schema: [String: AttributeType] = ["firstName": .string, "visits": .number]
        let shown = await world.campaigns.draftPreviews.sample(of: push, schema: schema)
        #expect(shown.problem == nil)
        #expect(shown.content.title == "Hello Ann" && shown.content.body == "3 of ann@example.com")
        let wrong = await world.campaigns.draftPreviews.sample(of: push, schema: [:])
        #expect(wrong.content == push && wrong.problem?.contains("firstName") == true)
    }
}
