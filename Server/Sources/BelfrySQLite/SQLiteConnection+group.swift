import BelfryStore
import GRDB
import GRDBSQLite

extension SQLiteConnection: GroupConnection {
    var changes: Int { Int(sqlite3_total_changes(database.sqliteConnection)) }

    func inSavepoint(_ body: () throws -> Void) throws {
        try database.inSavepoint {
            try body()
            return .commit
        }
    }

    func isRefusal(_ error: any Error) -> Bool {
        error is DatabaseError
    }

    /// A full disk and the like end the transaction itself.
    func checkTransaction(_ error: any Error) throws {
        if !database.isInsideTransaction { throw error }
    }
}
