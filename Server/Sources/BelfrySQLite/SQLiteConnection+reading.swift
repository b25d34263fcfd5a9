import BelfryStore
import GRDB

extension SQLiteConnection {
    /// One view of what is committed. By statements that are kept: GRDB's own are prepared anew for each transaction.
    /// None is left open, for the next read would begin in it.
    func reading<Output>(_ body: (any SQLConnection) throws -> Output) throws -> Output {
        try execute("BEGIN DEFERRED")
        defer {
            if database.isInsideTransaction { try? database.rollback() }
        }
        let output = Result { try body(self) }
        // What was read before the end of its transaction failed was read all the same.
        _ = try? execute("COMMIT")
        return try output.get()
    }
}
