import BelfryStore
import GRDB

/// A look at a store's file that changes nothing in it, beside the server that has it: no schema is made or brought up to
/// date (CLI-6).
package enum SQLiteInspection {
    /// - Throws: ``StoreError``.
    package static func read<Output>(path: String, _ body: (any SQLConnection) throws -> Output) throws -> Output {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let result = try queue.read { try body(SQLiteConnection(database: $0)) }
            try queue.close()
            return result
        } catch {
            throw StoreError.mapped(error)
        }
    }
}
