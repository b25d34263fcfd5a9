import BelfryPostgres
import BelfrySQLite
import BelfryServerTestSupport
import BelfryStore
import Foundation

@testable import BelfryCommand

/// A store on SQLite and an empty schema on PostgreSQL, both gone after the test.
final class MovedStore: Sendable {
    let source: TestStore
    /// The schema's name.
    let target: String

    /// - Parameter rows: of each table.
    init(rows: Int) async throws {
        source = try TestStore(.sqlite)
        target = "belfry-move-\(UUID().uuidString)"
        try TestPostgres.makeSchema(target)
        if rows > 0 { try await source.write { try FilledTables(connection: $0).fill(rows: rows) } }
    }

    deinit {
        TestPostgres.dropSchema(target)
    }

    var file: URL { source.place.appending(path: "belfry.sqlite") }

    var settings: PostgresSettings {
        get throws { try settings(user: nil) }
    }

    /// - Parameter user: another one than the tests'.
    private func settings(user: String?) throws -> PostgresSettings {
        var text = try TestPostgres.text(schema: target)
        if let user { text += "&user=\(user)" }
        return PostgresSettings(
            address: try PostgresAddress(text), questions: .patient, now: { Date() }, jitter: { 0.5 })
    }

    /// Lends a mover whose transactions are small.
    func withMover<Output>(
        rows: Int = 3, bytes: Int = 8 << 20, replacesNull: Bool = false, user: String? = nil,
        tell: @escaping (MoveProgress) throws -> Void = { _ in }, _ body: (StoreMover) throws -> Output
    ) throws -> Output {
        try SQLiteSource.read(path: file.path) { source in
            try PostgresTarget.enter(try settings(user: user)) { target in
                try body(
                    StoreMover(
                        source: source, target: target, targetName: "the target",
                        limit: .init(rows: rows, bytes: bytes),
                        replacesNull: replacesNull, now: { Date(timeIntervalSince1970: 1_795_262_400) }, tell: tell))
            }
        }
    }

    @discardableResult
    func move(user: String? = nil) throws -> [MoveReport.Table] {
        try withMover(user: user) { try $0.move().tables }
    }

    /// Runs statements on PostgreSQL, past everything.
    func script(_ sql: String) throws {
        try PostgresScript.run(SQLText(ofTest: sql), at: try TestPostgres.address(schema: target))
    }

    /// Reads PostgreSQL whatever its schema is.
    func read<Output>(_ body: (any SQLConnection) throws -> Output) throws -> Output {
        try PostgresInspection.read(try settings, body)
    }

    /// Whether both have the same rows in all tables of the source.
    func isEqual() async throws -> Bool {
        let (kinds, before) = try await source.read { connection in
            let kinds = try TableContents.kinds(connection)
            return (kinds, try TableContents(connection, kinds))
        }
        return try read { try TableContents($0, kinds) } == before
    }
}
