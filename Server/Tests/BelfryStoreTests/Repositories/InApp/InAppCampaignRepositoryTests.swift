import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct InAppCampaignRepositoryTests {
    @Test("IAM-1: the active in-app campaigns of an app are found, and no others", arguments: Engine.allCases)
    func active(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (made, found, other) = try await store.write { connection in
            var made: [CampaignStatus: CampaignID] = [:]
            for status in CampaignStatus.allCases { made[status] = try connection.makeInAppCampaign(status) }
            _ = try connection.makeCampaign(.active, app: 1)
            let other = try connection.makeInAppCampaign(app: 2)
            return (
                made, try connection.inAppCampaigns.active(app: 1),
                try connection.inAppCampaigns.active(app: 2).map(\.id) == [other]
            )
        }
        #expect(found.map(\.id) == [made[.active]] && other)
        #expect(found.first?.campaign.draft.inApp == .test())
    }

    @Test("CAMP-2: an unreadable campaign affects no other", arguments: Engine.allCases)
    func unreadable(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (ids, active, found) = try await store.write { connection in
            let ids = try (0..<3).map { _ in try connection.makeInAppCampaign() }
            try connection.execute("UPDATE campaigns SET content = '{' WHERE id = ?", [.integer(ids[1].number)])
            let none = try campaign(99)
            return (
                ids, try connection.inAppCampaigns.active(app: 1).map(\.id),
                try connection.inAppCampaigns.find(ids.reversed() + [none], app: 1).map(\.id)
            )
        }
        #expect(active == [ids[0], ids[2]] && found == [ids[0], ids[2]])
    }

    @Test(
        "SEC-2, WIRE-9: only the app's own campaigns that a device names are found, without their contents",
        arguments: Engine.allCases)
    func named(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let own = try connection.makeInAppCampaign(.paused, message: .test(endsAt: seconds(20)))
            let draft = try connection.makeInAppCampaign(.draft, app: 2)
            let active = try connection.makeInAppCampaign(app: 2)
            let push = try connection.makeCampaign(.sending, app: 1)
            try connection.change(own) { $0.campaign.recalledAt = seconds(3) }
            let all = [own, draft, active, push]
            #expect(try connection.inAppCampaigns.find(all, app: 1).map(\.id) == [own])
            #expect(try connection.inAppCampaigns.find(all, app: 2).map(\.id) == [draft, active])
            try connection.execute("UPDATE campaigns SET content = '{'", [])
            let states = try connection.inAppCampaigns.states(of: all, app: 1)
            #expect(states.map(\.id) == [own] && states.map(\.status) == [.paused])
            #expect(states.first?.recalledAt == seconds(3) && states.first?.endsAt == seconds(20))
        }
    }

    @Test("CAMP-2: active campaigns at their end are found", arguments: Engine.allCases)
    func ends(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (first, found, next) = try await store.write { connection in
            for status in CampaignStatus.allCases {
                _ = try connection.makeInAppCampaign(status, message: .test(endsAt: seconds(20)))
            }
            _ = try connection.makeInAppCampaign()
            let first = try connection.makeInAppCampaign(message: .test(endsAt: seconds(10)))
            let moved = try connection.makeInAppCampaign(message: .test(endsAt: seconds(5)))
            try connection.change(moved) { $0.campaign.draft.inApp?.endsAt = seconds(30) }
            return (
                first, try [5, 10, 20, 30].map { try connection.inAppCampaigns.ended(for: "a", now: seconds($0)) },
                try connection.inAppCampaigns.nextEnd(for: "a", now: storeEpoch)
            )
        }
        #expect(found.map(\.count) == [0, 1, 3, 4] && found[1] == [first.number] && next == seconds(10))
    }

    @Test("IAM-4, IAM-10: version, epoch, deletion and recall of a campaign are kept", arguments: Engine.allCases)
    func columns(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (saved, listed) = try await store.write { connection in
            let ids = try (0..<2).map { _ in try connection.makeInAppCampaign() }
            try connection.change(ids[0]) {
                $0.campaign.inAppVersion = 7
                $0.campaign.displayEpoch = 5
                $0.campaign.recalledAt = seconds(1)
                $0.campaign.deletedAt = seconds(2)
                $0.closedTo = 3
            }
            return (
                try connection.campaigns.find(ids[0]),
                try connection.campaigns.list(app: 1, before: nil, limit: 10).map(\.id) == [ids[1]]
            )
        }
        #expect(saved?.campaign.inAppVersion == 7 && saved?.campaign.displayEpoch == 5 && saved?.closedTo == 3)
        #expect(saved?.campaign.recalledAt == seconds(1) && saved?.campaign.deletedAt == seconds(2) && listed)
    }

    @Test("ADM-2: a draft is removed completely; a launched one can still be found", arguments: Engine.allCases)
    func deletes(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let left = try await store.write { connection in
            try CampaignStatus.allCases.filter { status in
                let id = try connection.makeInAppCampaign(status)
                try connection.campaigns.delete(id)
                return try connection.campaigns.find(id) != nil
            }
        }
        #expect(left == CampaignStatus.allCases.filter { $0 != .draft })
    }
}
