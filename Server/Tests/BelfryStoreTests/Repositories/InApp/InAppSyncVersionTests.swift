import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct InAppSyncVersionTests {
    private static func fill(_ store: TestStore) async throws {
        try await store.write { connection in
            try connection.makeContacts(200)
            for number in 1...200 {
                let digits = String(1_000 + number)
                let client = try DeviceID("00000000-0000-4000-8000-00000000\(digits)")
                var device = try connection.devices.insert(app: 1, client: client, now: storeEpoch)
                device.contact = Int64(number)
                try connection.devices.save(device)
            }
            try connection.inAppRevisions.advance(app: 1, volatile: true, entrances: .none, now: storeEpoch)
            try connection.inAppRevisions.advance(app: 2, volatile: false, entrances: .none, now: storeEpoch)
        }
        try await store.write { try $0.analyze(store.engine) }
    }

    @Test("PERF-7: a sync with nothing new is one query by three primary keys", arguments: Engine.allCases)
    func plan(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await Self.fill(store)
        let plan = try await store.read {
            try $0.plan(of: InAppSyncVersionRepository.query.rowSQL, [.integer(7 as Int64)], engine)
        }
        #expect(!plan.contains("SCAN ") && !plan.contains("Seq Scan"), "\(plan)")
        let steps =
            switch engine {
            case .sqlite:
                [
                    "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
                    "SEARCH k USING PRIMARY KEY (app_id=?)",
                ]
            case .postgres: ["devices_pkey", "contacts_pkey", "in_app_clocks_pkey"]
            }
        for step in steps { #expect(plan.contains(step), "\(step) in \(plan)") }
    }

    @Test("WIRE-9: the version has the device's link, both rows' times and the revision", arguments: Engine.allCases)
    func values(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await Self.fill(store)
        let (first, device, contact) = try await store.read { connection in
            (
                try connection.inAppSyncVersions.find(device: 7), try connection.devices.find(id: 7),
                try connection.first("SELECT updated_at FROM contacts WHERE id = 7", []) { $0.integer(0) }
            )
        }
        let stamp = try #require(first)
        #expect(stamp.link.id == 7 && stamp.link.app == 1 && stamp.link.contact == 7)
        #expect(stamp.device == device?.updatedAt.milliseconds && stamp.contact == contact)
        #expect(stamp.clock > 0 && stamp.isVolatile)
        let (alone, nobody) = try await store.write { connection in
            var device = try #require(try connection.devices.find(id: 8))
            device.contact = nil
            try connection.devices.save(device)
            let versions = connection.inAppSyncVersions
            return (try versions.find(device: 8), try versions.find(device: 9_999))
        }
        #expect(alone?.link.contact == nil && alone?.contact == 0 && alone?.clock == stamp.clock)
        #expect(nobody == nil)
    }
}
