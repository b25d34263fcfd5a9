import BelfrySQLite
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@Suite("The database is damaged")
struct DamagedDatabaseTests {
    /// Makes the first page of a table unreadable, while no server runs.
    private static func damageAuditLog(in folder: URL) async throws {
        let file = folder.appending(path: "belfry.sqlite")
        let database = try SQLiteDatabase(path: file.path, questions: .standard)
        let page = try await database.read { connection in
            try connection.first(
                """
                SELECT rootpage, (SELECT page_size FROM pragma_page_size()) FROM sqlite_master
                WHERE name = 'audit_log'
                """,
                []
            ) { (number: $0.integer(0), size: $0.integer(1)) }
        }
        // What stands in the log is read from there.
        try await database.settle()
        try database.close()
        let found = try #require(page)
        let handle = try FileHandle(forUpdating: file)
        try handle.seek(toOffset: UInt64((found.number - 1) * found.size))
        try handle.write(contentsOf: Data(repeating: 0xFF, count: Int(found.size)))
        try handle.close()
    }

    @Test(
        "FLEET-11: a server that meets damage tells of it, and so does the next one from its start",
        .timeLimit(.minutes(10))
    )
    func reported() async throws {
        try await withStage { stage in
            let mark = stage.dataDirectory.appending(path: "database-damaged").path
            try await stage.withServer { try await stage.admin($0).createApp() }
            #expect(!FileManager.default.fileExists(atPath: mark))
            try await Self.damageAuditLog(in: stage.dataDirectory)
            try await stage.withServer { server in
                _ = try await eventually("the server says that its database is damaged") {
                    _ = try await stage.command(["audit"], at: server.address)
                    return FileManager.default.fileExists(atPath: mark)
                } until: {
                    $0
                }
            }
            try await stage.withServer { server in
                _ = try await eventually("the next one says so") {
                    let response = try await stage.http.call(.GET, "\(server.address)/metrics")
                    return String(decoding: response.body, as: UTF8.self)
                } until: {
                    $0.contains("belfry_database_damaged 1\n")
                }
            }
        }
    }
}
