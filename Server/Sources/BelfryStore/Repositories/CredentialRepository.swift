import BelfryModel
import Foundation

/// A push service's credentials, sealed; `revision` grows with each `PUT`.
package struct CredentialRecord: Hashable, Sendable {
    package let sealed: [UInt8]
    package let revision: Int64
    package let updatedAt: Date
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
            "SELECT sealed, revision, updated_at FROM credentials WHERE app_id = ? AND provider = ?",
            [.integer(app), .text(provider.rawValue)]
        ) { CredentialRecord(sealed: $0.blob(0), revision: $0.integer(1), updatedAt: $0.date(2)) }
    }
}

/// The schema of an app's attributes (REG-25).
package struct AttributeRepository {
    let connection: any SQLConnection

    package func define(_ key: AttributeKey, type: AttributeType, app: Int64, now: Date) throws {
        try connection.execute(
            """
            INSERT INTO attributes (app_id, name, type, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (app_id, name) DO UPDATE SET type = excluded.type
            """,
            [.integer(app), .text(key.rawValue), .text(type.rawValue), .date(now)]
        )
    }

    package func schema(app: Int64) throws -> [String: AttributeType] {
        let pairs = try connection.query(
            "SELECT name, type FROM attributes WHERE app_id = ?", [.integer(app)]
        ) { row in
            guard let type = AttributeType(rawValue: row.text(1)) else {
                throw StoreError.corrupted(table: "attributes", key: row.text(0))
            }
            return (row.text(0), type)
        }
        // Two spellings of one text are one key in Swift and may be two rows in a database.
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}

extension SQLConnection {
    package var credentials: CredentialRepository { CredentialRepository(connection: self) }
    package var attributes: AttributeRepository { AttributeRepository(connection: self) }
}
