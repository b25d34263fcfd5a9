import BelfryPostgres
import BelfrySQLite
import BelfryStore
import Crypto
import Foundation

/// Moves a store from SQLite to PostgreSQL (STO-4).
///
/// Each table is copied in ranges of its primary key. A range and the row that records its end are one transaction, so
/// a move that continues after a kill begins where the last commit ended. At the end the checksums of both sides are
/// compared. A table that differs, because the server ran in between, is copied once more.
struct StoreMover {
    /// The maximum size of one transaction.
    struct RangeLimit: Sendable {
        static let standardRows = 10_000
        static let allowedRows = 1...1_000_000

        var rows = standardRows
        var bytes = 8 << 20
    }

    let source: SQLiteSource
    let target: PostgresTarget
    /// The target's name for people.
    let targetName: String
    var limit = RangeLimit()
    var replacesNull = false
    let now: () -> Date
    /// Receives the progress. An error that it throws stops the move at that point.
    let tell: (MoveProgress) throws -> Void

    /// The table of schema versions, which the target fills by itself.
    private static let versions = "schema_version"

    /// Moves everything that has not been moved yet, and verifies it.
    ///
    /// - Throws: ``MoveError``, also when the move had already been finished.
    func move() throws -> (tables: [MoveReport.Table], isFinished: Bool) {
        try refuseDistributed()
        let tables = try sourceTables()
        try begin(tables)
        try makeAudiences(tables)
        try moveRows(of: tables, counts: try counts(tables))
        var compared = try compare(tables)
        let different = tables.filter { table in compared.contains { $0.name == table.name.text && !$0.isEqual } }
        if !different.isEmpty {
            for table in different { try restart(table) }
            try moveRows(of: different, counts: try counts(different))
            let again = try compare(different)
            compared = compared.map { former in again.first { $0.name == former.name } ?? former }
        }
        let isFinished = compared.allSatisfy(\.isEqual)
        if isFinished { try finish(tables) }
        return (compared, isFinished)
    }

    /// Compares what was moved without changing anything.
    func verify() throws -> (tables: [MoveReport.Table], isFinished: Bool) {
        try refuseDistributed()
        let tables = try sourceTables()
        let move = try target.transaction { try find($0) }
        guard let move else { throw MoveError.nothingMoved(target: targetName) }
        try check(move)
        let shapes = try targetTables()
        for table in tables { try check(table, among: shapes) }
        return (try compare(tables), move.finishedAt != nil)
    }

    // MARK: The two sides

    private func sourceTables() throws -> [TableShape] {
        let all = try source.tables()
        guard all.contains(where: { $0.name.text == Self.versions }) else {
            throw MoveError.oldSource(found: 0, needed: Migration.newest)
        }
        let found = try source.connection.newestSchema()
        if found < Migration.newest { throw MoveError.oldSource(found: found, needed: Migration.newest) }
        if found > Migration.newest { throw MoveError.newSource(found: found, known: Migration.newest) }
        let tables = all.filter { $0.name.text != Self.versions }
        if let table = tables.first(where: \.key.isEmpty) { throw MoveError.keyless(table: table.name.text) }
        return tables
    }

    /// Rows are written past the repositories, so nobody would fill the directories that there are on a distributed
    /// database; and its keys are others.
    private func refuseDistributed() throws {
        guard !target.isDistributed else { throw MoveError.distributed(target: targetName) }
    }

    private func targetTables() throws -> [SchemaName: TableShape] {
        let tables = try target.transaction { try $0.tables() }
        return Dictionary(tables.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Identifies the deployment by its first app, in a form that reveals nothing about it. All empty deployments have
    /// the same identity.
    private func identity() throws -> String {
        let first = try source.connection.first(
            "SELECT id, code, created_at FROM apps ORDER BY id LIMIT 1", []
        ) { "\($0.integer(0)) \($0.text(1)) \($0.integer(2))" }
        return SHA256.hash(data: Array((first ?? "empty").utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    private func find(_ transaction: PostgresTarget.Transaction) throws -> StoreMove? {
        let tables = try transaction.tables()
        guard tables.contains(where: { $0.name == StoreMoveRepository.table }) else { return nil }
        return try transaction.connection.storeMoves.find()
    }

    private func check(_ move: StoreMove) throws {
        guard try move.source == identity() else { throw MoveError.anotherSource(target: targetName) }
        // A server may have migrated the schema since then.
        guard move.schema == Migration.newest || move.finishedAt != nil else {
            throw MoveError.anotherSchema(target: targetName, found: move.schema, needed: Migration.newest)
        }
    }

    private func check(_ table: TableShape, among shapes: [SchemaName: TableShape]) throws {
        guard let other = shapes[table.name] else {
            throw MoveError.otherTables(table: table.name.text, difference: "the target does not have it")
        }
        if let difference = table.difference(from: other) {
            throw MoveError.otherTables(table: table.name.text, difference: difference)
        }
    }

    // MARK: Steps

    /// Finds the move that was begun on this target, or begins one in an empty database.
    private func begin(_ tables: [TableShape]) throws {
        try target.transaction { transaction in
            try transaction.keepOthersOut()
            if let move = try find(transaction) {
                try check(move)
                if let finishedAt = move.finishedAt {
                    throw MoveError.finished(target: targetName, at: finishedAt)
                }
                return
            }
            guard try transaction.tables().isEmpty else { throw MoveError.inUse(target: targetName) }
            try transaction.connection.storeMoves.begin(source: try identity(), now: now())
            let shapes = Dictionary(try transaction.tables().map { ($0.name, $0) }) { first, _ in first }
            let audiences = try audienceTables()
            for table in tables where audiences[table.name] == nil { try check(table, among: shapes) }
        }
    }

    /// The apps' ids by the names of their audience tables.
    private func audienceTables() throws -> [SchemaName: Int64] {
        let apps = try source.connection.query("SELECT id FROM apps ORDER BY id", []) { $0.integer(0) }
        return Dictionary(apps.compactMap { app in SchemaName("audience_\(app)").map { ($0, app) } }) { first, _ in
            first
        }
    }

    /// Creates each table in a transaction of its own: together they would need more locks than a server allows.
    private func makeAudiences(_ tables: [TableShape]) throws {
        let shapes = try targetTables()
        let audiences = try audienceTables()
        for table in tables {
            guard let app = audiences[table.name], shapes[table.name] == nil else { continue }
            try target.transaction { try $0.connection.audiences.make(app: app, as: source.connection) }
        }
        let complete = try targetTables()
        for table in tables { try check(table, among: complete) }
    }

    private func finish(_ tables: [TableShape]) throws {
        for table in tables { try target.analyze(table.name) }
        try target.transaction { transaction in
            let names = Set(tables.map(\.name))
            for (table, column) in try transaction.numberedColumns() where names.contains(table) {
                let next = try source.nextNumber(of: table, column: column)
                try transaction.continueNumbers(of: table, column: column, from: next)
            }
            try transaction.connection.storeMoves.finish(now: now())
        }
    }
}

/// The progress of a move.
struct MoveProgress: Hashable, Sendable {
    enum Phase: String, Sendable {
        case moving, verifying
    }

    let phase: Phase
    /// The table's name; empty at the end.
    let table: String
    let rows: Int
    let total: Int

    var percent: Int { total > 0 ? min(rows * 100 / total, 100) : 100 }
    /// Figures such as `moving events, 400000 of 1000000 rows`.
    var figures: String { "\(phase.rawValue) \(place)\(rows) of \(total) rows" }
    /// A log line such as `Moving: 40 %, events, 400000 of 1000000 rows`.
    var line: String {
        "\(phase == .moving ? "Moving" : "Verifying"): \(percent) %, \(place)\(rows) of \(total) rows"
    }

    private var place: String { table.isEmpty ? "" : "\(table), " }
}
