import BelfryServerTestSupport
import BelfryStore
import Testing

/// STO-2: a test's database is closed even if a connection of its own was the last to hold it.
struct LastHolderTests {
    /// - Parameter go: until it is given, the write under way holds the store; nobody else does.
    /// - Returns: the database of a store whose writer is at work.
    private static func databaseAtWork(_ engine: Engine, until go: Handover<Bool>) throws -> any SQLDatabase {
        let store = try TestStore(engine)
        let database = store.database
        database.write { [store] _ in
            withExtendedLifetime(store) { go.wait() }
        } completion: { _ in
        }
        return database
    }

    @Test(
        "STO-2: the writer of a database lets go of the last that holds its store: it is closed, by another thread",
        arguments: Engine.allCases
    )
    func closes(_ engine: Engine) async throws {
        let go = Handover<Bool>()
        let database = try Self.databaseAtWork(engine, until: go)
        go.give(true)
        while (try? await database.read { _ in true }) == true { await Task.yield() }
        await #expect(throws: (any Error).self) { try await database.read { _ in true } }
    }
}
