import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// A database of an older version, as the schema of that time made it, with typical rows (STO-5): a file of SQL in
/// `Server/Tests/Schemas`, which `Scripts/dump-schema` adds for a new version. PostgreSQL came with version 6.
struct SchemaDump: Sendable, CustomTestStringConvertible {
    let engine: Engine
    let version: Int

    /// The versions that released programs have made. Versions 14 to 19 were released together, as 19, and 20 to 23 as
    /// 23: no database ever had one between them.
    static let released = Array(1...13) + [19, 23, 24, 25, 26, 27, 28, 29]

    /// All that there are, in the order of their versions.
    static let all: [SchemaDump] = Engine.allCases.flatMap { engine in
        (1...Migration.newest).map { SchemaDump(engine: engine, version: $0) }
            .filter { FileManager.default.fileExists(atPath: $0.file.path) }
    }

    var testDescription: String { "\(engine), version \(version)" }

    /// A database that holds it, and is not migrated yet.
    ///
    /// - Parameter isKept: whether it outlives the test.
    func store(isKept: Bool = false) async throws -> TestStore {
        let statements = try statements()
        let store = try TestStore(engine, isKept: isKept)
        try await store.write { connection in
            try connection.dropAllTables(engine)
            for statement in statements {
                // What numbers rows is set by a query on PostgreSQL.
                if statement.hasPrefix("SELECT ") {
                    _ = try connection.query(SQLText(ofTest: statement), []) { _ in }
                } else {
                    try connection.execute(SQLText(ofTest: statement))
                }
            }
        }
        return store
    }

    /// No text in them ends a line with a semicolon.
    private func statements() throws -> [String] {
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("--") }
        return lines.joined(separator: "\n").components(separatedBy: ";\n")
            .map { $0.hasSuffix(";") ? String($0.dropLast()) : $0 }.filter { !$0.isEmpty }
    }

    private var file: URL {
        var tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<3 { tests.deleteLastPathComponent() }
        let number = String(version)
        return tests.appending(path: "Schemas/\(engine.rawValue)/v\(number.count < 2 ? "0" : "")\(number).sql")
    }
}

extension SQLConnection {
    /// Everything that makes the schema, one text for each column, index and key, in order.
    func structure(_ engine: Engine) throws -> [String] {
        let queries: [SQLText] =
            switch engine {
            case .sqlite:
                [
                    """
                    SELECT t.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' '
                        || coalesce(c.dflt_value, '') || ' ' || c.pk
                    FROM sqlite_master t JOIN pragma_table_info(t.name) c
                    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
                    """,
                    "SELECT name || ': ' || sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
                    """
                    SELECT t.name || ' unique: ' || i.origin || ' '
                        || (SELECT group_concat(c.name) FROM pragma_index_info(i.name) c)
                    FROM sqlite_master t JOIN pragma_index_list(t.name) i
                    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND i.origin <> 'c'
                    """,
                ]
            case .postgres:
                [
                    """
                    SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' '
                        || coalesce(column_default, '') || ' ' || is_identity
                    FROM information_schema.columns WHERE table_schema = current_schema()
                    """,
                    """
                    SELECT replace(indexdef, quote_ident(current_schema()) || '.', '') FROM pg_indexes
                    WHERE schemaname = current_schema()
                    """,
                    """
                    SELECT c.conrelid::regclass || ' ' || c.conname || ' ' || pg_get_constraintdef(c.oid)
                    FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
                    WHERE n.nspname = current_schema() AND c.contype IN ('p', 'u')
                    """,
                ]
            }
        let lines = try queries.flatMap { try query($0, []) { $0.text(0) } }
        return lines.map { $0.split { $0 == " " || $0 == "\n" }.joined(separator: " ") }.sorted()
    }

    /// How many rows each table has.
    func rowCounts(_ engine: Engine) throws -> [String: Int] {
        try tableNames(engine).reduce(into: [:]) { counts, table in
            counts[table] = try first(SQLText(ofTest: "SELECT count(*) FROM \(table)"), []) { Int($0.integer(0)) }
        }
    }
}
