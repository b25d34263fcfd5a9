import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

@testable import BelfryCommand

@Suite("A store is not moved where it does not belong")
struct StoreMoveErrorTests {
    /// What stands in the way, and a word of the error that tells it from the others.
    enum Obstacle: CaseIterable, CustomTestStringConvertible {
        case otherTables, ownTables, deployment, distributed, otherDeployment, otherSchema, collation, otherColumn
        case noPrivilege, noSchema
        case oldSource, newSource, noSource

        var testDescription: String { "\(self)" }

        var words: [String] {
            switch self {
            case .otherTables: ["'Orders'", "not belfry's"]
            case .ownTables: ["contains tables already", "Nothing was changed"]
            case .deployment: ["contains tables already"]
            case .distributed: ["distributed over several servers", "--distributed --copy-rows"]
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
    func rejected(_ obstacle: Obstacle) async throws {
        try await withMovedStore(rows: 3) { store in
            let role = "role-\(store.target)"
            try await prepare(obstacle, store, role: role)
            let before = try await state(store)
            let user = obstacle == .noPrivilege ? role : nil
            let error = await #expect(throws: (any Error).self) { try await store.move(user: user) }
            let text = "\(try #require(error))"
            for word in obstacle.words { #expect(text.contains(word), "\(text)") }
            #expect(try await state(store) == before)
            if obstacle == .noPrivilege { try await store.script("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"") }
        }
    }

    private func prepare(_ obstacle: Obstacle, _ store: MovedStore, role: String) async throws {
        switch obstacle {
        case .otherTables: try await store.script("CREATE TABLE \"Orders\" (id BIGINT PRIMARY KEY)")
        case .ownTables: try await store.script("CREATE TABLE orders (id BIGINT PRIMARY KEY)")
        case .deployment: try await offPool { try PostgresDatabase(store.settings).close() }
        case .distributed:
            let database = try await offPool { try PostgresDatabase(store.settings) }
            try await database.write { connection in
                try CitusStandIn.install(connection)
                try CitusStandIn.placeDevices(connection)
            }
            try await offPool { database.close() }
        case .otherDeployment:
            await begin(store)
            _ = try await store.source.write { try $0.execute("UPDATE apps SET code = 'elsewhere' WHERE id = 1") }
        case .otherSchema:
            await begin(store)
            try await store.script("UPDATE store_move SET version = 7")
        case .collation:
            await begin(store)
            try await store.script("ALTER TABLE devices ALTER COLUMN locale TYPE text COLLATE \"POSIX\"")
        case .otherColumn:
            await begin(store)
            try await store.script("ALTER TABLE devices DROP COLUMN locale")
        case .noPrivilege:
            try await store.script(
                "CREATE ROLE \"\(role)\" LOGIN; GRANT USAGE ON SCHEMA \"\(store.target)\" TO \"\(role)\"")
        case .noSchema: try await store.script("DROP SCHEMA \"\(store.target)\"")
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
    private func begin(_ store: MovedStore) async {
        await store.beginMove(steps: 30)
    }

    /// All that is in the target.
    private func state(_ store: MovedStore) async throws -> [String] {
        try await store.read { connection in
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
        try await withMovedStore(rows: 2) { store in
            let rejection = Mutex<String?>(nil)
            try await store.withMover(tell: { _ in
                guard rejection.withLock({ $0 == nil }) else { return }
                let answer: String
                do {
                    try store.moveBesideAnother()
                    answer = "it was moved"
                } catch {
                    answer = "\(error)"
                }
                rejection.withLock { $0 = answer }
            }) { _ = try $0.move() }
            let answer = rejection.withLock { $0 }
            #expect(answer?.contains("another 'belfry migrate-store' is at work") == true, "\(answer ?? "")")
            #expect(try await store.isEqual())
        }
    }

    @Test("STO-4: where nothing was moved, there is nothing to verify")
    func nothing() async throws {
        try await withMovedStore(rows: 1) { store in
            await #expect(throws: MoveError.nothingMoved(target: "the target")) {
                try await store.withMover { try $0.verify() }
            }
        }
    }

    @Test("STO-4: an unfinished move is compared as it is, and belfry doctor says that it is not finished")
    func unfinished() async throws {
        try await withMovedStore(rows: 3) { store in
            await begin(store)
            let report = try await store.withMover { try $0.verify() }
            #expect(
                !report.isFinished && report.tables.contains { !$0.isEqual } && report.tables.contains { $0.isEqual })
            let version = try await store.read { try $0.newestSchema() }
            let finding = try #require(SchemaCheck(found: version, known: Migration.newest).findings.first)
            #expect(finding.verdict == .error && finding.advice?.contains("migrate-store") == true)
        }
    }
}
