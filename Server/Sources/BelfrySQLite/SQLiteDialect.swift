import BelfryStore
import Foundation

/// SQLite's words.
package struct SQLiteDialect: Dialect {
    package let identityColumn = "INTEGER PRIMARY KEY AUTOINCREMENT"
    /// Without AUTOINCREMENT, which writes to a table of its own with each insert.
    package let sequenceColumn = "INTEGER PRIMARY KEY"
    package let blobType = "BLOB"
    package let clustered = "WITHOUT ROWID"
    /// There is one writer at a time: nothing to skip.
    package let skipLocked = ""
    package let integers = "SELECT value FROM json_each(?)"

    package init() {}

    package func lookup(_ column: String, and other: String) -> String {
        "(\(column), \(other))"
    }

    package func jsonNumber(_ column: String, key: String) -> String {
        guard let path = path(key) else {
            return "(SELECT CAST(atom AS REAL) FROM \(members(column, key)) AND type IN ('integer', 'real'))"
        }
        return """
            (CASE WHEN json_type(\(column), \(path)) IN ('integer', 'real') \
            THEN CAST(json_extract(\(column), \(path)) AS REAL) END)
            """
    }

    package func jsonText(_ column: String, key: String) -> String {
        guard let path = path(key) else {
            return """
                (SELECT CASE type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(atom AS TEXT) END \
                FROM \(members(column, key)))
                """
        }
        // A number as it was written: as a text of SQLite's it would have fifteen digits at most.
        return """
            (CASE json_type(\(column), \(path)) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' \
            WHEN 'integer' THEN \(column) -> \(path) WHEN 'real' THEN \(column) -> \(path) \
            ELSE json_extract(\(column), \(path)) END)
            """
    }

    package func place(in expression: String) -> String {
        "instr(\(expression), ?)"
    }

    /// Compared with a real, a text that SQLite reads as a number becomes one and any other is greater than it.
    package func readsAsNumber(_ expression: String) -> String {
        let exponentDigits = String(repeating: "[0-9]", count: DecimalText.maximumExponentDigits + 1)
        return """
            (\(expression) NOT GLOB '*[^0-9.eE+-]*' AND \(expression) NOT GLOB '*[eE]*\(exponentDigits)*' \
            AND length(\(expression)) <= \(DecimalText.maximumLength) AND \(expression) <= CAST(9e999 AS REAL))
            """
    }

    /// A JSON path as an SQL text literal; nil for a key with characters that JSON escapes, which SQLite's paths
    /// cannot name.
    private func path(_ key: String) -> String? {
        guard key.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0 != "\"" && $0 != "\\" }) else { return nil }
        return literal("$.\"\(key)\"")
    }

    /// The member under a key, whatever its characters: slower than a path.
    private func members(_ column: String, _ key: String) -> String {
        "json_each(\(column)) WHERE key = \(literal(key))"
    }

    /// Keys come from the app's schema; quotes are doubled all the same.
    private func literal(_ text: String) -> String {
        "'\(text.replacing("'", with: "''"))'"
    }
}
