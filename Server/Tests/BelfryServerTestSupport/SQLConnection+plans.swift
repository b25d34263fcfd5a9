import BelfryStore
import Foundation

extension SQLConnection {
    /// How the engine goes about a statement of a connection that reads or writes: its steps, as one text.
    ///
    /// PostgreSQL plans it here as it does where it runs: once, whatever it is asked for, since these connections tell it
    /// to (`PostgresLine.Planning`). An `EXPLAIN` of the statement itself would show a plan that is made for its
    /// arguments, and that never runs.
    package func plan(of sql: SQLText, _ arguments: [SQLValue], _ engine: Engine) throws -> String {
        switch engine {
        case .sqlite:
            return try query("EXPLAIN QUERY PLAN \(sql)", arguments) { $0.text(3) }.joined(separator: "\n")
        case .postgres:
            return try plan(
                ofPrepared: sql, types: arguments.map(\.postgresType), arguments: arguments.map(\.postgresLiteral)
            )
        }
    }

    /// The same of a statement for PostgreSQL whose arguments may be of any type.
    ///
    /// - Parameters:
    ///   - types: of the arguments, as `PREPARE` takes them.
    ///   - arguments: as SQL writes them. What they are changes nothing but which partitions are looked into.
    package func plan(ofPrepared sql: SQLText, types: [String], arguments: [String]) throws -> String {
        func list(_ parts: [String]) -> String { parts.isEmpty ? "" : "(\(parts.joined(separator: ", ")))" }
        try execute(SQLText(ofTest: "PREPARE seen\(list(types)) AS \(sql.statement)"))
        let steps = try query(SQLText(ofTest: "EXPLAIN EXECUTE seen\(list(arguments))"), []) { $0.text(0) }
        try execute("DEALLOCATE seen")
        return steps.joined(separator: "\n")
    }
}

extension SQLValue {
    /// As the driver declares it; a null may be anything.
    fileprivate var postgresType: String {
        switch self {
        case .null: "unknown"
        case .integer: "bigint"
        case .real: "double precision"
        case .text: "text"
        case .blob: "bytea"
        }
    }

    fileprivate var postgresLiteral: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "'\(text.replacing("'", with: "''"))'"
        case .blob(let bytes): "'\\x\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
        }
    }
}
