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
        _ = try insert(entry)
    }

    /// Appends a line that is completed later.
    ///
    /// - Returns: the number of the line.
    package func insert(_ entry: AuditEntry) throws -> Int64 {
        let numbers = try connection.query(
            "INSERT INTO audit_log (at, actor, app, action, target) VALUES (?, ?, ?, ?, ?) RETURNING id",
            [
                .date(entry.at), .text(entry.actor), .optional(entry.app), .text(entry.action),
                .optional(entry.target),
            ]
        ) { $0.integer(0) }
        guard let number = numbers.first else { throw StoreError.corrupted(table: "audit_log", key: entry.action) }
        return number
    }

    /// Completes a line with what was done, and to what. The actor and the time stay unchanged.
    package func complete(_ number: Int64, as entry: AuditEntry) throws {
        try connection.execute(
            "UPDATE audit_log SET app = ?, action = ?, target = ? WHERE id = ? AND at = ?",
            [
                .optional(entry.app), .text(entry.action), .optional(entry.target), .integer(number),
                .date(entry.at),
            ]
        )
    }

    /// The newest lines, newest first.
    package func newest(_ limit: Int) throws -> [AuditEntry] {
        try list(AuditSearch(), before: nil, window: limit, limit: limit).map(\.entry)
    }

    /// The lines below a number that match a search, newest first. If no index answers the search, it reads only the
    /// newest lines below the number: rare lines are found by asking for further pages (ADM-7).
    ///
    /// - Parameters:
    ///   - window: the most lines that are read.
    ///   - limit: the most lines that are returned.
    package func list(
        _ search: AuditSearch, before cursor: Int64?, window: Int, limit: Int
    ) throws -> [(id: Int64, entry: AuditEntry)] {
        let place = AuditEntry.Column.columnCount
        let sql = AuditSearchSQL(search, before: cursor, connection.dialect)
        return try connection.query(sql.list, sql.arguments(window: window, limit: limit)) {
            (id: $0.integer(place), entry: AuditEntry($0))
        }
    }

    /// The last line that such a search has read; nil if there are no lines after it.
    package func end(of search: AuditSearch, before cursor: Int64?, window: Int) throws -> Int64? {
        let sql = AuditSearchSQL(search, before: cursor, connection.dialect)
        guard !sql.isExact else { return nil }
        let ends = try connection.query(sql.end, sql.placeArguments + [.integer(window - 1)]) { $0.integer(0) }
        return ends.count == 2 ? ends[0] : nil
    }
}

extension SQLConnection {
    package var audit: AuditRepository { AuditRepository(connection: self) }
}
