import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// STO-1: a database of before the in-app messages continues with them.
struct InAppMigrationTests {
    /// The database as a program of version 7 left it, with an app, a device and a campaign that is under way.
    private static func goBack(_ connection: any SQLConnection, _ engine: Engine) throws {
        try connection.goBack(to: 7, engine)
        let app = try connection.makeApp()
        try connection.makeOlderDevice(app: app)
        let draft = CampaignDraft(
            name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "Sale", body: "Today")
        )
        try connection.execute(
            """
            INSERT INTO campaigns (app_id, name, kind, content, status, created_at, planned_to, plan_end, planned)
            VALUES (?, 'Sale', 'push', ?, 'sending', 0, 0, 0, 0)
            """,
            [.integer(app), .text(try JSONText.encode(draft))]
        )
    }

    @Test(
        "STO-1, IAM-1: campaigns of an older database continue, and in-app ones are added",
        arguments: Engine.allCases)
    func older(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.write { try Self.goBack($0, engine) }
        let version = try await store.reopened { try $0.schemaVersion() }
        #expect(version == Migration.newest)
        let (old, list, clock, active) = try await store.write { connection in
            let list = try connection.campaigns.list(app: 1, before: nil, limit: 10)
            let clock = try connection.inAppRevisions.find(app: 1)
            let id = try connection.makeInAppCampaign()
            try connection.inAppRevisions.advance(app: 1, now: storeEpoch)
            return (
                try connection.campaigns.find(campaign(1)), list, clock,
                try connection.inAppCampaigns.active(app: 1).map(\.id) == [id]
            )
        }
        let sale = try #require(old?.campaign)
        #expect(sale.status == .sending && sale.inAppVersion == 1 && sale.displayEpoch == 0)
        #expect(sale.deletedAt == nil && sale.recalledAt == nil && old?.closedTo == nil)
        #expect(list.map(\.id) == [sale.id] && clock == .none && active)
    }
}
