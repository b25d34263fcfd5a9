import BelfryModel
import Foundation

/// An app and its settings.
package struct AppRecord: Hashable, Sendable {
    package let id: Int64
    package let code: AppCode
    package var name: String
    package var settings: AppSettings

    package init(id: Int64, code: AppCode, name: String, settings: AppSettings) {
        self.id = id
        self.code = code
        self.name = name
        self.settings = settings
    }
}

package struct AppRepository {
    let connection: any SQLConnection

    package func insert(code: AppCode, name: String, settings: AppSettings, now: Date) throws -> Int64 {
        let ids = try connection.query(
            """
            INSERT INTO apps (code, name, settings, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (code) DO NOTHING RETURNING id
            """,
            [.text(code.rawValue), .text(name), .text(try JSONText.encode(settings)), .date(now)]
        ) { $0.integer(0) }
        guard let id = ids.first else { throw StoreError.duplicate(key: code.rawValue) }
        try connection.audiences.create(app: id)
        return id
    }

    package func find(_ code: AppCode) throws -> AppRecord? {
        try connection.first("SELECT id, code, name, settings FROM apps WHERE code = ?", [.text(code.rawValue)], read)
    }

    package func find(id: Int64) throws -> AppRecord? {
        try connection.first("SELECT id, code, name, settings FROM apps WHERE id = ?", [.integer(id)], read)
    }

    package func codes(limit: Int) throws -> [String] {
        try connection.query("SELECT code FROM apps LIMIT ?", [.integer(limit)]) { $0.text(0) }
    }

    package func all() throws -> [AppRecord] {
        try connection.query("SELECT id, code, name, settings FROM apps ORDER BY id", [], read)
    }

    /// In the order in which they were made, from behind the cursor on; or one alone.
    package func list(only: Int64?, after cursor: Int64?, limit: Int) throws -> [AppRecord] {
        var arguments: [SQLValue] = [.integer(cursor ?? 0)]
        if let only { arguments.append(.integer(only)) }
        arguments.append(.integer(limit))
        return try connection.query(
            """
            SELECT id, code, name, settings FROM apps WHERE id > ? \(only == nil ? "" : "AND id = ?")
            ORDER BY id LIMIT ?
            """,
            arguments, read
        )
    }

    package func save(settings: AppSettings, of app: Int64) throws {
        try connection.execute(
            "UPDATE apps SET settings = ? WHERE id = ?", [.text(try JSONText.encode(settings)), .integer(app)]
        )
    }

    private func read(_ row: any SQLRow) throws -> AppRecord {
        guard let code = try? AppCode(row.text(1)) else {
            throw StoreError.corrupted(table: "apps", key: row.text(1))
        }
        return AppRecord(
            id: row.integer(0), code: code, name: row.text(2),
            settings: try JSONText.decode(AppSettings.self, row.text(3))
        )
    }
}

extension SQLConnection {
    package var apps: AppRepository { AppRepository(connection: self) }
}
