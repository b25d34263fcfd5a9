/// A table as its database describes it. A move asks both databases and has no list of its own, so tables of a new
/// schema version are moved like the others (STO-4).
package struct TableShape: Hashable, Sendable {
    /// The type of a column's values, independent of the engine.
    package enum Kind: String, Hashable, Sendable {
        case integer, real, text, bytes

        /// - Parameter declared: the engine's name of the type. The result is nil for a type that the schema never
        ///   uses.
        package init?(declared: String) {
            switch declared.lowercased() {
            case "bigint", "integer": self = .integer
            case "double precision", "real": self = .real
            case "text": self = .text
            case "bytea", "blob": self = .bytes
            default: return nil
            }
        }
    }

    package struct Column: Hashable, Sendable {
        package let name: SchemaName
        package let kind: Kind

        package init(name: SchemaName, kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    package let name: SchemaName
    package let columns: [Column]
    /// Indexes of the primary key's columns in ``columns``, in the key's order. Empty: the table has no key.
    package let key: [Int]

    package init(name: SchemaName, columns: [Column], key: [Int]) {
        self.name = name
        self.columns = columns
        self.key = key
    }

    package var kinds: [Kind] { columns.map(\.kind) }
    package var keyColumns: [Column] { key.map { columns[$0] } }
    /// The column names, separated by commas.
    package var columnList: SQLText { columns.map { "\($0.name)" as SQLText }.joined(by: ", ") }
    package var keyList: SQLText { keyColumns.map { "\($0.name)" as SQLText }.joined(by: ", ") }

    /// How the two tables differ, in words; nil if the rows of one fit into the other.
    package func difference(from other: TableShape) -> String? {
        let (mine, others) = (Set(columns), Set(other.columns))
        let names = mine.symmetricDifference(others).map(\.name)
        guard let first = names.min() else { return nil }
        return "the column '\(first)' is not the same in both databases"
    }
}

extension TableShape.Kind {
    /// The mark of an argument that is an array of values of this kind, for engines with arrays.
    var arrayMark: SQLText {
        switch self {
        case .integer: "?::bigint[]"
        case .real: "?::double precision[]"
        case .text: "?::text[]"
        case .bytes: "?::bytea[]"
        }
    }
}
