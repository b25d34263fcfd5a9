import BelfryModel
import BelfryStore
import Foundation

/// The store's SQL dialect of SQLite.
package struct SQLiteDialect: Dialect {
    package let engineName = "SQLite"
    package let facts: SQLText = """
        SELECT sqlite_version(), (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size())
        """
    package let spaceTrial: [SQLText] = []
    package let identityColumn: SQLText = "INTEGER PRIMARY KEY AUTOINCREMENT"
    /// Without AUTOINCREMENT, which writes to a separate table with each insert.
    package let sequenceColumn: SQLText = "INTEGER PRIMARY KEY"
    package let numberColumn: SQLText = "INTEGER PRIMARY KEY"
    package let blobType: SQLText = "BLOB"
    package let clustered: SQLText = "WITHOUT ROWID"
    package let isDistributed = false
    package let dropsConstraints = false
    package let partitions: SQLText? = nil
    /// There is only one writer at a time, so no row is locked.
    package let skipLocked: SQLText = ""
    package let integers: SQLText = "SELECT value FROM json_each(?)"
    package let texts: SQLText = "SELECT value FROM json_each(?)"
    package let ranges: SQLText = """
        SELECT json_extract(value, '$[0]') AS low, json_extract(value, '$[1]') AS high FROM json_each(?)
        """

    package init() {}

    package func isOneOf(_ integers: [Int64], _ column: SQLText, isFirst: Bool) -> SQLFragment {
        "\(column) IN (\(SQLFragment(self.integers, [.integers(integers)])))"
    }

    package func isArgument(_ column: SQLText) -> SQLText { "\(column) = ?" }
    package func isFound(_ column: SQLText, by query: SQLText) -> SQLText { "\(column) IN (\(query))" }

    /// SQLite gives the length of a text in characters, so the text is cast.
    package func bytes(of column: SQLText) -> SQLText { "length(CAST(\(column) AS BLOB))" }

    package func room(fill percent: Int) -> SQLText { "" }
    package func setRoom(of table: SQLText, fill percent: Int) -> [SQLText] { [] }

    package func lookup(_ column: SQLText, and other: SQLText) -> SQLText {
        "(\(column), \(other))"
    }

    package func jsonNumber(_ column: SQLText, key: String) -> SQLFragment {
        guard let path = path(key) else {
            return "(SELECT CAST(atom AS REAL) FROM \(members(column, key)) AND type IN ('integer', 'real'))"
        }
        return """
            (CASE WHEN json_type(\(column), \(bind: path)) IN ('integer', 'real') \
            THEN CAST(json_extract(\(column), \(bind: path)) AS REAL) END)
            """
    }

    package func jsonText(_ column: SQLText, key: String) -> SQLFragment {
        guard let path = path(key) else {
            return """
                (SELECT CASE type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(atom AS TEXT) END \
                FROM \(members(column, key)))
                """
        }
        // Keeps a number as it was written: SQLite itself would print fifteen digits at most.
        return """
            (CASE json_type(\(column), \(bind: path)) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' \
            WHEN 'integer' THEN \(column) -> \(bind: path) WHEN 'real' THEN \(column) -> \(bind: path) \
            ELSE json_extract(\(column), \(bind: path)) END)
            """
    }

    package func place(of part: String, in expression: SQLFragment) -> SQLFragment {
        "instr(\(expression), \(bind: .text(part)))"
    }

    /// Compared with a real, a text that SQLite reads as a number becomes a number; any other text is greater.
    package func readsAsNumber(_ expression: SQLFragment) -> SQLFragment {
        let exponentDigits = SQLText.repeated("[0-9]", DecimalText.maximumExponentDigits + 1)
        return """
            (\(expression) NOT GLOB '*[^0-9.eE+-]*' AND \(expression) NOT GLOB '*[eE]*\(exponentDigits)*' \
            AND length(\(expression)) <= \(DecimalText.maximumLength) AND \(expression) <= CAST(9e999 AS REAL))
            """
    }

    /// A JSON path; nil for a key with characters that JSON escapes, which SQLite's paths cannot name. The check goes
    /// by Unicode scalars: a quote with a combining mark is one `Character`, but still contains a quote.
    private func path(_ key: String) -> SQLValue? {
        guard key.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0 != "\"" && $0 != "\\" }) else { return nil }
        return .text("$.\"\(key)\"")
    }

    /// The member with this key, whatever its characters; slower than a path.
    private func members(_ column: SQLText, _ key: String) -> SQLFragment {
        "json_each(\(column)) WHERE key = \(bind: .text(key))"
    }
}
