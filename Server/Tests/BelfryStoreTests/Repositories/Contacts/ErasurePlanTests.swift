import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// SEC-8: what an erasure does grows with the rows of its devices, and with nothing else.
@Suite("The plans of erasures")
struct ErasurePlanTests {
    private struct Statement: Sendable {
        let sql: SQLText
        let arguments: [SQLValue]
    }

    private static func statements(_ dialect: any Dialect) -> [Statement] {
        let (device, app, contact): (SQLValue, SQLValue, SQLValue) = (.integer(7), .integer(1), .integer(3))
        return [
            Statement(sql: DeviceDeliveryRepository.forgetPlacedSQL(dialect), arguments: [device, app, contact]),
            Statement(sql: DeviceDeliveryRepository.forgetSQL(dialect), arguments: [device, app, contact]),
            Statement(sql: InAppDeviceStateRepository.eraseCopiesSQL, arguments: [device, contact]),
            Statement(sql: MessageCenterMessageRepository.eraseMadeFromSQL, arguments: [device, contact]),
        ]
    }

    @Test("SEC-8: what is a person's on a device is found by keys, without a scan", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        let plans = try await store.write { connection in
            try Self.statements(connection.dialect).map { try connection.plan(of: $0.sql, $0.arguments, engine) }
        }
        for plan in plans {
            #expect(!plan.contains("SCAN ") && !plan.contains("Seq Scan"), "\(plan)")
            let byKey = ["SEARCH o USING INTEGER PRIMARY KEY", "contacts_pkey"]
            #expect(byKey.contains { plan.contains($0) }, "\(plan)")
        }
    }

    @Test(
        "REG-36: a person is taken out of a device's rows under each contact that became theirs, and nobody else is",
        arguments: Engine.allCases)
    func people(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        let (left, forgotten) = try await store.write { connection in
            let keys = ["anna", "anonymous:1", "bert"]
            let contacts = try keys.map {
                try connection.contacts.findOrInsert(app: 1, key: $0, known: $0 != keys[1], now: storeEpoch)
            }
            try connection.contacts.redirect(contacts[1], to: contacts[0], now: storeEpoch)
            let devices = try connection.makeDevices(2, app: 1)
            for contact in contacts {
                let id = try connection.makeCampaign(.completed, app: 1)
                for device in devices {
                    try connection.execute(
                        """
                        INSERT INTO deliveries (campaign_id, device_id, contact_id, state, attempts, updated_at, placed)
                        VALUES (?, ?, ?, 'accepted', 1, 0, ?)
                        """,
                        [.integer(id.number), .integer(device), .integer(contact), .integer(contact)]
                    )
                }
            }
            let forgotten = try connection.deviceDeliveries.forget(person: contacts[0], devices: [devices[0]], app: 1)
            let left = try devices.map { device in
                try connection.query(
                    "SELECT coalesce(contact_id, 0), placed FROM deliveries WHERE device_id = ? ORDER BY campaign_id",
                    [.integer(device)]
                ) { row in (0..<2).map { column in contacts.firstIndex(of: row.integer(column)).map { keys[$0] } } }
            }
            return (left, forgotten)
        }
        #expect(forgotten == 2)
        #expect(left[0] == [[nil, nil], [nil, nil], ["bert", "bert"]])
        #expect(left[1] == [["anna", "anna"], ["anonymous:1", "anonymous:1"], ["bert", "bert"]])
    }
}
