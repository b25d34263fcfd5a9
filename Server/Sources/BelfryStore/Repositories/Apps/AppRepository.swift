import BelfryModel
import BelfryServerModel
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

extension AppRecord {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, code, name, settings

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .code: "code"
            case .name: "name"
            case .settings: "settings"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        guard let code = try? AppCode(row.text(.code)) else {
            throw StoreError.corrupted(table: "apps", key: row.text(.code))
        }
        self.init(
            id: row.integer(.id), code: code, name: row.text(.name),
            settings: try JSONText.decode(AppSettings.self, row.text(.settings))
        )
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
        try connection.first(
            "SELECT \(AppRecord.columns) FROM apps WHERE code = ?", [.text(code.rawValue)], AppRecord.init
        )
    }

    package func find(id: Int64) throws -> AppRecord? {
        try connection.first("SELECT \(AppRecord.columns) FROM apps WHERE id = ?", [.integer(id)], AppRecord.init)
    }

    package func codes(limit: Int) throws -> [String] {
        try connection.query("SELECT code FROM apps LIMIT ?", [.integer(limit)]) { $0.text(0) }
    }

    /// The codes of apps, each with the app's number.
    package func codes(of apps: Set<Int64>) throws -> [(Int64, String)] {
        try connection.query(
            "SELECT id, code FROM apps WHERE id IN (\(connection.dialect.integers))", [.integers(apps)]
        ) { ($0.integer(0), $0.text(1)) }
    }

    package func all() throws -> [AppRecord] {
        try connection.query("SELECT \(AppRecord.columns) FROM apps ORDER BY id", [], AppRecord.init)
    }

    /// The apps in the order of creation, after the cursor; or only one app.
    package func list(only: Int64?, after cursor: Int64?, limit: Int) throws -> [AppRecord] {
        var arguments: [SQLValue] = [.integer(cursor ?? 0)]
        if let only { arguments.append(.integer(only)) }
        arguments.append(.integer(limit))
        return try connection.query(
            """
            SELECT \(AppRecord.columns) FROM apps WHERE id > ? \(only == nil ? "" : "AND id = ?")
            ORDER BY id LIMIT ?
            """,
            arguments, AppRecord.init
        )
    }

    package func save(name: String, of app: Int64) throws {
        try connection.execute("UPDATE apps SET name = ? WHERE id = ?", [.text(name), .integer(app)])
    }

    package func save(settings: AppSettings, of app: Int64) throws {
        try connection.execute(
            "UPDATE apps SET settings = ? WHERE id = ?", [.text(try JSONText.encode(settings)), .integer(app)]
        )
    }
}

extension SQLConnection {
    package var apps: AppRepository { AppRepository(connection: self) }
}
