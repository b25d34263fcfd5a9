import BelfryModel
import Foundation

/// The schema of an app's attributes (REG-25).
package struct AttributeRepository {
    enum Column: Int, ResultColumn {
        case name, type, number

        var sql: SQLText {
            switch self {
            case .name: "name"
            case .type: "type"
            case .number: "number"
            }
        }
    }

    let connection: any SQLConnection

    package func define(_ key: AttributeKey, type: AttributeType, app: Int64, now: Date) throws {
        guard let known = try column(of: key.rawValue, app: app) else {
            return try insert(key, type: type, app: app, now: now)
        }
        guard known.type != type else { return }
        try connection.execute(
            "UPDATE attributes SET type = ? WHERE app_id = ? AND name = ?",
            [.text(type.rawValue), .integer(app), .text(key.rawValue)]
        )
        guard [known.type, type].contains(.date) else { return }
        try connection.audiences.renumber(AudienceColumns.Attribute(type: type, number: known.number), app: app)
    }

    /// Defines an attribute. One that was removed before gets its former columns back, empty.
    private func insert(_ key: AttributeKey, type: AttributeType, app: Int64, now: Date) throws {
        let former = try formerNumber(of: key, app: app)
        let number = try former ?? nextNumber(app: app)
        try connection.execute(
            "INSERT INTO attributes (app_id, name, type, created_at, number) VALUES (?, ?, ?, ?, ?)",
            [.integer(app), .text(key.rawValue), .text(type.rawValue), .date(now), .integer(number)]
        )
        let attribute = AudienceColumns.Attribute(type: type, number: number)
        guard former != nil else { return try connection.audiences.add(attribute, app: app) }
        try connection.execute(
            "DELETE FROM removed_attributes WHERE app_id = ? AND name = ?", [.integer(app), .text(key.rawValue)]
        )
        try connection.audiences.empty(attribute, app: app)
    }

    /// Removes a definition; its values are removed from the contacts afterwards. Its columns stay, since dropping them
    /// would rewrite the table; no other attribute gets their number.
    ///
    /// - Returns: false when there is no such attribute.
    package func remove(_ key: AttributeKey, app: Int64, now: Date) throws -> Bool {
        guard let known = try column(of: key.rawValue, app: app) else { return false }
        try connection.execute(
            "DELETE FROM attributes WHERE app_id = ? AND name = ?", [.integer(app), .text(key.rawValue)]
        )
        try connection.execute(
            "INSERT INTO removed_attributes (app_id, name, number, removed_at) VALUES (?, ?, ?, ?)",
            [.integer(app), .text(key.rawValue), .integer(known.number), .date(now)]
        )
        return true
    }

    /// The number of an attribute that was removed; nil if it was not.
    package func formerNumber(of key: AttributeKey, app: Int64) throws -> Int64? {
        try connection.first(
            "SELECT number FROM removed_attributes WHERE app_id = ? AND name = ?",
            [.integer(app), .text(key.rawValue)]
        ) { $0.integer(0) }
    }

    package func schema(app: Int64) throws -> [String: AttributeType] {
        let pairs = try connection.query(
            "SELECT \(Column.selectList) FROM attributes WHERE app_id = ?", [.integer(app)]
        ) { row in
            let row = ResultRow<Column>(row)
            guard let type = AttributeType(rawValue: row.text(.type)) else {
                throw StoreError.corrupted(table: "attributes", key: row.text(.name))
            }
            return (row.text(.name), type)
        }
        // Two spellings of a text are one key in Swift, but may be two rows in a database.
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}

extension SQLConnection {
    package var attributes: AttributeRepository { AttributeRepository(connection: self) }
}
