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

    /// Those of the lines before a number that a search asks for, newest first. Only the newest lines before the number
    /// are looked through: a rare one is found by going on (ADM-7).
    ///
    /// - Parameters:
    ///   - window: so many lines are looked through.
    ///   - limit: so many are returned at most.
    package func list(
        _ search: AuditSearch, before cursor: Int64?, window: Int, limit: Int
    ) throws -> [(id: Int64, entry: AuditEntry)] {
        let place = AuditEntry.Column.columnCount
        var arguments: [SQLValue] =
            (search.app.map { [.text($0)] } ?? []) + [.integer(cursor ?? .max), .integer(window)]
        var conditions: [SQLText] = []
        if let actor = search.actor {
            conditions.append("actor = ?")
            arguments.append(.text(actor))
        }
        if let action = search.action {
            conditions.append("action = ?")
            arguments.append(.text(action))
        } else if search.leavesOutReads {
            conditions.append("action NOT IN ('read', 'repeat')")
        }
        let found = conditions.reduce("TRUE" as SQLText) { "\($0) AND \($1)" }
        return try connection.query(
            """
            SELECT \(AuditEntry.columns), id FROM (
                SELECT \(AuditEntry.columns), id FROM audit_log WHERE \(Self.place(search))
                ORDER BY id DESC LIMIT ?) looked
            WHERE \(found) ORDER BY id DESC LIMIT ?
            """,
            arguments + [.integer(limit)]
        ) { (id: $0.integer(place), entry: AuditEntry($0)) }
    }

    /// The last of the lines that such a search has looked through; nil when there are no more behind them.
    package func end(of search: AuditSearch, before cursor: Int64?, window: Int) throws -> Int64? {
        let arguments: [SQLValue] = (search.app.map { [.text($0)] } ?? []) + [.integer(cursor ?? .max)]
        let ends = try connection.query(
            "SELECT id FROM audit_log WHERE \(Self.place(search)) ORDER BY id DESC LIMIT 2 OFFSET ?",
            arguments + [.integer(window - 1)]
        ) { $0.integer(0) }
        return ends.count == 2 ? ends[0] : nil
    }

    private static func place(_ search: AuditSearch) -> SQLText {
        search.app == nil ? "id < ?" : "app = ? AND id < ?"
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
