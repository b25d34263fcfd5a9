import BelfryStore
import Foundation

/// SQLite's words.
package struct SQLiteDialect: Dialect {
    package let identityColumn = "INTEGER PRIMARY KEY AUTOINCREMENT"
    package let blobType = "BLOB"
    package let clustered = "WITHOUT ROWID"
    /// There is one writer at a time: nothing to skip.
    package let skipLocked = ""

    package init() {}

    package func jsonNumber(_ column: String, key: String) -> String {
        "CAST(json_extract(\(column), \(path(key))) AS REAL)"
    }

    package func jsonText(_ column: String, key: String) -> String {
        let path = path(key)
        return """
            (CASE json_type(\(column), \(path)) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' \
            ELSE CAST(json_extract(\(column), \(path)) AS TEXT) END)
            """
    }

    package func readsAsNumber(_ expression: String) -> String {
        "(\(expression) GLOB '*[0-9]*' AND \(expression) NOT GLOB '*[^0-9.eE+-]*')"
    }

    /// A JSON path as an SQL text literal. Keys come from the app's schema; quotes are doubled all the same.
    private func path(_ key: String) -> String {
        let label = key.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("'", with: "''")
        return "'$.\"\(label)\"'"
    }
}
