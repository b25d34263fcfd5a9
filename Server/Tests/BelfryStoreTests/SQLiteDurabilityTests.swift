import BelfryServerTestSupport
import BelfryStore
import Testing

struct SQLiteDurabilityTests {
    @Test("WIRE-26: SQLite syncs every commit, with a log written ahead")
    func pragmas() async throws {
        let store = try TestStore(.sqlite)
        let full: Int64 = 2
        let (synchronous, journal) = try await store.write { connection in
            (
                try connection.first("PRAGMA synchronous", []) { $0.integer(0) },
                try connection.first("PRAGMA journal_mode", []) { $0.text(0) }
            )
        }
        #expect(synchronous == full)
        #expect(journal == "wal")
    }
}
