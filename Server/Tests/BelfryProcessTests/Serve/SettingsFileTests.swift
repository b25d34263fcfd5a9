import Foundation
import Testing

@Suite("The settings file")
struct SettingsFileTests {
    private static let key = "a-secret-that-nobody-may-ever-see-0123456789"

    private static func start(_ yaml: String, on stage: Stage) throws -> ProgramRun {
        let file = stage.folder.appending(path: "belfry.yaml")
        try Data(yaml.utf8).write(to: file)
        return try stage.startServer(options: ["--config", file.path])
    }

    @Test(
        "CLI-2: an unknown key is reported, with the probable one; a secret is not repeated",
        .timeLimit(.minutes(10)),
        arguments: [
            ("rateLimits: 60\n", ["Line 1", "'rateLimits'", "'rateLimit'"]),
            ("ratelimit: 60\n", ["'ratelimit'", "'rateLimit'"]),
            ("Host: 127.0.0.1\n", ["'Host'", "'host'"]), ("admin_key: \(key)\n", ["'admin_key'", "'adminKey'"]),
            ("colour: red\n", ["'colour'", "host", "trustedProxies"]),
            ("port: 0\nserver:\n  port: 1\n", ["'server'"]), ("host: [127.0.0.1]\n", ["'host'", "one value"]),
            ("port: 0\nport: 1\n", ["twice"]), ("- host\n", ["YAML"]), ("adminKey: \"\(key)\n", ["YAML", "line"]),
            ("rateLimit: fast\n", ["rateLimit", "fast", "off"]), ("appBudget: 0\n", ["appBudget", "MiB", "off"]),
            ("trustedProxies: [10.0.0.0/8, proxy]\n", ["trustedProxies", "proxy", "10.0.0.0/8"]),
            ("webPushHosts: [push.example.com, 'https://x']\n", ["webPushHosts", "https://x", "push.apple.com"]),
            ("bodyMemory: 15\n", ["bodyMemory", "15", "16 to"]),
            ("connectionsPerAddress: 0\n", ["connectionsPerAddress", "'0'", "off", "1 to 10000"]),
            ("port: 0\nallowPrivateEndpoints: perhaps\n", ["Line 2", "allowPrivateEndpoints", "perhaps", "true"]),
        ]
    )
    func rejected(yaml: String, words: [String]) async throws {
        try await withStage { stage in
            let run = try Self.start(yaml, on: stage)
            let address = await run.address
            run.send(SIGKILL)
            let exit = await run.exit
            #expect(address == nil, "it must not start")
            guard case .code(let code) = exit else {
                Issue.record("it was ended by a signal: \(exit)")
                return
            }
            #expect(code != 0)
            let text = run.standardError
            for word in words { #expect(text.contains(word), "does not say '\(word)': \(text)") }
            for trace in [Self.key, "Fatal error", "Error Domain="] { #expect(!text.contains(trace), "\(text)") }
        }
    }

    @Test("CLI-2: a missing file is reported", .timeLimit(.minutes(10)))
    func missing() async throws {
        try await withStage { stage in
            let file = stage.folder.appending(path: "nothing.yaml")
            let run = try stage.startServer(options: ["--config", file.path])
            #expect(await run.address == nil)
            _ = await run.exit
            #expect(run.standardError.contains(file.path))
        }
    }

    @Test(
        "CLI-2: every key may be in the file, as a list if there may be several; the file may be empty",
        .timeLimit(.minutes(10)),
        arguments: [
            "", "# nothing\n",
            """
            host: 127.0.0.2
            port: 1
            data: elsewhere
            adminKey: \(key)
            secretKey: \(key)
            allowPrivateEndpoints: false
            rateLimit: off
            appBudget: 100
            trustedProxies:
              - 10.0.0.0/8
              - "::1"
            """,
        ]
    )
    func taken(yaml: String) async throws {
        try await withStage { stage in
            // The flags win, so that the test knows where the server is.
            let run = try Self.start(yaml, on: stage)
            let address = await run.address
            run.send(SIGTERM)
            let exit = await run.exit
            #expect(address?.hasPrefix("http://127.0.0.1:") == true, "\(run.standardError)")
            #expect(exit == .code(0))
            #expect(FileManager.default.fileExists(atPath: stage.dataDirectory.appending(path: "belfry.sqlite").path))
        }
    }
}
