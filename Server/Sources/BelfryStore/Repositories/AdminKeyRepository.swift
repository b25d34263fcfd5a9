import Foundation

/// What a bearer key may do.
package struct AdminKeyRecord: Hashable, Sendable {
    package let id: Int64
    package let app: Int64
    package let scopes: [String]
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
            "SELECT id, app_id, scopes FROM admin_keys WHERE key_hash = ? AND revoked_at IS NULL", [.blob(hash)]
        ) {
            AdminKeyRecord(
                id: $0.integer(0), app: $0.integer(1), scopes: $0.text(2).split(separator: " ").map(String.init)
            )
        }
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
            "SELECT at, actor, app, action, target FROM audit_log ORDER BY id DESC LIMIT ?", [.integer(limit)]
        ) {
            AuditEntry(
                at: $0.date(0), actor: $0.text(1), app: $0.textIfAny(2), action: $0.text(3), target: $0.textIfAny(4)
            )
        }
    }
}

extension SQLConnection {
    package var adminKeys: AdminKeyRepository { AdminKeyRepository(connection: self) }
    package var audit: AuditRepository { AuditRepository(connection: self) }
}
