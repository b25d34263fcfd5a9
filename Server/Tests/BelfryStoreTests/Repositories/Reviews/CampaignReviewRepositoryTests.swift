import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@Suite("CON-5: versions, approvals and comments in the store")
struct CampaignReviewRepositoryTests {
    private static func draft(_ name: String, _ audience: Condition = .everyone) -> CampaignDraft {
        CampaignDraft(name: name, kind: .push, audience: audience, push: PushContent(title: name, body: "B"))
    }

    @Test("CON-5: versions are numbered, name their author, and are read newest first", arguments: Engine.allCases)
    func versions(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (id, anna) = try await store.write { connection in
            let id = try connection.makeCampaign(.draft, app: 1)
            let anna = try connection.users.insert(
                name: "anna", displayName: "Anna", password: nil, isOperator: false, now: storeEpoch
            )
            let versions = connection.campaignVersions
            for (number, author) in [Author.user(anna), .key("key-7"), nil].enumerated() {
                let made = try versions.insert(
                    Self.draft("V\(number + 1)"), of: id, app: 1, by: author, isPublished: number < 2,
                    resetsDisplays: number == 2, now: seconds(Double(number))
                )
                #expect(made == Int64(number + 1))
            }
            return (id, anna)
        }
        let found = try await store.read { try $0.campaignVersions.list(of: id, before: nil, limit: 9) }
        #expect(found.map(\.number) == [3, 2, 1] && found.map(\.isPublished) == [false, true, true])
        #expect(found.map(\.resetsDisplays) == [true, false, false] && found[2].savedAt == storeEpoch)
        #expect(found[0].author == nil && found[1].author == NamedAuthor(.key("key-7")))
        #expect(found[2].author == NamedAuthor(.user(anna), userName: "anna", displayName: "Anna"))
        #expect(try await store.read { try $0.campaignVersions.list(of: id, before: 3, limit: 1).map(\.number) } == [2])
        #expect(try await store.read { try $0.campaignVersions.content(2, of: id) } == Self.draft("V2"))
        #expect(try await store.read { try $0.campaignVersions.content(4, of: id) } == nil)
        // A person who is removed leaves a number that means nobody any more.
        try await store.write { connection in
            try connection.campaignVersions.publish(3, of: id)
            try connection.users.delete(anna)
        }
        let later = try await store.read { try $0.campaignVersions.list(of: id, before: nil, limit: 9) }
        #expect(later[0].isPublished && later[2].author == NamedAuthor(.user(anna)))
    }

    @Test(
        "CON-5: only so many versions of a campaign are kept, and what it says among them", arguments: Engine.allCases)
    func bound(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let kept = CampaignVersionRepository.maximumKept
        let numbers = try await store.write { connection in
            let id = try connection.makeCampaign(.active, app: 1)
            let other = try connection.makeCampaign(.draft, app: 1)
            for number in 0..<kept + 5 {
                for campaign in number < 3 ? [id, other] : [id] {
                    try connection.campaignVersions.insert(
                        Self.draft("V"), of: campaign, app: 1, by: .key("root"), isPublished: number == 0,
                        resetsDisplays: false, now: storeEpoch
                    )
                }
            }
            #expect(try connection.campaignVersions.list(of: other, before: nil, limit: 9).count == 3)
            return try connection.campaignVersions.list(of: id, before: nil, limit: 2 * kept).map(\.number)
        }
        #expect(numbers == Array((6...Int64(kept + 5)).reversed()) + [1])
    }

    @Test(
        "ADM-4: versions that name people are found and rewritten, whatever the campaign says",
        arguments: Engine.allCases)
    func people(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (id, contents) = try await store.write { connection in
            let id = try connection.makeCampaign(.draft, app: 1)
            _ = try connection.makeCampaign(.draft, app: 1)
            for audience in [Condition.contactKeys(["anna", "bert"]), .everyone, .deviceIDs(["d"])] {
                try connection.campaignVersions.insert(
                    Self.draft("V", audience), of: id, app: 1, by: nil, isPublished: true, resetsDisplays: false,
                    now: storeEpoch
                )
            }
            #expect(try connection.campaigns.namingPeople(app: 1, after: 0, limit: 9) == [id])
            #expect(try connection.campaigns.namingPeople(app: 2, after: 0, limit: 9) == [])
            #expect(try connection.campaignVersions.peopleNaming(of: id) { number, _ in number }.count == 2)
            try connection.campaignVersions.rewrite(of: id) { draft in
                guard draft.audience != .deviceIDs(["d"]) else { return nil }
                return Self.draft("V")
            }
            return (id, try (1...3).map { try connection.campaignVersions.content($0, of: id)?.audience })
        }
        #expect(contents == [.everyone, .everyone, .deviceIDs(["d"])])
        let left = try await store.read { connection in
            try connection.campaignVersions.peopleNaming(of: id) { number, _ in number }
        }
        #expect(left == [3])
    }

    @Test("CON-5: of decisions the newest is found, for one campaign and for a list", arguments: Engine.allCases)
    func approvals(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (one, two, three) = try await store.write { connection in
            let ids = try (0..<3).map { _ in try connection.makeCampaign(.draft, app: 1) }
            let approvals = connection.campaignApprovals
            try approvals.insert(
                .requested, version: 1, of: ids[0], rehearsal: nil, reason: nil, by: .key("key-7"), now: storeEpoch
            )
            try approvals.insert(
                .rejected, version: 1, of: ids[0], rehearsal: 7, reason: "Too long", by: .key("root"), now: seconds(1)
            )
            try approvals.insert(
                .approved, version: 3, of: ids[1], rehearsal: 8, reason: nil, by: .key("root"), now: seconds(2)
            )
            for id in ids.prefix(2) {
                try connection.campaignVersions.insert(
                    Self.draft("V"), of: id, app: 1, by: nil, isPublished: true, resetsDisplays: false, now: storeEpoch
                )
            }
            return (ids[0], ids[1], ids[2])
        }
        let listed = try await store.read { try $0.campaignApprovals.list(of: one, limit: 9) }
        #expect(listed.map(\.decision) == [.rejected, .requested] && listed.first?.reason == "Too long")
        #expect(listed.first?.rehearsal == 7 && listed.first?.author == NamedAuthor(.key("root")))
        #expect(try await store.read { try $0.campaignApprovals.count(of: one) } == 2)
        let numbers = [one, two, three].map(\.number)
        let newest = try await store.read { try $0.campaignApprovals.newest(of: numbers) }
        #expect(newest[one.number]?.decision == .rejected && newest[two.number]?.decision == .approved)
        #expect(newest[two.number]?.version == 3 && newest[three.number] == nil)
        let versions = try await store.read { try $0.campaignVersions.newest(of: numbers) }
        #expect(versions == [one.number: 1, two.number: 1])
    }

    @Test("CON-5: comments go with their author and with their campaign", arguments: Engine.allCases)
    func comments(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let (id, other) = (try connection.makeCampaign(.draft, app: 1), try connection.makeCampaign(.draft, app: 1))
            let anna = try connection.users.insert(
                name: "anna", displayName: "Anna", password: nil, isOperator: false, now: storeEpoch
            )
            let comments = connection.campaignComments
            let first = try comments.insert("One", on: id, by: .user(anna), now: storeEpoch)
            let second = try comments.insert("Two", on: id, by: .key("key-7"), now: seconds(1))
            let third = try comments.insert("Three", on: other, by: .user(anna), now: seconds(2))
            #expect(first.author.displayName == "Anna" && second.author == NamedAuthor(.key("key-7")))
            #expect(try comments.list(on: id, before: nil, limit: 9) == [second, first])
            #expect(try comments.list(on: id, before: second.id, limit: 9) == [first])
            #expect(try comments.find(third.id, on: id) == nil && comments.count(on: id) == 2)
            try connection.users.delete(anna)
            #expect(try comments.list(on: id, before: nil, limit: 9) == [second])
            #expect(try comments.list(on: other, before: nil, limit: 9) == [])
            try comments.delete(second.id)
            #expect(try comments.count(on: id) == 0)
        }
    }

    @Test(
        "CON-5: a draft that is deleted takes all of it along; a campaign that was launched keeps it",
        arguments: Engine.allCases)
    func deletion(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let counts = try await store.write { connection in
            try [CampaignStatus.draft, .sending].map { status in
                let id = try connection.makeCampaign(status, app: 1)
                try connection.campaignVersions.insert(
                    Self.draft("V"), of: id, app: 1, by: nil, isPublished: true, resetsDisplays: false, now: storeEpoch
                )
                _ = try connection.campaignComments.insert("One", on: id, by: .key("root"), now: storeEpoch)
                try connection.campaignApprovals.insert(
                    .requested, version: 1, of: id, rehearsal: nil, reason: nil, by: .key("root"), now: storeEpoch
                )
                try connection.campaigns.delete(id)
                return try connection.campaignVersions.list(of: id, before: nil, limit: 9).count
                    + connection.campaignComments.count(on: id) + connection.campaignApprovals.count(of: id)
            }
        }
        #expect(counts == [0, 3])
    }

    @Test(
        "STO-1, CON-5: campaigns of an older database have a first version, of which nobody knows the author",
        arguments: Engine.allCases)
    func migration(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let draft = Self.draft("Sale", .contactKeys(["anna"]))
        try await store.write { connection in
            try connection.goBack(to: 20, engine)
            try connection.execute(
                """
                INSERT INTO campaigns (app_id, name, kind, content, status, created_at, planned_to, plan_end, planned)
                VALUES (1, 'Sale', 'push', ?, 'draft', ?, 0, 0, 0)
                """,
                [.text(try JSONText.encode(draft)), .date(storeEpoch)]
            )
        }
        let found = try await store.reopened { connection in
            let id = try campaign(1)
            return (
                try connection.campaignVersions.newest(of: id), try connection.campaignVersions.content(1, of: id),
                try connection.campaignVersions.peopleNaming(of: id) { number, _ in number }.count
            )
        }
        #expect(found.0?.number == 1 && found.0?.author == nil && found.0?.isPublished == true)
        #expect(found.0?.savedAt == storeEpoch && found.1 == draft && found.2 == 1)
    }

    @Test("ADM-7: campaigns of one status are listed newest first, without deleted ones", arguments: Engine.allCases)
    func statuses(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (drafts, sending) = try await store.write { connection in
            let drafts = try (0..<3).map { _ in try connection.makeCampaign(.draft, app: 1) }
            let sending = try connection.makeCampaign(.sending, app: 1)
            _ = try connection.makeCampaign(.draft, app: 2)
            if var gone = try connection.campaigns.find(drafts[1]) {
                gone.campaign.deletedAt = storeEpoch
                try connection.campaigns.save(gone)
            }
            return (drafts, sending)
        }
        func list(_ status: CampaignStatus, _ cursor: Int64?) async throws -> [CampaignID] {
            try await store.read { try $0.campaigns.list(app: 1, status: status, before: cursor, limit: 9).map(\.id) }
        }
        #expect(try await list(.draft, nil) == [drafts[2], drafts[0]])
        #expect(try await list(.draft, drafts[2].number) == [drafts[0]])
        #expect(try await list(.sending, nil) == [sending])
        #expect(try await list(.paused, nil) == [])
    }
}
