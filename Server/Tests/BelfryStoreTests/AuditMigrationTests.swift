import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct AuditMigrationTests {
    @Test("ADM-4, STO-1: what an older log called revoked devices by becomes their number", arguments: Engine.allCases)
    func revokedDevices(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let there = try client(1).rawValue.uppercased()
        let gone = try client(2).rawValue
        let number = try await store.write { connection in
            let app = try connection.makeApp()
            try connection.makeDevices(1, app: app)
            for (action, target) in [("device.revoke", there), ("device.revoke", gone), ("campaign.launch", "12")] {
                try connection.audit.append(
                    AuditEntry(at: storeEpoch, actor: "root", app: "app", action: action, target: target)
                )
            }
            try connection.execute("DELETE FROM schema_version WHERE version >= 10")
            return try connection.devices.highestID()
        }
        let targets = try await store.reopened { try $0.audit.newest(9).map(\.target) }
        #expect(targets == ["12", nil, String(number)])
        // To read it again changes nothing more.
        try await store.write { _ = try $0.execute("DELETE FROM schema_version WHERE version >= 10") }
        #expect(try await store.reopened { try $0.audit.newest(9).map(\.target) } == targets)
    }
}
