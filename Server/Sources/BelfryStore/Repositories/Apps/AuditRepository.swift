import Foundation

/// One line of the audit log (ADM-1).
package struct AuditEntry: Hashable, Sendable {
    package let at: Date
    package let actor: String
    package let app: String?
    package let action: String
    package let target: String?

    package init(at: Date, actor: String, app: String?, action: String, target: String?) {
        self.at = at
        self.actor = actor
        self.app = app
        self.action = action
        self.target = target
    }
}

extension AuditEntry {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case at, actor, app, action, target

        var sql: SQLText {
            switch self {
            case .at: "at"
            case .actor: "actor"
            case .app: "app"
            case .action: "action"
            case .target: "target"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            at: row.date(.at), actor: row.text(.actor), app: row.optionalText(.app), action: row.text(.action),
            target: row.optionalText(.target)
        )
    }
}

package struct AuditRepository {
    let connection: any SQLConnection

    package func append(_ entry: AuditEntry) throws {
        try connection.execute(
            "INSERT INTO audit_log (at, actor, app, action, target) VALUES (?, ?, ?, ?, ?)",
            [
                .date(entry.at), .text(entry.actor), .optional(entry.app), .text(entry.action),
                .optional(entry.target),
            ]
        )
    }

    /// Newest first.
    package func newest(_ limit: Int) throws -> [AuditEntry] {
        try connection.query(
            "SELECT \(AuditEntry.columns) FROM audit_log ORDER BY id DESC LIMIT ?", [.integer(limit)], AuditEntry.init
        )
    }

    /// The lines before a number, newest first, each with its number.
    ///
    /// - Parameter app: the code of the app whose lines they are; nil: all lines.
    package func list(app: String?, before cursor: Int64?, limit: Int) throws -> [(id: Int64, entry: AuditEntry)] {
        let position: [SQLValue] = [.integer(cursor ?? .max), .integer(limit)]
        let place = AuditEntry.Column.columnCount
        return try connection.query(
            app == nil ? Self.listSQL : Self.listOfAppSQL, (app.map { [.text($0)] } ?? []) + position
        ) { (id: $0.integer(place), entry: AuditEntry($0)) }
    }

    /// The cursor and the limit are its arguments.
    package static let listSQL: SQLText = """
        SELECT \(AuditEntry.columns), id FROM audit_log WHERE id < ? ORDER BY id DESC LIMIT ?
        """

    /// The app's code, the cursor and the limit are its arguments.
    package static let listOfAppSQL: SQLText = """
        SELECT \(AuditEntry.columns), id FROM audit_log WHERE app = ? AND id < ? ORDER BY id DESC LIMIT ?
        """
}

extension SQLConnection {
    package var audit: AuditRepository { AuditRepository(connection: self) }
}
