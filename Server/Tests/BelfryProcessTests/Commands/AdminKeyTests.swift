import Foundation
import Testing

@Suite("The admin key")
struct AdminKeyTests {
    private static let key = "a-root-key-of-the-environment-0123456789abcdef"
    private static let otherKey = "another-key-of-somebody-else-0123456789abcdef"
    private static let variable = "BELFRY_ADMIN_KEY"

    /// How a server with the key in its environment responds to a command.
    private static func ask(_ stage: Stage, _ address: String, _ key: String?, options: [String] = []) async throws
        -> CommandOutcome
    {
        let environment = key.map { [variable: $0] } ?? [:]
        return try await stage.command(["app", "list"] + options, at: address, environment: environment)
    }

    @Test(
        "CLI-4, ADM-1: BELFRY_ADMIN_KEY is the server's root key and the commands' key, before the usual file",
        .timeLimit(.minutes(10))
    )
    func ofTheEnvironment() async throws {
        try await withStage { stage in
            let usual = stage.dataDirectory.appending(path: "admin-key")
            // The first server makes its own key, which counts no more when the variable is set.
            let generated = try await stage.withServer { $0.adminKey }
            let run = try stage.startServer(environment: [Self.variable: Self.key])
            let address = try #require(await run.address, "\(run.standardError)")
            #expect(try await Self.ask(stage, address, Self.key).exit == .code(0))
            #expect(try await Self.ask(stage, address, Self.otherKey).exit == .code(1))
            #expect(try String(contentsOf: usual, encoding: .utf8).contains(generated))
            #expect(try await Self.ask(stage, address, nil).exit == .code(1), "the key of the file is not the root key")
            let file = try stage.file("own-key", "\(Self.key)\n")
            let named = try await Self.ask(stage, address, Self.otherKey, options: ["--key-file", file])
            #expect(named.exit == .code(0), "the option wins over the variable")
            run.send(SIGTERM)
            #expect(await run.exit == .code(0))
            #expect(!run.standardError.contains(Self.key), "the key is in the log")
        }
    }

    @Test("ADM-1, SEC-3: a server with BELFRY_ADMIN_KEY writes no key to its data directory", .timeLimit(.minutes(10)))
    func noFile() async throws {
        try await withStage { stage in
            let run = try stage.startServer(environment: [Self.variable: Self.key])
            let address = await run.address
            #expect(address != nil, "\(run.standardError)")
            run.send(SIGTERM)
            #expect(await run.exit == .code(0))
            let usual = stage.dataDirectory.appending(path: "admin-key")
            #expect(!FileManager.default.fileExists(atPath: usual.path))
            var files = 0
            for name in try FileManager.default.subpathsOfDirectory(atPath: stage.dataDirectory.path) {
                let place = stage.dataDirectory.appending(path: name)
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder)
                guard !isFolder.boolValue else { continue }
                #expect(try Data(contentsOf: place).range(of: Data(Self.key.utf8)) == nil, "the key is in \(name)")
                files += 1
            }
            #expect(files > 1, "the database and the browser SDK's files")
        }
    }
}
