import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryCommand

@Suite("A store is not moved where it does not belong")
struct StoreMoveRefusalTests {
    /// What stands in the way, and a word of the error that tells it from the others.
    enum Obstacle: CaseIterable, CustomTestStringConvertible {
        case otherTables, ownTables, deployment, otherDeployment, otherSchema, collation, otherColumn, noPrivilege,
            noSchema
        case oldSource, newSource, noSource

        var testDescription: String { "\(self)" }

        var words: [String] {
            switch self {
            case .otherTables: ["'Orders'", "not belfry's"]
            case .ownTables: ["contains tables already", "Nothing was changed"]
            case .deployment: ["contains tables already"]
            case .otherDeployment: ["another deployment"]
            case .otherSchema: ["began with schema 7"]
            case .collation: ["'locale'", "'devices'", "POSIX"]
            case .otherColumn: ["'devices'", "'locale'"]
            case .noPrivilege: ["cannot create tables"]
            case .noSchema: ["cannot create tables", "search_path"]
            case .oldSource: ["schema \(Migration.newest - 1)", "belfry serve"]
            case .newSource: ["schema \(Migration.newest + 2)"]
            case .noSource: ["schema 0"]
            }
        }
    }

    @Test("STO-4: what stands in the way is named, and nothing is changed", arguments: Obstacle.allCases)
    func refused(_ obstacle: Obstacle) async throws {
        let store = try await MovedStore(rows: 3)
        let role = "role-\(store.target)"
        try await prepare(obstacle, store, role: role)
        let before = try state(store)
        let user = obstacle == .noPrivilege ? role : nil
        let error = #expect(throws: (any Error).self) { try store.move(user: user) }
        let text = "\(try #require(error))"
        for word in obstacle.words { #expect(text.contains(word), "\(text)") }
        #expect(try state(store) == before)
        if obstacle == .noPrivilege { try store.script("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"") }
    }

    private func prepare(_ obstacle: Obstacle, _ store: MovedStore, role: String) async throws {
        switch obstacle {
        case .otherTables: try store.script("CREATE TABLE \"Orders\" (id BIGINT PRIMARY KEY)")
        case .ownTables: try store.script("CREATE TABLE orders (id BIGINT PRIMARY KEY)")
        case .deployment: try PostgresDatabase(store.settings).close()
        case .otherDeployment:
            try begin(store)
            _ = try await store.source.write { try $0.execute("UPDATE apps SET code = 'elsewhere' WHERE id = 1") }
        case .otherSchema:
            try begin(store)
            try store.script("UPDATE store_move SET version = 7")
        case .collation:
            try begin(store)
            try store.script("ALTER TABLE devices ALTER COLUMN locale TYPE text COLLATE \"POSIX\"")
        case .otherColumn:
            try begin(store)
            try store.script("ALTER TABLE devices DROP COLUMN locale")
        case .noPrivilege:
            try store.script("CREATE ROLE \"\(role)\" LOGIN; GRANT USAGE ON SCHEMA \"\(store.target)\" TO \"\(role)\"")
        case .noSchema: try store.script("DROP SCHEMA \"\(store.target)\"")
        case .oldSource:
            _ = try await store.source.write {
                try $0.execute("DELETE FROM schema_version WHERE version = ?", [.integer(Migration.newest)])
            }
        case .newSource:
            _ = try await store.source.write {
                try $0.execute("INSERT INTO schema_version (version) VALUES (?)", [.integer(Migration.newest + 2)])
            }
        case .noSource: _ = try await store.source.write { try $0.execute("DROP TABLE schema_version") }
        }
    }

    /// A move that was ended in the middle.
    private func begin(_ store: MovedStore) throws {
        struct Interruption: Error {}
        var left = 30
        #expect(throws: (any Error).self) {
            try store.withMover(tell: { _ in
                left -= 1
                if left < 0 { throw Interruption() }
            }) { try $0.move() }
        }
    }

    /// All that is in the target.
    private func state(_ store: MovedStore) throws -> [String] {
        try store.read { connection in
            let tables = try connection.query(
                "SELECT tablename FROM pg_tables WHERE schemaname = ? ORDER BY tablename", [.text(store.target)]
            ) { $0.text(0) }
            return try tables.map { table in
                let rows = try connection.first(
                    SQLText(ofTest: "SELECT count(*) FROM \"\(store.target)\".\"\(table)\""), []
                ) { $0.integer(0) }
                return "\(table): \(rows ?? 0)"
            }
        }
    }

    @Test("STO-4: two moves into one database do not run beside each other")
    func second() async throws {
        let store = try await MovedStore(rows: 2)
        var refusal: String?
        try store.withMover(tell: { _ in
            guard refusal == nil else { return }
            do {
                try store.move()
                refusal = "it was moved"
            } catch {
                refusal = "\(error)"
            }
        }) { _ = try $0.move() }
        #expect(refusal?.contains("another 'belfry migrate-store' is at work") == true, "\(refusal ?? "")")
        #expect(try await store.isEqual())
    }

    @Test("STO-4: where nothing was moved, there is nothing to verify")
    func nothing() async throws {
        let store = try await MovedStore(rows: 1)
        #expect(throws: MoveError.nothingMoved(target: "the target")) { try store.withMover { try $0.verify() } }
    }

    @Test("STO-4: an unfinished move is compared as it is, and belfry doctor says that it is not finished")
    func unfinished() async throws {
        let store = try await MovedStore(rows: 3)
        try begin(store)
        let report = try store.withMover { try $0.verify() }
        #expect(!report.isFinished && report.tables.contains { !$0.isEqual } && report.tables.contains { $0.isEqual })
        let version = try store.read { try $0.newestSchema() }
        let finding = try #require(SchemaCheck(found: version, known: Migration.newest).findings.first)
        #expect(finding.verdict == .error && finding.advice?.contains("migrate-store") == true)
    }
}
