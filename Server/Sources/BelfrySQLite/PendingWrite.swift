import BelfryStore
import GRDB
import GRDBSQLite

/// A write whose result waits for the commit.
protocol PendingWrite: AnyObject, Sendable {
    /// - Returns: false when it has failed and left something behind.
    /// - Throws: only when the transaction itself has ended.
    func run(in database: GRDB.Database) throws -> Bool
    /// The same in a savepoint: whatever fails leaves nothing behind.
    func runApart(in database: GRDB.Database) throws -> Bool
    func finish()
    func fail(_ error: any Error)
}

// The outcome is touched on the writer's queue only: run, then finish or fail.
final class Write<Output: Sendable>: PendingWrite, @unchecked Sendable {
    let body: @Sendable (any SQLConnection) throws -> Output
    let completion: @Sendable (Result<Output, any Error>) -> Void
    private var outcome: Result<Output, any Error>?

    init(
        body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        self.body = body
        self.completion = completion
    }

    func run(in database: GRDB.Database) throws -> Bool {
        let before = sqlite3_total_changes(database.sqliteConnection)
        do {
            outcome = .success(try body(SQLiteConnection(database: database)))
            return true
        } catch {
            outcome = .failure(error)
            try checkTransaction(database, error)
            // What the engine itself refused may have been done in part.
            return !(error is DatabaseError) && sqlite3_total_changes(database.sqliteConnection) == before
        }
    }

    func runApart(in database: GRDB.Database) throws -> Bool {
        do {
            try database.inSavepoint {
                outcome = .success(try body(SQLiteConnection(database: database)))
                return .commit
            }
        } catch {
            outcome = .failure(error)
            try checkTransaction(database, error)
        }
        return true
    }

    func finish() {
        let nothing = Result<Output, any Error>.failure(StoreError.corrupted(table: "write", key: "no outcome"))
        completion((outcome ?? nothing).mapError { StoreError.told($0) })
    }

    func fail(_ error: any Error) {
        if case .failure? = outcome { return finish() }
        completion(.failure(StoreError.told(error)))
    }

    /// A full disk and the like end the transaction itself: then nobody's write has happened.
    private func checkTransaction(_ database: GRDB.Database, _ error: any Error) throws {
        if !database.isInsideTransaction { throw error }
    }
}
