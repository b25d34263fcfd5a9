import BelfryStore
import Foundation
import GRDB

/// A GRDB connection inside a transaction.
struct SQLiteConnection: SQLConnection {
    /// Bytes of a statement that is kept for its next use. Longer ones come from audiences: each is one of its kind,
    /// and the connection would keep them all.
    static let maximumKeptLength = 1_024

    let database: GRDB.Database

    var dialect: any Dialect { SQLiteDialect() }

    private func statement(_ sql: String) throws -> Statement {
        if sql.utf8.count <= Self.maximumKeptLength { return try database.cachedStatement(sql: sql) }
        return try database.makeStatement(sql: sql)
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        let statement = try statement(sql)
        try statement.execute(arguments: StatementArguments(arguments.map(\.databaseValue)))
        return database.changesCount
    }

    func executeEach(_ sql: String, _ rows: [[SQLValue]]) throws -> Int {
        guard !rows.isEmpty else { return 0 }
        let statement = try statement(sql)
        var changes = 0
        for row in rows {
            try statement.execute(arguments: StatementArguments(row.map(\.databaseValue)))
            changes += database.changesCount
        }
        return changes
    }

    func query<Element>(
        _ sql: String, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        let statement = try statement(sql)
        let cursor = try Row.fetchCursor(
            statement, arguments: StatementArguments(arguments.map(\.databaseValue))
        )
        var elements: [Element] = []
        while let row = try cursor.next() {
            elements.append(try map(SQLiteRow(row: row)))
        }
        return elements
    }
}

/// The cursor's current row; it is read before the next step.
struct SQLiteRow: SQLRow {
    let row: Row

    func isNull(_ column: Int) -> Bool { row.hasNull(atIndex: column) }
    func integer(_ column: Int) -> Int64 { isNull(column) ? 0 : row[column] }
    func text(_ column: Int) -> String { isNull(column) ? "" : row[column] }
    func blob(_ column: Int) -> [UInt8] { isNull(column) ? [] : Array(row[column] as Data) }
}

extension SQLValue {
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .blob(let value): Data(value).databaseValue
        }
    }
}
