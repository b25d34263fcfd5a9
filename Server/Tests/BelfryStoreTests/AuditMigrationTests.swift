import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct AuditMigrationTests {
    @Test("ADM-4, STO-1: in an older log revoked devices get numbers instead of ids", arguments: Engine.allCases)
    func revokedDevices(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let there = try client(1).rawValue.uppercased()
        let gone = try client(2).rawValue
        let number = try await store.write { connection in
            try connection.goBack(to: 10, engine)
            let app = try connection.makeApp()
            try connection.makeOlderDevice(app: app)
            for (action, target) in [("device.revoke", there), ("device.revoke", gone), ("campaign.launch", "12")] {
                try connection.audit.append(
                    AuditEntry(at: storeEpoch, actor: "root", app: "app", action: action, target: target)
                )
            }
            // The schema of that time has one table of devices.
            return try connection.first("SELECT max(id) AS newest FROM devices", []) { $0.integer(0) } ?? 0
        }
        let targets = try await store.reopened { try $0.audit.newest(9).map(\.target) }
        #expect(targets == ["12", nil, String(number)])
    }
}
