import BelfryStore

/// Makes a commit one piece where several servers hold the database together, also with what only the server writes that
/// programs speak to (FLEET-5).
///
/// Citus prepares a commit (two phases) only once a second server was written to, or a table that it knows on the
/// coordinator. Local tables are none of those: the one server that was written to would commit first, and its part would
/// stay if the coordinator then refused its own. So there is a table for it to know. A transaction empties it at its
/// beginning. Nothing is ever in it, so nobody waits for anybody there, and no two transactions conflict.
package enum PreparedCommits {
    /// Sent with the beginning of a transaction: without a round trip, and before whatever it may fail after.
    static let statement: SQLText = "DELETE FROM \(table)"

    /// On a distributed database alone.
    static let making: [SQLText] = [creation, "SELECT citus_add_local_table_to_metadata('\(table)')"]
    package static let creation: SQLText = "CREATE TABLE \(table) (nothing BIGINT)"

    private static let table: SQLText = "prepared_commits"
}
