import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// What statements read on PostgreSQL, by the locks that a SERIALIZABLE transaction keeps of it. Statistics know
/// nothing of a campaign that has just begun.
struct PostgresPlanningTests {
    @Test("PERF-15: outcomes of some devices read those alone, and not the campaign's whole ledger")
    func outcomes() async throws {
        let store = try TestStore(.postgres)
        try await store.write { connection in
            _ = try connection.execute(
                """
                INSERT INTO deliveries (campaign_id, device_id, state, attempts, updated_at)
                SELECT 1, number, 'pending', 0, 0 FROM generate_series(1, 3000) AS number
                """
            )
        }
        let locks = try await store.write { connection in
            // No two of them beside each other, so that they are no range.
            let ended = (Int64(0)..<20).map { DeliveryUpdate(device: 1_001 + 2 * $0, state: .accepted, attempts: 1) }
            try connection.deliveries.record(ended, campaign: campaign(1), now: seconds(1))
            return try connection.locksOfReads(of: "deliveries")
        }
        #expect(!locks.isEmpty && !locks.contains("relation"), "\(locks)")
        #expect(try await store.read { try $0.figures.counts(of: campaign(1)).accepted } == 20)
    }

    @Test("PERF-15: a table of a few rows is looked into by its index, so that nobody is in the way who writes there")
    func smallTables() async throws {
        let store = try TestStore(.postgres)
        let id = try await store.write { connection in
            let id = try connection.makeCampaign(app: try connection.makeApp())
            try connection.makeBatches(2, of: id)
            // Now the server knows that they are on one page.
            for statement: SQLText in ["ANALYZE batches", "ANALYZE campaigns"] { try connection.execute(statement) }
            return id
        }
        let locks = try await store.write { connection in
            let batch = Batch(campaign: id, number: 1, devices: 1...10)
            _ = try connection.batches.isStillLeased(batch, owner: "w")
            return try connection.locksOfReads(of: "batches")
        }
        #expect(!locks.isEmpty && !locks.contains("relation"), "\(locks)")
    }

    @Test("PERF-15: a statement is planned once, and not anew for what it is asked for")
    func plans() async throws {
        let store = try TestStore(.postgres)
        let plans = try await store.write { connection in
            let ids = try connection.makeDevices(3, app: try connection.makeApp())
            for count in [2, 3, 2] { _ = try connection.devices.uploadLinks(ids: Array(ids.prefix(count))) }
            return try connection.query(
                "SELECT sum(custom_plans), sum(generic_plans) FROM pg_prepared_statements", []
            ) { (custom: $0.integer(0), generic: $0.integer(1)) }
        }
        #expect(plans.count == 1 && plans.allSatisfy { $0.custom == 0 && $0.generic > 0 }, "\(plans)")
    }

    @Test("PERF-15: tests of plans see the one that runs, which knows no argument and reads no table as a whole")
    func seen() async throws {
        let store = try TestStore(.postgres)
        _ = try await store.write { try $0.makeApp() }
        let apps = try await store.read { connection in
            try connection.plan(of: "SELECT code FROM apps WHERE id = ?", [.integer(1)], .postgres)
        }
        #expect(apps.contains("apps_pkey") && apps.contains("(id = $1)"), "\(apps)")
        // Twice on one connection, and with every type.
        let plans = try await store.write { connection in
            try (1...2).map { _ in
                try connection.plan(
                    of: """
                        SELECT 1 FROM apps WHERE id = ? AND code = ? AND name = coalesce(?, name) AND ? < 2 AND ? = ''
                        """,
                    [.integer(-1), .text("it's ?"), .null, .real(0.5), .blob([0, 255])], .postgres
                )
            }
        }
        #expect(plans[0] == plans[1] && plans[0].contains("COALESCE($3, name)"), "\(plans)")
    }
}

extension SQLConnection {
    /// What the transaction has locked of a table because it has read it: a row, a page, or all of it.
    fileprivate func locksOfReads(of table: String) throws -> [String] {
        try query(
            """
            SELECT locktype FROM pg_locks
            WHERE mode = 'SIReadLock' AND pid = pg_backend_pid() AND relation = to_regclass(?)
            """,
            [.text(table)]
        ) { $0.text(0) }
    }
}
