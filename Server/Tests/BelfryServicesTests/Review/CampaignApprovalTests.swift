import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("CON-5: approval by a second person")
struct CampaignApprovalTests {
    private static let inApp = CampaignDraft(
        name: "News", kind: .inApp, audience: .everyone,
        inApp: InAppDraft(
            type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "Hi")
        )
    )

    private static var edited: CampaignDraft {
        var draft = inApp
        draft.inApp?.content.title = "New"
        return draft
    }

    @Test("CON-5: nobody is asked for an approval unless the app asks for one")
    func off() async throws {
        let world = try await ServiceWorld()
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), by: ServiceWorld.anna, app: world.app).id
        #expect(try await world.reviews.approval(of: id, app: world.app).isRequired == false)
        #expect(try await world.campaigns.life.launch(id, app: world.app).status == .sending)
    }

    @Test("CON-5: without the approval of a second person a launch is a conflict, and with it none")
    func launch() async throws {
        let world = try await ServiceWorld()
        try await world.askForApprovals()
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), by: ServiceWorld.anna, app: world.app).id
        #expect(await errorCode { try await world.campaigns.life.launch(id, app: world.app) } == "approvalRequired")
        #expect(try await world.campaign(id).status == .draft)
        try await world.reviews.decide(
            .requested, version: 1, rehearsal: nil, reason: nil, on: id, by: ServiceWorld.anna, app: world.app
        )
        #expect(await errorCode { try await world.campaigns.life.launch(id, app: world.app) } == "approvalRequired")
        try await world.approve(id, by: ServiceWorld.bert)
        let approval = try await world.reviews.approval(of: id, app: world.app)
        #expect(approval.status == .approved && approval.isRequired && approval.isOpen)
        #expect(approval.decisions.map(\.decision) == [.approved, .requested])
        #expect(try await world.campaigns.life.launch(id, app: world.app).status == .sending)
        #expect(try await world.reviews.approval(of: id, app: world.app).isOpen == false)
        // What was launched goes on after a pause.
        _ = try await world.campaigns.life.pause(id, app: world.app)
        #expect(try await world.campaigns.life.resume(id, app: world.app).status == .sending)
    }

    @Test("CON-5: whoever edited a version cannot approve it, by whatever name it was edited before")
    func editors() async throws {
        let world = try await ServiceWorld()
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), by: ServiceWorld.anna, app: world.app).id
        let rehearsal = try await world.rehearse(id, saying: ServiceWorld.draft())
        func approve(_ version: Int64, _ author: Author) async -> String? {
            await errorCode {
                try await world.reviews.decide(
                    .approved, version: version, rehearsal: rehearsal, reason: nil, on: id, by: author, app: world.app
                )
            }
        }
        #expect(await approve(1, ServiceWorld.anna) == "ownVersion")
        #expect(await approve(1, .key("root")) == nil)
        // A person and a key of one name are two.
        #expect(await approve(1, .user(1)) == nil)
        let other = ServiceWorld.draft(name: "Other")
        _ = try await world.campaigns.drafts.update(id, with: other, by: ServiceWorld.bert, app: world.app)
        #expect(await approve(1, .key("root")) == "outdatedVersion")
        #expect(await approve(2, ServiceWorld.anna) == "otherVersion", "the rehearsal is of the version before")
        let unknown = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        #expect(
            await errorCode {
                try await world.reviews.decide(
                    .approved, version: 1, rehearsal: rehearsal, reason: nil, on: unknown, by: ServiceWorld.anna,
                    app: world.app
                )
            } == "unknownEditor"
        )
    }

    @Test("CON-5: a later edit voids an approval, also one that is made good again")
    func voided() async throws {
        let world = try await ServiceWorld()
        try await world.askForApprovals()
        let draft = ServiceWorld.draft()
        let id = try await world.campaigns.drafts.create(draft, by: ServiceWorld.anna, app: world.app).id
        try await world.approve(id, by: ServiceWorld.bert)
        let other = ServiceWorld.draft(name: "Other")
        _ = try await world.campaigns.drafts.update(id, with: other, by: ServiceWorld.anna, app: world.app)
        #expect(try await world.reviews.approval(of: id, app: world.app).status == .open)
        #expect(await errorCode { try await world.campaigns.life.launch(id, app: world.app) } == "approvalRequired")
        _ = try await world.versions.restore(1, of: id, by: ServiceWorld.bert, app: world.app)
        #expect(await errorCode { try await world.campaigns.life.launch(id, app: world.app) } == "approvalRequired")
        #expect(
            try await world.reviews.approvals(of: [id], app: world.app) == [id: .open]
        )
        // An edit that changes nothing takes nothing away.
        try await world.approve(id, by: ServiceWorld.anna)
        _ = try await world.campaigns.drafts.update(id, with: draft, by: ServiceWorld.bert, app: world.app)
        #expect(try await world.campaigns.life.launch(id, app: world.app).status == .sending)
    }

    @Test("CON-5: an approval refers to a rehearsal of this campaign and this version that is done")
    func rehearsals() async throws {
        let world = try await ServiceWorld()
        let draft = ServiceWorld.draft()
        let id = try await world.campaigns.drafts.create(draft, by: ServiceWorld.anna, app: world.app).id
        let other = try await world.campaigns.drafts.create(draft, by: ServiceWorld.anna, app: world.app).id
        func approve(_ rehearsal: Int64?) async -> String? {
            await errorCode {
                try await world.reviews.decide(
                    .approved, version: 1, rehearsal: rehearsal, reason: nil, on: id, by: ServiceWorld.bert,
                    app: world.app
                )
            }
        }
        #expect(await approve(nil) == "missing")
        #expect(await approve(99) == "unknownRehearsal")
        #expect(await approve(try await world.rehearse(other, saying: draft)) == "unknownRehearsal")
        #expect(await approve(try await world.rehearse(id, saying: ServiceWorld.draft(name: "Old"))) == "otherVersion")
        for status in RehearsalStatus.allCases where status != .done {
            #expect(await approve(try await world.rehearse(id, saying: draft, status: status)) == "notCompleted")
        }
        #expect(try await world.reviews.approval(of: id, app: world.app).rehearsal == nil)
        let good = try await world.rehearse(id, saying: draft)
        #expect(try await world.reviews.approval(of: id, app: world.app).rehearsal == good)
        #expect(await approve(good) == nil)
    }

    @Test("CON-5: a rejection says why, and takes an approval back; the same decision again changes nothing")
    func rejection() async throws {
        let world = try await ServiceWorld()
        try await world.askForApprovals()
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), by: ServiceWorld.anna, app: world.app).id
        try await world.approve(id, by: ServiceWorld.bert)
        func reject(_ reason: String?) async -> String? {
            await errorCode {
                try await world.reviews.decide(
                    .rejected, version: 1, rehearsal: nil, reason: reason, on: id, by: ServiceWorld.bert, app: world.app
                )
            }
        }
        #expect(await reject(nil) == "blank")
        #expect(await reject(" \n ") == "blank")
        #expect(await reject(String(repeating: "x", count: 2_001)) == "invalidLength")
        #expect(await reject("a\u{0}b") == "invalidLength")
        for _ in 0..<2 { #expect(await reject(" Too long. ") == nil) }
        let approval = try await world.reviews.approval(of: id, app: world.app)
        #expect(approval.status == .rejected && approval.decisions.count == 2)
        #expect(approval.decisions[0].reason == "Too long.")
        #expect(await errorCode { try await world.campaigns.life.launch(id, app: world.app) } == "approvalRequired")
    }

    @Test("CON-5, IAM-4: a change of a launched in-app message waits for an approval, and is published with it")
    func inApp() async throws {
        let world = try await ServiceWorld()
        let app = world.app
        let id = try await world.campaigns.drafts.create(Self.inApp, by: ServiceWorld.anna, app: app).id
        _ = try await world.campaigns.life.launch(id, app: app)
        try await world.askForApprovals()
        #expect(
            await errorCode {
                try await world.campaigns.drafts.update(id, with: Self.edited, by: ServiceWorld.anna, app: app)
            } == "approvalRequired"
        )
        #expect(
            await errorCode {
                try await world.campaigns.drafts.update(
                    id, with: Self.inApp, resetDisplays: true, by: ServiceWorld.anna, app: app)
            } == "approvalRequired", "to show it again to everybody is a change, too"
        )
        let present = try await world.campaign(id)
        #expect(present.draft == Self.inApp && present.inAppVersion == 1)
        #expect(
            await errorCode {
                try await world.reviews.decide(
                    .requested, version: 1, rehearsal: nil, reason: nil, on: id, by: ServiceWorld.anna, app: app
                )
            } == "nothingToApprove"
        )
        let version = try await world.versions.propose(Self.edited, of: id, by: ServiceWorld.anna, app: app).number
        func publish() async -> String? {
            await errorCode {
                try await world.versions.publish(version, of: id, by: ServiceWorld.anna, app: app)
            }
        }
        #expect(await publish() == "approvalRequired")
        try await world.approve(id, by: ServiceWorld.bert)
        // The approval is of this change and of no other.
        #expect(
            await errorCode {
                try await world.campaigns.drafts.update(
                    id, with: Self.edited, resetDisplays: true, by: ServiceWorld.anna, app: app)
            } == "approvalRequired"
        )
        #expect(await publish() == nil)
        let published = try await world.campaign(id)
        #expect(published.draft == Self.edited && published.inAppVersion == 2)
        // The same by a plain edit: what is approved may be saved.
        let back = try await world.versions.propose(Self.inApp, of: id, by: ServiceWorld.anna, app: app)
        try await world.approve(id, by: ServiceWorld.bert)
        _ = try await world.campaigns.drafts.update(id, with: Self.inApp, by: ServiceWorld.bert, app: app)
        let listed = try await world.versions.list(of: id, app: app, before: nil, limit: 9)
        #expect(listed.map(\.number) == [3, 2, 1] && listed[0].number == back.number && listed[0].isPublished)
    }

    @Test("CON-5, SEC-7: an approval is of the bytes: what is equal to Swift alone is another change")
    func bytes() async throws {
        let world = try await ServiceWorld()
        let app = world.app
        let id = try await world.campaigns.drafts.create(Self.inApp, by: ServiceWorld.anna, app: app).id
        _ = try await world.campaigns.life.launch(id, app: app)
        try await world.askForApprovals()
        var (approved, other) = (Self.inApp, Self.inApp)
        approved.inApp?.content.title = "5 \u{212A}"
        other.inApp?.content.title = "5 K"
        #expect(approved == other)
        _ = try await world.versions.propose(approved, of: id, by: ServiceWorld.anna, app: app)
        try await world.approve(id, by: ServiceWorld.bert)
        let code = await errorCode { [other] in
            try await world.campaigns.drafts.update(id, with: other, by: ServiceWorld.anna, app: app)
        }
        #expect(code == "approvalRequired")
        let published = try await world.campaigns.drafts.update(id, with: approved, by: ServiceWorld.anna, app: app)
        #expect(published.inAppVersion == 2)
    }

    @Test("CON-5, CON-12: a change that waits is rehearsed by itself, and that rehearsal is what its approval names")
    func realRehearsal() async throws {
        let world = try await ServiceWorld()
        let app = world.app
        try await world.makeFleet(2)
        let id = try await world.campaigns.drafts.create(Self.inApp, by: ServiceWorld.anna, app: app).id
        let first = try await world.rehearse(id)
        #expect(first.status == .done)
        try await world.askForApprovals()
        try await world.reviews.decide(
            .approved, version: 1, rehearsal: first.id, reason: nil, on: id, by: ServiceWorld.bert, app: app
        )
        _ = try await world.campaigns.life.launch(id, app: app)
        #expect(await errorCode { try await world.rehearse(id) } == "notBeforeLaunch")
        _ = try await world.versions.propose(Self.edited, of: id, by: ServiceWorld.anna, app: app)
        let second = try await world.rehearse(id)
        #expect(second.status == .done && second.figures?.audience == 2)
        let expected = try DraftVersion(Self.edited).text
        #expect(second.version == expected && second.version != first.version)
        #expect(
            await errorCode {
                try await world.reviews.decide(
                    .approved, version: 2, rehearsal: first.id, reason: nil, on: id, by: ServiceWorld.bert, app: app
                )
            } == "otherVersion"
        )
        try await world.reviews.decide(
            .approved, version: 2, rehearsal: second.id, reason: nil, on: id, by: ServiceWorld.bert, app: app
        )
        #expect(try await world.versions.publish(2, of: id, by: ServiceWorld.anna, app: app).inAppVersion == 2)
        #expect(await errorCode { try await world.rehearse(id) } == "notBeforeLaunch")
    }

    @Test("CON-5: comments are told newest first, and deleted by their author or an admin")
    func comments() async throws {
        let world = try await ServiceWorld()
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), by: ServiceWorld.anna, app: world.app).id
        func comment(_ text: String) async -> String? {
            await errorCode {
                try await world.reviews.comment(text, on: id, by: ServiceWorld.anna, app: world.app)
            }
        }
        for text in ["", "  \n", String(repeating: "é", count: 2_001), "a\u{0}b", "a\u{1B}[2J"] {
            #expect(await comment(text) == "invalidLength", "\(text.debugDescription.prefix(20))")
        }
        #expect(await comment(String(repeating: "é", count: 2_000)) == nil)
        #expect(await comment(" Two\n\tlines ") == nil)
        let found = try await world.reviews.comments(on: id, app: world.app, before: nil, limit: 9)
        #expect(found.count == 2 && found[0].text == "Two\n\tlines")
        func delete(_ comment: Int64, _ author: Author, isAdmin: Bool = false) async -> String? {
            await errorCode {
                try await world.reviews.deleteComment(
                    comment, on: id, by: author, isAdmin: isAdmin, app: world.app
                )
            }
        }
        #expect(await delete(found[0].id, ServiceWorld.bert) == "forbidden")
        #expect(await delete(found[0].id, ServiceWorld.anna) == nil)
        #expect(await delete(found[0].id, ServiceWorld.anna) == "notFound")
        #expect(await delete(found[1].id, ServiceWorld.bert, isAdmin: true) == nil)
    }
}
