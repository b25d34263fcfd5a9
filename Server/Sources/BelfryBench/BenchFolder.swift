import Foundation

/// A folder of a benchmark's own, for its user's eyes only.
enum BenchFolder {
    /// Makes one, and removes it with all that is in it however the body ends.
    static func run<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
