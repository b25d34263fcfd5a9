import Foundation

/// What a bearer key may do.
package struct AdminKeyRecord: Hashable, Sendable {
    package let id: Int64
    package let app: Int64
    package let scopes: [String]
}

extension AdminKeyRecord {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, app, scopes

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .app: "app_id"
            case .scopes: "scopes"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            id: row.integer(.id), app: row.integer(.app),
            scopes: row.text(.scopes).split(separator: " ").map(String.init)
        )
    }
}

package struct AdminKeyRepository {
    let connection: any SQLConnection

    package func insert(hash: [UInt8], app: Int64, scopes: [String], now: Date) throws {
        try connection.execute(
            "INSERT INTO admin_keys (key_hash, app_id, scopes, created_at) VALUES (?, ?, ?, ?)",
            [.blob(hash), .integer(app), .text(scopes.joined(separator: " ")), .date(now)]
        )
    }

    /// Of the keys that count.
    package func hashes(limit: Int) throws -> [[UInt8]] {
        try connection.query(
            "SELECT key_hash FROM admin_keys WHERE revoked_at IS NULL LIMIT ?", [.integer(limit)]
        ) { $0.blob(0) }
    }

    package func find(hash: [UInt8]) throws -> AdminKeyRecord? {
        try connection.first(
            "SELECT \(AdminKeyRecord.columns) FROM admin_keys WHERE key_hash = ? AND revoked_at IS NULL", [.blob(hash)],
            AdminKeyRecord.init
        )
    }
}

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
}

extension SQLConnection {
    package var adminKeys: AdminKeyRepository { AdminKeyRepository(connection: self) }
    package var audit: AuditRepository { AuditRepository(connection: self) }
}
