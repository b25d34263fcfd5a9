import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// Whoever knows an id may ask for its installation that nobody has linked, with no proof: that must not cost more, the
/// more installations the id has (WIRE-20, SEC-9).
@Suite("Installations that nobody has linked")
struct UnlinkedDeviceTests {
    private static let old = "old-Id"

    private static func fill(_ connection: any SQLConnection, _ count: Int) throws {
        let contact = try connection.contacts.findOrInsert(app: 1, key: "ann", known: true, now: storeEpoch)
        for id in [try client(1), try DeviceID(old)] {
            for _ in 1...count {
                var device = try connection.devices.insert(app: 1, client: id, now: storeEpoch)
                device.contact = contact
                try connection.devices.save(device)
            }
        }
    }

    @Test(
        "WIRE-20: the unlinked installation of an id is found among many linked ones, in its own spelling",
        arguments: Engine.allCases)
    func found(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            try Self.fill(connection, 20)
            #expect(try connection.devices.unlinked(app: 1, client: try client(1)) == nil)
            let uuid = try connection.devices.insert(app: 1, client: try client(1), now: storeEpoch)
            let upper = try DeviceID(try client(1).rawValue.uppercased())
            #expect(try connection.devices.unlinked(app: 1, client: upper)?.id == uuid.id)
            #expect(try connection.devices.unlinked(app: 2, client: upper) == nil)
            // Another spelling of what is no UUID is another id.
            _ = try connection.devices.insert(app: 1, client: try DeviceID("OLD-ID"), now: storeEpoch)
            #expect(try connection.devices.unlinked(app: 1, client: try DeviceID(Self.old)) == nil)
            let own = try connection.devices.insert(app: 1, client: try DeviceID(Self.old), now: storeEpoch)
            #expect(try connection.devices.unlinked(app: 1, client: try DeviceID(Self.old))?.id == own.id)
            let newer = try connection.devices.insert(app: 1, client: try DeviceID(Self.old), now: storeEpoch)
            #expect(try connection.devices.unlinked(app: 1, client: try DeviceID(Self.old))?.id == newer.id)
        }
    }

    @Test(
        "WIRE-20, SEC-9: it is looked up by an index of unlinked installations alone, whatever the id has",
        arguments: Engine.allCases, [true, false])
    func plan(_ engine: Engine, _ isAnalyzed: Bool) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await store.write { connection in
            try Self.fill(connection, 300)
            try connection.dormantDevices.take(
                connection.devices.numbers(app: 1, client: try client(1)), app: 1
            )
            try Self.fill(connection, 300)
            if isAnalyzed { try connection.analyze(store.engine) }
        }
        for (isUUID, table) in [true, false].flatMap({ isUUID in DeviceTable.allCases.map { (isUUID, $0) } }) {
            let id: [SQLValue] = isUUID ? [.text(try client(1).canonical)] : [.text("old-id"), .text(Self.old)]
            let plan = try await store.read {
                try $0.plan(of: DeviceRepository.unlinkedSQL(isUUID: isUUID, in: table), [.integer(1)] + id, engine)
            }
            #expect(plan.contains(table == .living ? " devices_unlinked" : "dormant_devices_unlinked"), "\(plan)")
            #expect(!plan.contains("devices_by_client") && !plan.contains("SCAN "), "\(plan)")
        }
    }
}
