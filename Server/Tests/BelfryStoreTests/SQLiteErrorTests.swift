import BelfrySQLite
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

struct SQLiteErrorTests {
    private static func withDatabase(
        _ body: (SQLiteDatabase, @Sendable () -> [String]) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-errors-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let words = Words()
        let database = try SQLiteDatabase(
            path: folder.appending(path: "belfry.sqlite").path, durability: .nothing, questions: .standard,
            onError: { words.add($0) }
        )
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(database, { words.all })) } catch { outcome = .failure(error) }
        try database.close()
        try outcome.get()
    }

    private final class Words: Sendable {
        private let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }
        func add(_ word: String) { words.withLock { $0.append(word) } }
    }

    @Test("FLEET-11: what SQLite has failed of a write or a read is told as a word, once for each")
    func words() async throws {
        try await Self.withDatabase { database, words in
            let (without, row): (SQLText, SQLText) = (
                "INSERT INTO device_openings (device_id) VALUES (1)",
                "INSERT INTO device_openings (device_id, at) VALUES (1, 1)"
            )
            await #expect(throws: StoreError.self) {
                try await database.write { _ = try $0.execute(without, []) }
            }
            #expect(words() == ["constraint_notnull"])
            try await database.write { _ = try $0.execute(row, []) }
            await #expect(throws: StoreError.self) {
                try await database.write { _ = try $0.execute(row, []) }
            }
            #expect(words() == ["constraint_notnull", "constraint_primarykey"])
            await #expect(throws: (any Error).self) {
                try await database.read { try $0.first("SELECT missing FROM device_openings", []) { $0.integer(0) } }
            }
            // A read that may be done where its caller stands.
            await #expect(throws: (any Error).self) {
                try await database.glance { try $0.first("SELECT missing FROM apps", []) { $0.integer(0) } }
            }
            #expect(words().dropFirst(2) == ["error", "error"])
        }
    }

    @Test("FLEET-11, SEC-8: a file that SQLite cannot read is said to be damaged, by reads and by writes")
    func damage() async throws {
        try await Self.withDatabase { database, words in
            try await database.write { connection in
                // A table that begins behind the end of the file.
                try connection.execute("PRAGMA writable_schema = ON")
                try connection.execute("UPDATE sqlite_master SET rootpage = 99999 WHERE name = 'device_openings'")
                try connection.execute("PRAGMA schema_version = 9999")
            }
            let ofRead = try await #require(throws: StoreError.self) {
                try await database.read { try $0.first("SELECT at FROM device_openings", []) { $0.integer(0) } }
            }
            let ofWrite = try await #require(throws: StoreError.self) {
                try await database.write { _ = try $0.execute("DELETE FROM device_openings", []) }
            }
            #expect(Self.isDamage(ofRead) && Self.isDamage(ofWrite), "\(ofRead), \(ofWrite)")
            #expect(words() == ["corrupt", "corrupt"])
        }
    }

    private static func isDamage(_ error: StoreError) -> Bool {
        if case .damaged = error { true } else { false }
    }

    @Test("FLEET-11: what a caller refuses by itself is no error of the database")
    func own() async throws {
        try await Self.withDatabase { database, words in
            await #expect(throws: StoreError.crowded) {
                try await database.write { _ -> Void in throw StoreError.crowded }
            }
            await #expect(throws: StoreError.crowded) {
                try await database.read { _ -> Void in throw StoreError.crowded }
            }
            #expect(words().isEmpty)
        }
    }
}
