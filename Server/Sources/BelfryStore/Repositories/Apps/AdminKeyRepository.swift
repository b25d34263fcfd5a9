import Foundation

/// A key of the admin API, without its secret (ADM-6).
package struct AdminKeyRecord: Hashable, Sendable {
    package let id: Int64
    package let app: Int64
    package let scopes: [String]
    package let label: String?
    package let createdAt: Date
    /// The moment from which on the key is refused; nil: it does not expire.
    package let expiresAt: Date?
    package let revokedAt: Date?
}

extension AdminKeyRecord {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, app, scopes, label, createdAt, expiresAt, revokedAt

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .app: "app_id"
            case .scopes: "scopes"
            case .label: "label"
            case .createdAt: "created_at"
            case .expiresAt: "expires_at"
            case .revokedAt: "revoked_at"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            id: row.integer(.id), app: row.integer(.app),
            scopes: row.text(.scopes).utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) },
            label: row.optionalText(.label),
            createdAt: row.date(.createdAt), expiresAt: row.optionalDate(.expiresAt),
            revokedAt: row.optionalDate(.revokedAt)
        )
    }
}

package struct AdminKeyRepository {
    let connection: any SQLConnection

    /// - Returns: the new key's number.
    /// - Throws: ``StoreError/duplicate`` when a key with this hash exists.
    @discardableResult
    package func insert(
        hash: [UInt8], app: Int64, scopes: [String], label: String? = nil, expiresAt: Date? = nil, now: Date
    ) throws -> Int64 {
        let ids = try connection.query(
            """
            INSERT INTO admin_keys (key_hash, app_id, scopes, label, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            [
                .blob(hash), .integer(app), .text(scopes.joined(separator: " ")), .optional(label),
                .optional(expiresAt), .date(now),
            ]
        ) { $0.integer(0) }
        guard let id = ids.first else { throw StoreError.duplicate(key: "an admin key's hash") }
        return id
    }

    /// The hashes of the keys that are not revoked.
    package func hashes(limit: Int) throws -> [[UInt8]] {
        try connection.query(
            "SELECT key_hash FROM admin_keys WHERE revoked_at IS NULL LIMIT ?", [.integer(limit)]
        ) { $0.blob(0) }
    }

    /// The key with this hash, unless it is revoked. The caller checks whether it has expired.
    package func find(hash: [UInt8]) throws -> AdminKeyRecord? {
        try connection.first(
            "SELECT \(AdminKeyRecord.columns) FROM admin_keys WHERE key_hash = ? AND revoked_at IS NULL", [.blob(hash)],
            AdminKeyRecord.init
        )
    }

    /// The key of an app with this hash, even if it is revoked.
    package func find(hash: [UInt8], ofApp app: Int64) throws -> AdminKeyRecord? {
        try connection.first(
            "SELECT \(AdminKeyRecord.columns) FROM admin_keys WHERE key_hash = ? AND app_id = ?",
            [.blob(hash), .integer(app)], AdminKeyRecord.init
        )
    }

    package func find(id: Int64, app: Int64) throws -> AdminKeyRecord? {
        try connection.first(
            "SELECT \(AdminKeyRecord.columns) FROM admin_keys WHERE id = ? AND app_id = ?",
            [.integer(id), .integer(app)], AdminKeyRecord.init
        )
    }

    /// The keys of an app below a number, newest first, including revoked ones.
    package func list(app: Int64, before cursor: Int64?, limit: Int) throws -> [AdminKeyRecord] {
        try connection.query(
            Self.listSQL(connection.dialect), [.integer(app), .integer(cursor ?? .max), .integer(limit)],
            AdminKeyRecord.init
        )
    }

    /// Its arguments are the app, the cursor and the limit.
    package static func listSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(AdminKeyRecord.columns) FROM admin_keys WHERE \(dialect.isArgument("app_id")) AND id < ?
        ORDER BY app_id DESC, id DESC LIMIT ?
        """
    }

    /// How many keys of an app are not revoked, counted up to a limit.
    package func count(app: Int64, limit: Int) throws -> Int {
        try connection.first(
            """
            SELECT count(*) FROM (SELECT 1 FROM admin_keys WHERE app_id = ? AND revoked_at IS NULL LIMIT ?) k
            """,
            [.integer(app), .integer(limit)]
        ) { Int($0.integer(0)) } ?? 0
    }

    /// Revokes a key. A key that is already revoked keeps its time of revocation.
    package func revoke(_ id: Int64, now: Date) throws {
        try connection.execute(
            "UPDATE admin_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", [.date(now), .integer(id)]
        )
    }
}

extension SQLConnection {
    package var adminKeys: AdminKeyRepository { AdminKeyRepository(connection: self) }
}
