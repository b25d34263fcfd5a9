import BelfrySQLite
import Foundation

/// Runs a test on a store as a server has it, whose commits wait for the disk; other tests' stores wait for none.
func withDurableSQLite(_ body: (SQLiteDatabase, URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-durable-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "belfry.sqlite")
    let database = try SQLiteDatabase(path: file.path, questions: .standard)
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(database, file)) } catch { outcome = .failure(error) }
    try database.close()
    try outcome.get()
}
