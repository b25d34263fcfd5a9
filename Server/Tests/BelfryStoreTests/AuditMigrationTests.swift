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
            try connection.mendAuditLog()
            return try connection.devices.highestID()
        }
        let targets = try await store.read { try $0.audit.newest(9).map(\.target) }
        #expect(targets == ["12", nil, String(number)])
        // To run it again changes nothing more.
        try await store.write { try $0.mendAuditLog() }
        #expect(try await store.read { try $0.audit.newest(9).map(\.target) } == targets)
    }
}

extension SQLConnection {
    /// The step of the schema that is about the audit log's targets, by itself.
    fileprivate func mendAuditLog() throws {
        let steps = Migration.all.map { $0.statements(dialect) }
        let own = try #require(steps.first { $0.contains { $0.statement.contains("UPDATE audit_log") } })
        for statement in own { try execute(statement) }
    }
}
