import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// STO-1: a database of before the message centers continues with them.
struct MessageCenterMigrationTests {
    /// The database as a program of version 6 left it, with an app, a contact, a device and its row in a ledger.
    private static func goBack(_ connection: any SQLConnection, _ engine: Engine) throws {
        try connection.goBack(to: 6, engine)
        let app = try connection.makeApp()
        try connection.makeContacts(1)
        try connection.makeOlderDevice(app: app)
        try connection.execute(
            """
            INSERT INTO deliveries (campaign_id, device_id, state, attempts, updated_at)
            VALUES (1, 1, 'pending', 0, 0)
            """
        )
    }

    @Test(
        "STO-1: people and ledgers of an older database stay, and get messages and badges", arguments: Engine.allCases)
    func older(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.write { try Self.goBack($0, engine) }
        let version = try await store.reopened { try $0.schemaVersion() }
        #expect(version == Migration.newest)
        let (kept, badge, centers, delivery) = try await store.write { connection in
            (
                try connection.centerMessages.keep([.test(1, body: "b")]),
                try connection.badges.apply(
                    BadgeChange(op: .increment), devices: [1], campaign: campaign(1), maximum: 9
                ),
                try connection.messageCenters.all(app: 1),
                try connection.deliveries.find(campaign: campaign(1), device: 1)
            )
        }
        #expect(kept == 1 && badge == [1: Badge(count: 1, revision: 1)])
        #expect(centers == [MessageCenter(name: .primary)] && delivery?.state == .pending)
    }
}
