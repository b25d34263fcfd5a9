import BelfryModel
import Foundation

/// The columns of attributes in the app's audience table.
extension AttributeRepository {
    package func columns(app: Int64) throws -> AudienceColumns {
        let pairs = try connection.query(
            "SELECT \(Column.selectList) FROM attributes WHERE app_id = ? AND number IS NOT NULL", [.integer(app)]
        ) { row in
            let row = ResultRow<Column>(row)
            return (row.text(.name), try Self.attribute(row))
        }
        // Two spellings of a text are one key in Swift, but may be two rows in a database. The composed spelling comes
        // first, since values have it.
        let composed = pairs.filter { $0.0.utf8.elementsEqual(NamingRule.composed($0.0).utf8) }
        return AudienceColumns(
            app: app, attributes: Dictionary(composed + pairs, uniquingKeysWith: { first, _ in first }))
    }

    /// The columns of those of these attributes that are defined.
    func columns(
        named names: [String], app: Int64
    ) throws -> [(name: String, column: AudienceColumns.Attribute)] {
        guard !names.isEmpty else { return [] }
        return try connection.query(
            """
            SELECT \(Column.selectList) FROM attributes WHERE app_id = ? AND name IN (\(connection.dialect.texts))
            """,
            [.integer(app), .texts(names)]
        ) { row in
            let row = ResultRow<Column>(row)
            return (name: row.text(.name), column: try Self.attribute(row))
        }
    }

    func column(of name: String, app: Int64) throws -> AudienceColumns.Attribute? {
        try connection.first(
            "SELECT \(Column.selectList) FROM attributes WHERE app_id = ? AND name = ?", [.integer(app), .text(name)]
        ) { try Self.attribute(ResultRow($0)) }
    }

    /// The columns of removed attributes, whatever type they had.
    func removedColumns(app: Int64) throws -> [AudienceColumns.Attribute] {
        try connection.query(
            "SELECT number FROM removed_attributes WHERE app_id = ? ORDER BY number", [.integer(app)]
        ) { AudienceColumns.Attribute(type: .string, number: $0.integer(0)) }
    }

    /// The number of the next attribute. Removed attributes keep their numbers.
    package func nextNumber(app: Int64) throws -> Int64 {
        try connection.first(
            """
            SELECT coalesce(max(number), 0) FROM (
                SELECT number FROM attributes WHERE app_id = ?
                UNION ALL SELECT number FROM removed_attributes WHERE app_id = ?) AS numbers
            """,
            [.integer(app), .integer(app)]
        ) { $0.integer(0) + 1 } ?? 1
    }

    private static func attribute(_ row: ResultRow<Column>) throws -> AudienceColumns.Attribute {
        guard let type = AttributeType(rawValue: row.text(.type)) else {
            throw StoreError.corrupted(table: "attributes", key: row.text(.type))
        }
        return AudienceColumns.Attribute(type: type, number: row.integer(.number))
    }
}
