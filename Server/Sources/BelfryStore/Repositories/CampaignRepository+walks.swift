import BelfryModel
import Foundation

/// The in-app campaigns whose ledger is behind, each time the one with the least done, so that a huge one holds up no
/// small one.
extension CampaignRepository {
    /// One whose audience does not stand in the ledger yet, or is to be walked anew.
    ///
    /// - Parameter isTaken: whether its row is locked until the end of the transaction, which then writes.
    package func unplannedInApp(isTaken: Bool) throws -> Int64? {
        try connection.first(
            """
            SELECT id FROM campaigns WHERE planned = 0 AND launched_at IS NOT NULL AND kind = 'inApp'
            ORDER BY planned_to, id LIMIT 1 \(isTaken ? connection.dialect.skipLocked : "")
            """,
            []
        ) { $0.integer(0) }
    }

    /// One that is over, whose audience stands in the ledger, and that has something pending.
    ///
    /// - Parameter isTaken: whether its row is locked until the end of the transaction, which then writes.
    package func closing(isTaken: Bool) throws -> Int64? {
        try connection.first(
            """
            SELECT id FROM campaigns WHERE closed_to IS NOT NULL AND planned = 1
            ORDER BY closed_to, id LIMIT 1 \(isTaken ? connection.dialect.skipLocked : "")
            """,
            []
        ) { $0.integer(0) }
    }
}
