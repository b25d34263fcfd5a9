import BelfryStore

/// The types of arguments, as PostgreSQL's numbers (OIDs).
enum PostgresType {
    static let unknown: UInt32 = 0
    static let bytea: UInt32 = 17
    static let int8: UInt32 = 20
    static let text: UInt32 = 25
    static let float8: UInt32 = 701

    /// Nil for a null, which fits any type.
    static func of(_ value: SQLValue) -> UInt32? {
        switch value {
        case .null: nil
        case .integer: int8
        case .real: float8
        case .text: text
        case .blob: bytea
        }
    }

    static func of(_ kind: TableShape.Kind) -> UInt32 {
        switch kind {
        case .integer: int8
        case .real: float8
        case .text: text
        case .bytes: bytea
        }
    }

    /// The common types of all rows, by column; nil when two rows differ.
    static func common(_ rows: ArraySlice<[SQLValue]>) -> [UInt32?]? {
        var common = rows.first?.map { of($0) } ?? []
        for row in rows.dropFirst() {
            guard row.count == common.count else { return nil }
            for (column, value) in row.enumerated() {
                guard let type = of(value) else { continue }
                guard common[column] == nil || common[column] == type else { return nil }
                common[column] = type
            }
        }
        return common
    }
}
