import Foundation

/// A server of a benchmark's own: `belfry serve` as a child process on a fresh data directory.
struct BenchServer: Sendable {
    /// `http://127.0.0.1:PORT`
    let address: String
    let admin: AdminClient
    /// For files that are gone afterwards.
    let folder: URL

    /// Runs one, and ends it and removes its data however the body ends.
    static func run<Value>(_ body: (BenchServer) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = folder.appending(path: "data")
        let child = try ChildProcess.start(
            try executable(),
            ["serve", "--host", "127.0.0.1", "--port", "0", "--data", data.path, "--log-level", "warning"],
            environment: environment
        )
        let outcome: Result<Value, any Error>
        do {
            let address = try await address(of: child)
            let key = try String(contentsOf: data.appending(path: "admin-key"), encoding: .utf8)
            let admin = AdminClient(server: address, key: key.trimmingCharacters(in: .whitespacesAndNewlines))
            outcome = .success(try await body(BenchServer(address: address, admin: admin, folder: folder)))
        } catch {
            outcome = .failure(error)
        }
        child.send(SIGTERM)
        _ = await child.status
        return try outcome.get()
    }

    /// Ours, without what would set another server up.
    private static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BELFRY_") }
    }

    private static func executable() throws -> URL {
        guard let executable = Bundle.main.executableURL else { throw BenchServerError.unknownProgram }
        return executable
    }

    private static func address(of child: ChildProcess) async throws -> String {
        let prefix = "Belfry listens on "
        for await line in child.lines where line.hasPrefix(prefix) {
            return String(line.dropFirst(prefix.count).dropLast())
        }
        try Task.checkCancellation()
        throw BenchServerError.notStarted(status: await child.status)
    }
}

enum BenchServerError: Error, CustomStringConvertible {
    case unknownProgram
    case notStarted(status: Int32)

    var description: String {
        switch self {
        case .unknownProgram: "This program's own file is not known, so no server can be started from it."
        case .notStarted(let status): "The server ended with \(status) before it took requests."
        }
    }
}
