import BelfryModel
import Foundation

/// A push service's credentials, sealed; `revision` grows with each `PUT` and each removal, and never comes twice.
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

    /// Those of an app, by push service.
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

    /// Empties the row and keeps it: credentials that are put later have a revision of their own, so nobody takes them
    /// for those that he has open.
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
            let number = try nextNumber(app: app)
            try connection.execute(
                "INSERT INTO attributes (app_id, name, type, created_at, number) VALUES (?, ?, ?, ?, ?)",
                [.integer(app), .text(key.rawValue), .text(type.rawValue), .date(now), .integer(number)]
            )
            return try connection.audiences.add(AudienceColumns.Attribute(type: type, number: number), app: app)
        }
        guard known.type != type else { return }
        try connection.execute(
            "UPDATE attributes SET type = ? WHERE app_id = ? AND name = ?",
            [.text(type.rawValue), .integer(app), .text(key.rawValue)]
        )
        guard [known.type, type].contains(.date) else { return }
        try connection.audiences.renumber(AudienceColumns.Attribute(type: type, number: known.number), app: app)
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
        // Two spellings of one text are one key in Swift and may be two rows in a database.
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}

extension SQLConnection {
    package var credentials: CredentialRepository { CredentialRepository(connection: self) }
    package var attributes: AttributeRepository { AttributeRepository(connection: self) }
}
