import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("CON-5: the versions of a campaign")
struct CampaignVersionTests {
    private static let inApp = CampaignDraft(
        name: "News", kind: .inApp, audience: .everyone,
        inApp: InAppDraft(
            type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "Hi")
        )
    )

    private static func saying(_ title: String) -> CampaignDraft {
        var draft = inApp
        draft.inApp?.content.title = title
        return draft
    }

    @Test("CON-5: each saved edit is a version with its author and its time; an edit that changes nothing is none")
    func history() async throws {
        let world = try await ServiceWorld()
        let (campaigns, app) = (world.campaigns, world.app)
        let first = ServiceWorld.draft(name: "One")
        let id = try await campaigns.drafts.create(first, by: ServiceWorld.anna, app: app).id
        world.clock.advance(by: 60)
        let second = ServiceWorld.draft(name: "Two")
        _ = try await campaigns.drafts.update(id, with: second, by: ServiceWorld.bert, app: app)
        _ = try await campaigns.drafts.update(id, with: second, by: ServiceWorld.anna, app: app)
        world.clock.advance(by: 60)
        let third = ServiceWorld.draft(name: "Three")
        _ = try await campaigns.drafts.save(
            id, as: third, from: try DraftVersion(second), by: ServiceWorld.anna, app: app
        )
        let versions = try await world.versions.list(of: id, app: app, before: nil, limit: 9)
        #expect(versions.map(\.number) == [3, 2, 1])
        #expect(versions.map(\.author?.author) == [ServiceWorld.anna, ServiceWorld.bert, ServiceWorld.anna])
        let start = ServiceWorld.epoch
        #expect(versions.map { $0.savedAt.timeIntervalSince(start) } == [120, 60, 0])
        #expect(try await world.versions.find(2, of: id, app: app).draft == second)
        // Pausing and the like is no edit.
        _ = try await campaigns.life.launch(id, app: app)
        _ = try await campaigns.life.pause(id, app: app)
        #expect(try await world.versions.list(of: id, app: app, before: nil, limit: 9).count == 3)
        let copy = try await campaigns.drafts.duplicate(id, by: ServiceWorld.bert, app: app).id
        #expect(try await world.versions.list(of: copy, app: app, before: nil, limit: 9).map(\.number) == [1])
    }

    @Test("CON-5: an edit of bytes alone is saved, and a version: one text to Swift is two to an address")
    func bytes() async throws {
        let world = try await ServiceWorld()
        let (drafts, app) = (world.campaigns.drafts, world.app)
        let names = ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}"]
        let id = try await drafts.create(ServiceWorld.draft(name: names[0]), by: ServiceWorld.anna, app: app).id
        var seen = try DraftVersion(ServiceWorld.draft(name: names[0]))
        _ = try await drafts.update(id, with: ServiceWorld.draft(name: names[1]), by: ServiceWorld.anna, app: app)
        let stored = try await world.campaign(id).draft
        #expect(Array(stored.name.utf8) == Array(names[1].utf8))
        #expect(try DraftVersion(stored) != seen)
        seen = try DraftVersion(stored)
        _ = try await drafts.save(
            id, as: ServiceWorld.draft(name: names[2]), from: seen, by: ServiceWorld.bert, app: app
        )
        #expect(Array(try await world.campaign(id).draft.name.utf8) == Array(names[2].utf8))
        let versions = try await world.versions.list(of: id, app: app, before: nil, limit: 9)
        #expect(versions.map(\.author?.author) == [ServiceWorld.bert, ServiceWorld.anna, ServiceWorld.anna])
        for (index, name) in names.enumerated() {
            let number = Int64(index) + 1
            let said = try await world.versions.find(number, of: id, app: app).draft.name
            #expect(Array(said.utf8) == Array(name.utf8), "version \(number)")
        }
    }

    @Test("CON-5: whoever saves what nobody knows the author of answers for it from then on")
    func unknownAuthor() async throws {
        let world = try await ServiceWorld()
        let draft = ServiceWorld.draft()
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        #expect(try await world.versions.find(1, of: id, app: world.app).version.author == nil)
        for author in [ServiceWorld.anna, ServiceWorld.bert] {
            _ = try await world.campaigns.drafts.update(id, with: draft, by: author, app: world.app)
        }
        let versions = try await world.versions.list(of: id, app: world.app, before: nil, limit: 9)
        #expect(versions.map(\.author?.author) == [ServiceWorld.anna, nil])
    }

    @Test("CON-5: two people who edit one draft see each other's change, and no version is lost")
    func race() async throws {
        let world = try await ServiceWorld()
        let draft = ServiceWorld.draft()
        let id = try await world.campaigns.drafts.create(draft, by: ServiceWorld.anna, app: world.app).id
        let version = try DraftVersion(draft)
        let codes = await withTaskGroup(of: String?.self) { group in
            for number in 1...4 {
                group.addTask {
                    await errorCode {
                        try await world.campaigns.drafts.save(
                            id, as: ServiceWorld.draft(name: "Edit \(number)"), from: version,
                            by: .key("editor \(number)"), app: world.app
                        )
                    }
                }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(codes.filter { $0 == nil }.count == 1 && codes.filter { $0 == "draftChanged" }.count == 3)
        let versions = try await world.versions.list(of: id, app: world.app, before: nil, limit: 9)
        #expect(versions.count == 2)
        let present = try await world.campaign(id).draft
        #expect(try await world.versions.find(2, of: id, app: world.app).draft == present)
        guard case .key(let editor)? = versions[0].author?.author else {
            Issue.record("the second version has no editor")
            return
        }
        #expect(present.name == editor.replacing("editor", with: "Edit"))
    }

    @Test("CON-5: a version of a draft is restored as a new version, from what the editor has seen")
    func restore() async throws {
        let world = try await ServiceWorld()
        let (first, second) = (ServiceWorld.draft(name: "One"), ServiceWorld.draft(name: "Two"))
        let id = try await world.campaigns.drafts.create(first, by: ServiceWorld.anna, app: world.app).id
        _ = try await world.campaigns.drafts.update(id, with: second, by: ServiceWorld.anna, app: world.app)
        let stale = try DraftVersion(first)
        #expect(
            await errorCode {
                try await world.versions.restore(1, of: id, from: stale, by: ServiceWorld.bert, app: world.app)
            } == "draftChanged"
        )
        let restored = try await world.versions.restore(
            1, of: id, from: try DraftVersion(second), by: ServiceWorld.bert, app: world.app
        )
        #expect(restored.draft == first)
        let versions = try await world.versions.list(of: id, app: world.app, before: nil, limit: 9)
        #expect(versions.map(\.number) == [3, 2, 1] && versions[0].author?.author == ServiceWorld.bert)
        #expect(
            await errorCode {
                try await world.versions.restore(9, of: id, by: ServiceWorld.bert, app: world.app)
            } == "notFound"
        )
        _ = try await world.campaigns.life.launch(id, app: world.app)
        #expect(
            await errorCode {
                try await world.versions.restore(2, of: id, by: ServiceWorld.bert, app: world.app)
            } == "noDraft"
        )
    }

    @Test("CON-5, IAM-4: an edit of a launched in-app message is a version, too; one may wait to be published")
    func proposals() async throws {
        let world = try await ServiceWorld()
        let (campaigns, versions, app) = (world.campaigns, world.versions, world.app)
        let id = try await campaigns.drafts.create(Self.saying("One"), by: ServiceWorld.anna, app: app).id
        #expect(
            await errorCode {
                try await versions.propose(Self.saying("Two"), of: id, by: ServiceWorld.anna, app: app)
            } == "conflict"
        )
        _ = try await campaigns.life.launch(id, app: app)
        _ = try await campaigns.drafts.update(id, with: Self.saying("Two"), by: ServiceWorld.anna, app: app)
        let third = try await versions.propose(Self.saying("Three"), of: id, by: ServiceWorld.bert, app: app)
        #expect(third.number == 3 && !third.isPublished)
        #expect(try await world.campaign(id).draft == Self.saying("Two"))
        let fourth = try await versions.propose(
            Self.saying("Four"), of: id, resetDisplays: true, by: ServiceWorld.bert, app: app
        )
        #expect(
            await errorCode {
                try await versions.publish(3, of: id, by: ServiceWorld.anna, app: app)
            } == "outdatedVersion"
        )
        let published = try await versions.publish(fourth.number, of: id, by: ServiceWorld.anna, app: app)
        #expect(published.draft == Self.saying("Four") && published.inAppVersion == 3 && published.displayEpoch == 3)
        let listed = try await versions.list(of: id, app: app, before: nil, limit: 9)
        #expect(listed.map(\.number) == [4, 3, 2, 1] && listed.map(\.isPublished) == [true, false, true, true])
        #expect(listed[0].author?.author == ServiceWorld.bert)
        // Published once is published.
        #expect(try await versions.publish(4, of: id, by: ServiceWorld.anna, app: app) == published)
    }

    @Test("CON-5: a change that says what the message says already waits no more once it is published")
    func sameProposal() async throws {
        let world = try await ServiceWorld()
        let id = try await world.campaigns.drafts.create(Self.saying("One"), by: ServiceWorld.anna, app: world.app).id
        let launched = try await world.campaigns.life.launch(id, app: world.app)
        let version = try await world.versions.propose(
            Self.saying("One"), of: id, by: ServiceWorld.bert, app: world.app
        )
        #expect(try await world.versions.publish(version.number, of: id, by: nil, app: world.app) == launched)
        #expect(try await world.versions.find(2, of: id, app: world.app).version.isPublished)
    }

    @Test("CON-5: a campaign of another app has no versions to see")
    func foreign() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        #expect(
            await errorCode { try await world.versions.list(of: id, app: other, before: nil, limit: 9) } == "notFound"
        )
        #expect(await errorCode { try await world.versions.find(1, of: id, app: other) } == "notFound")
        #expect(await errorCode { try await world.versions.compare(1, with: nil, of: id, app: other) } == "notFound")
        #expect(await errorCode { try await world.reviews.approval(of: id, app: other) } == "notFound")
        #expect(
            await errorCode {
                try await world.reviews.comment("Hi", on: id, by: ServiceWorld.anna, app: other)
            } == "notFound")
    }

    @Test("ADM-4: an erased person's name is gone from every version, and an approval of them still counts")
    func erasure() async throws {
        let world = try await ServiceWorld()
        let contacts = ContactService(database: world.database, environment: world.environment)
        let app = world.app.id
        try await world.database.write { connection in
            _ = try connection.contacts.findOrInsert(app: app, key: "ann", known: true, now: ServiceWorld.epoch)
        }
        let named = ServiceWorld.draft(audience: .contactKeys(["ann", "bob"]))
        let gone = try await world.campaigns.drafts.create(named, by: ServiceWorld.anna, app: world.app).id
        _ = try await world.campaigns.drafts.update(
            gone, with: ServiceWorld.draft(), by: ServiceWorld.anna, app: world.app)
        let present = try await world.campaigns.drafts.create(named, by: ServiceWorld.anna, app: world.app).id
        try await world.askForApprovals()
        try await world.approve(present, by: ServiceWorld.bert)
        _ = try await contacts.erase("ann", app: world.app)
        for id in [gone, present] {
            let audience = try await world.versions.find(1, of: id, app: world.app).draft.audience
            #expect(audience == .contactKeys(["bob"]))
        }
        #expect(try await world.campaigns.life.launch(present, app: world.app).status == .sending)
    }
}
