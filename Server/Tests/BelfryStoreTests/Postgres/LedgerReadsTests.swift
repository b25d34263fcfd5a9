import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// What of a ledger a statement reads on PostgreSQL, by the locks that a SERIALIZABLE transaction keeps of it. Statistics
/// know nothing of a campaign that has just begun.
struct LedgerReadsTests {
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
            let ended = (0..<20).map { DeliveryUpdate(device: 1_001 + 2 * $0, state: .accepted, attempts: 1) }
            try connection.deliveries.record(ended, campaign: campaign(1), now: seconds(1))
            return try connection.locksOfReads(of: "deliveries")
        }
        #expect(!locks.isEmpty && !locks.contains("relation"), "\(locks)")
        #expect(try await store.read { try $0.deliveries.counts(of: campaign(1)).accepted } == 20)
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
