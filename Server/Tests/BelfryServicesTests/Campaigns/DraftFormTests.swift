import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("CON-5: a form for a new draft, as the services take it")
struct DraftFormTests {
    private static func key(_ text: String = "k", of name: String = "user:ann") throws -> FormKey {
        let principal = AdminPrincipal(name: name, app: nil, scopes: [.campaign])
        let line = FormKey.Line("campaign.create", app: try AppCode("shop"))
        return try #require(FormKey(text, of: principal, audit: line))
    }

    @Test("CON-5, ADM-1: of calls with one key at once one makes the draft and its audit entry; the others find it")
    func race() async throws {
        let world = try await ServiceWorld()
        let key = try Self.key()
        let made: [CampaignDrafts.Submission] = try await withThrowingTaskGroup(
            of: CampaignDrafts.Submission.self
        ) { group in
            for _ in 1...6 {
                group.addTask {
                    try await world.campaigns.drafts.create(
                        ServiceWorld.draft(), once: key, by: .key("root"), app: world.app
                    )
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let firsts = made.compactMap { submission -> CampaignID? in
            if case .made(let id) = submission { id } else { nil }
        }
        let id = try #require(firsts.first)
        #expect(firsts.count == 1 && made.filter { $0 == .repeated(id) }.count == 5)
        #expect(try await world.rows("audit_log", where: "action = 'campaign.create' AND actor = 'user:ann'") == 1)
        let list = try await world.campaigns.queries.list(app: world.app, before: nil, limit: 9)
        #expect(list.map(\.id) == [id])
    }

    @Test("CON-5: of copies with one key at once one is made, and the others find it; a comment is made once, too")
    func copies() async throws {
        let world = try await ServiceWorld()
        let (key, drafts, reviews) = (try Self.key(), world.campaigns.drafts, world.reviews)
        let id = try await drafts.create(ServiceWorld.draft(), app: world.app).id
        let made: [CampaignDrafts.Submission] = try await withThrowingTaskGroup(
            of: CampaignDrafts.Submission.self
        ) { group in
            for _ in 1...6 {
                group.addTask { try await drafts.duplicate(id, once: key, by: nil, app: world.app) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let firsts = made.compactMap { submission -> CampaignID? in
            if case .made(let copy) = submission { copy } else { nil }
        }
        let copy = try #require(firsts.first)
        #expect(firsts.count == 1 && made.filter { $0 == .repeated(copy) }.count == 5)
        let list = try await world.campaigns.queries.list(app: world.app, before: nil, limit: 9)
        #expect(list.map(\.id) == [copy, id])

        let comments: [Bool] = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...6 {
                group.addTask {
                    try await reviews.comment("Hi.", once: key, on: id, by: .key("root"), app: world.app).isNew
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(comments.count { $0 } == 1)
        #expect(try await reviews.comments(on: id, app: world.app, before: nil, limit: 9).count == 1)
    }

    @Test("CON-5: a key is of one principal, of one content and for a day; what is refused uses none up")
    func bounds() async throws {
        let world = try await ServiceWorld()
        let drafts = world.campaigns.drafts
        func create(_ draft: CampaignDraft, _ key: FormKey) async throws -> CampaignDrafts.Submission {
            try await drafts.create(draft, once: key, by: nil, app: world.app)
        }
        let key = try Self.key()
        let blank = ServiceWorld.draft(push: PushContent(title: "", body: "B"))
        await #expect(throws: ServiceError.self) { _ = try await create(blank, key) }
        guard case .made(let id) = try await create(ServiceWorld.draft(), key) else {
            Issue.record("It was not made.")
            return
        }
        #expect(try await create(ServiceWorld.draft(name: "Other"), key) == .changed(id))
        let others = [try Self.key("other"), try Self.key(of: "user:ben")]
        for other in others {
            guard case .made = try await create(ServiceWorld.draft(), other) else {
                Issue.record("\(other)")
                continue
            }
        }
        world.clock.advance(by: IdempotencyStore.lifetime - 1)
        #expect(try await create(ServiceWorld.draft(), key) == .repeated(id))
        world.clock.advance(by: 1)
        guard case .made(let later) = try await create(ServiceWorld.draft(), key) else {
            Issue.record("It was not made anew.")
            return
        }
        #expect(later != id)
        #expect(FormKey("", of: AdminPrincipal(name: "a", app: nil, scopes: [])) == nil)
    }

    @Test("CON-5: a draft is deleted from the version that somebody has seen, and nothing else is")
    func deletion() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let (first, second) = (ServiceWorld.draft(name: "First"), ServiceWorld.draft(name: "Second"))
        let (seen, present) = (try DraftVersion(first), try DraftVersion(second))
        let campaigns = world.campaigns
        let id = try await campaigns.drafts.create(first, app: world.app).id
        _ = try await campaigns.drafts.save(id, as: second, from: seen, app: world.app)
        #expect(await errorCode { try await campaigns.life.delete(id, from: seen, app: world.app) } == "draftChanged")
        #expect(try await world.campaign(id).draft == second)
        #expect(try await campaigns.life.delete(id, from: present, app: world.app).draft == second)
        #expect(await errorCode { try await world.campaign(id) } == "notFound")
        let launched = try await campaigns.drafts.create(first, app: world.app).id
        _ = try await campaigns.life.launch(launched, app: world.app)
        try await world.sendToTheEnd()
        let code = await errorCode { try await campaigns.life.delete(launched, from: seen, app: world.app) }
        #expect(code == "noDraft")
        #expect(try await world.campaign(launched).deletedAt == nil)
    }
}
