import BelfryModel
import Foundation

/// A push service's sealed credentials. `revision` grows with each `PUT` and each removal, and is never used twice.
package struct CredentialRecord: Hashable, Sendable {
    package let sealed: [UInt8]
    package let revision: Int64
    package let updatedAt: Date

    package init(sealed: [UInt8], revision: Int64, updatedAt: Date) {
        self.sealed = sealed
        self.revision = revision
        self.updatedAt = updatedAt
    }
}

extension CredentialRecord {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case sealed, revision, updatedAt

        var sql: SQLText {
            switch self {
            case .sealed: "sealed"
            case .revision: "revision"
            case .updatedAt: "updated_at"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(sealed: row.blob(.sealed), revision: row.integer(.revision), updatedAt: row.date(.updatedAt))
    }
}

package struct CredentialRepository {
    let connection: any SQLConnection

    package func save(_ sealed: [UInt8], app: Int64, provider: PushProvider, now: Date) throws {
        try connection.execute(
            """
            INSERT INTO credentials (app_id, provider, sealed, revision, updated_at) VALUES (?, ?, ?, 1, ?)
            ON CONFLICT (app_id, provider) DO UPDATE
            SET sealed = excluded.sealed, revision = credentials.revision + 1, updated_at = excluded.updated_at
            """,
            [.integer(app), .text(provider.rawValue), .blob(sealed), .date(now)]
        )
    }

    package func find(app: Int64, provider: PushProvider) throws -> CredentialRecord? {
        try connection.first(
            """
            SELECT \(CredentialRecord.columns) FROM credentials
            WHERE app_id = ? AND provider = ? AND length(sealed) > 0
            """,
            [.integer(app), .text(provider.rawValue)], CredentialRecord.init
        )
    }

    /// The credentials of an app, by push service.
    package func all(app: Int64) throws -> [PushProvider: CredentialRecord] {
        let rows = try connection.query(
            """
            SELECT \(CredentialRecord.columns), provider FROM credentials WHERE app_id = ? AND length(sealed) > 0
            """,
            [.integer(app)]
        ) { row in
            PushProvider(rawValue: row.text(CredentialRecord.Column.columnCount)).map { ($0, CredentialRecord(row)) }
        }
        return Dictionary(rows.compactMap { $0 }, uniquingKeysWith: { first, _ in first })
    }

    /// Empties the row but keeps it: credentials that are stored later get a new revision, so no process takes them for
    /// those that it already uses.
    package func remove(app: Int64, provider: PushProvider, now: Date) throws {
        try connection.execute(
            """
            UPDATE credentials SET sealed = ?, revision = revision + 1, updated_at = ?
            WHERE app_id = ? AND provider = ?
            """,
            [.blob([]), .date(now), .integer(app), .text(provider.rawValue)]
        )
    }
}

extension SQLConnection {
    package var credentials: CredentialRepository { CredentialRepository(connection: self) }
}
