import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation

/// Rows in every table of the schema. The database itself says which tables and columns there are, so that those of a
/// version to come are filled, and moved, like the others.
struct FilledTables {
    /// Above the numbers of what is made in the usual way.
    private static let firstNumber = 1_000
    private static let texts = [
        "", "é", "e\u{301}", "😀", "\\N", "\t\n\r", "\u{FEFF}", "'\"{}", "\\.", "NULL", "\u{7F}",
        String(repeating: "x", count: 300),
    ]

    let connection: any SQLConnection

    /// Two apps with attributes, one of them removed, and so many rows of any values in each table.
    func fill(rows: Int) throws {
        for code in ["shop", "other"] {
            let app = try connection.apps.insert(
                code: try AppCode(code), name: code, settings: AppSettings(), now: Date(milliseconds: 1_795_262_400_000)
            )
            guard code == "shop" else { continue }
            for (name, type) in [("age", AttributeType.number), ("born", .date), ("city", .string)] {
                try connection.attributes.define(
                    try AttributeKey(name), type: type, app: app, now: Date(milliseconds: 1))
            }
            _ = try connection.attributes.remove(try AttributeKey("born"), app: app, now: Date(milliseconds: 2))
        }
        for table in try connection.tableNames(.sqlite) where table != "schema_version" {
            try fill(table, rows: rows)
        }
    }

    private func fill(_ table: String, rows: Int) throws {
        let columns = try connection.query(
            "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?)", [.text(table)]
        ) { (name: $0.text(0), type: $0.text(1), isNullable: !$0.flag(2) && !$0.flag(3)) }
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let insert = "INSERT INTO \"\(table)\" (\(names)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
        let settings = try connection.first("SELECT settings FROM apps ORDER BY id LIMIT 1", []) { $0.text(0) } ?? ""
        let values = (0..<rows).map { row in
            columns.enumerated().map { place, column in
                let number = Self.firstNumber + row
                return Self.readable("\(table).\(column.name)", number, settings)
                    ?? Self.value(column.type, column.isNullable, number: number, place: place)
            }
        }
        try connection.executeEach(SQLText(ofTest: insert), values)
    }

    /// What the command itself reads, to name the credentials that are to be entered anew.
    private static func readable(_ column: String, _ number: Int, _ settings: String) -> SQLValue? {
        switch column {
        case "apps.code": .text("app-\(number)")
        case "apps.settings": .text(settings)
        case "credentials.provider": .text("fcm")
        default: nil
        }
    }

    /// Every value of a row has its number in it, so that whatever is to be unique is.
    private static func value(_ type: String, _ isNullable: Bool, number: Int, place: Int) -> SQLValue {
        if isNullable, (number + place).isMultiple(of: 4) { return .null }
        switch type {
        case "TEXT": return .text("\(number)\(texts[(number + place) % texts.count])")
        case "BLOB":
            return .blob([UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)] + Array(0...255))
        case "DOUBLE PRECISION":
            return .real([Double(number) + 0.1, -0.0, 1e300, -.leastNonzeroMagnitude][(number + place) % 4])
        default:
            return isNullable && (number + place).isMultiple(of: 5)
                ? .integer(number.isMultiple(of: 2) ? Int64.max : .min) : .integer(number)
        }
    }
}

/// What the tables have, read without anything of the move's: each row as one text, in order.
struct TableContents: Hashable {
    let rows: [String: [String]]

    /// - Parameter kinds: of each table the columns with their types, as SQLite knows them.
    init(_ connection: any SQLConnection, _ kinds: [String: [Column]]) throws {
        rows = try kinds.mapValues { _ in [] }.merging(
            kinds.map { table, columns in (table, try Self.rows(of: table, columns, connection)) }
        ) { $1 }
    }

    struct Column {
        let name: String
        let type: String
    }

    /// All tables of a store on SQLite but the versions of its schema.
    static func kinds(_ connection: any SQLConnection) throws -> [String: [Column]] {
        let names = try connection.tableNames(.sqlite).filter { $0 != "schema_version" }
        return Dictionary(
            uniqueKeysWithValues: try names.map { table in
                (
                    table,
                    try connection.query("SELECT name, type FROM pragma_table_info(?)", [.text(table)]) {
                        Column(name: $0.text(0), type: $0.text(1))
                    }
                )
            })
    }

    private static func rows(
        of table: String, _ columns: [Column], _ connection: any SQLConnection
    ) throws -> [String] {
        let list = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        return try connection.query(SQLText(ofTest: "SELECT \(list) FROM \"\(table)\""), []) { row in
            columns.enumerated().map { place, column in
                if row.isNull(place) { return "null" }
                return switch column.type {
                case "BLOB": "\(row.blob(place))"
                // SQLite writes fifteen digits.
                case "DOUBLE PRECISION": "\(Float(row.text(place)) ?? .nan)"
                default: "\(row.utf8(place))"
                }
            }.joined(separator: "|")
        }.sorted()
    }
}
