import Foundation

/// A temporary folder for a benchmark, which only its user can read.
enum BenchFolder {
    /// Creates a folder, runs the body, and removes the folder with its content, also after an error.
    static func run<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
