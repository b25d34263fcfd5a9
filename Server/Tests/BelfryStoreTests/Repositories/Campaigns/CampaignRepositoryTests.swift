import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Testing

struct CampaignRepositoryTests {
    @Test("CAMP-2: a campaign is read back with its content, state and progress", arguments: Engine.allCases)
    func roundTrip(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let draft = CampaignDraft(
            name: "Sale's \"best\"", kind: .push, audience: .all([.tag("a"), .attribute("age", .greater(18))]),
            push: PushContent(title: "Sale", body: "Today", ttlSeconds: 60, custom: ["deal": 7])
        )
        let saved = try await store.write { connection in
            let app = try connection.makeApp()
            let id = try connection.campaigns.insert(draft, app: app, now: storeEpoch)
            guard var row = try connection.campaigns.find(id) else { return nil as CampaignRow? }
            row.campaign.status = .paused
            row.campaign.statusReason = "Paused by an operator."
            row.campaign.launchedAt = seconds(1)
            row.campaign.endedAt = seconds(2)
            row.plannedTo = 10
            row.planEnd = 20
            row.isPlanned = true
            row.retriesFrom = seconds(3)
            row.topicErrorsSince = seconds(4)
            row.watch = "{}"
            try connection.campaigns.save(row)
            return row
        }
        let row = try #require(saved)
        #expect(row.campaign.draft == draft && row.campaign.createdAt == storeEpoch)
        #expect(try await store.read { try $0.campaigns.find(row.id) } == row)
        #expect(try await store.read { try $0.campaigns.find(campaign(row.id.number + 1)) } == nil)
    }

    @Test("ADM-3: campaigns are listed newest first, below the cursor, of one app", arguments: Engine.allCases)
    func list(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let (app, ids) = try await store.write { connection in
            let app = try connection.makeApp()
            let other = try connection.makeApp("other")
            let ids = try (0..<5).map { _ in try connection.makeCampaign(app: app) }
            _ = try connection.makeCampaign(app: other)
            return (app, ids)
        }
        let first = try await store.read { try $0.campaigns.list(app: app, before: nil, limit: 3).map(\.id) }
        #expect(first == [ids[4], ids[3], ids[2]])
        let rest = try await store.read { try $0.campaigns.list(app: app, before: ids[2].number, limit: 3).map(\.id) }
        #expect(rest == [ids[1], ids[0]])
    }

    @Test("ADM-2, SEC-2: a list does not read the campaigns' contents", arguments: Engine.allCases)
    func listed(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let push = try connection.makeCampaign(.sending, app: 1)
            let inApp = try connection.makeInAppCampaign(.paused)
            let names = try [inApp, push].compactMap { try connection.campaigns.find($0)?.campaign.draft.name }
            try connection.execute("UPDATE campaigns SET content = '{'", [])
            let list = try connection.campaigns.list(app: 1, before: nil, limit: 9)
            #expect(list.map(\.id) == [inApp, push] && list.map(\.name) == names)
            #expect(list.map(\.kind) == [.inApp, .push] && list.map(\.status) == [.paused, .sending])
        }
    }

    @Test(
        "CAMP-2: the oldest launched campaign is planned first; drafts and planned ones are not",
        arguments: Engine.allCases)
    func unplanned(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let (ids, found) = try await store.write { connection in
            let app = try connection.makeApp()
            let ids = try (0..<3).map { _ in try connection.makeCampaign(.draft, app: app) }
            var found = [try connection.campaigns.next(.planning, by: "a", now: storeEpoch)]
            for id in [ids[2], ids[1]] {
                guard var row = try connection.campaigns.find(id) else { continue }
                row.campaign.launchedAt = storeEpoch
                try connection.campaigns.save(row)
            }
            found.append(try connection.campaigns.next(.planning, by: "a", now: storeEpoch))
            guard var row = try connection.campaigns.find(ids[1]) else { return (ids, found) }
            row.isPlanned = true
            try connection.campaigns.save(row)
            found.append(try connection.campaigns.next(.planning, by: "a", now: storeEpoch))
            return (ids, found)
        }
        #expect(found == [nil, ids[1].number, ids[2].number])
    }

    @Test("REG-35: since when an app's campaigns have problems, until that is lifted", arguments: Engine.allCases)
    func trouble(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let found = try await store.write { connection in
            let app = try connection.makeApp()
            let other = try connection.makeApp("other")
            for (owner, second) in [(app, 7.0), (app, 5), (other, 3)] {
                guard var row = try connection.campaigns.find(try connection.makeCampaign(app: owner)) else { continue }
                row.topicErrorsSince = seconds(second)
                try connection.campaigns.save(row)
            }
            let before = try connection.campaigns.topicErrorsSince(app: app)
            try connection.campaigns.endTopicErrors(app: app)
            return [
                before, try connection.campaigns.topicErrorsSince(app: app),
                try connection.campaigns.topicErrorsSince(app: other),
            ]
        }
        #expect(found == [seconds(5), nil, seconds(3)])
    }
}
