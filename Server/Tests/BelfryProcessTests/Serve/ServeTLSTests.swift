import BelfryServerTestSupport
import Foundation
import NIOSSL
import Testing

@Suite("A server with a certificate")
struct ServeTLSTests {
    /// Starts a server with the certificate in files of the stage's folder, and ends it.
    private static func withServer(
        _ certificate: TestCertificate, _ stage: Stage, _ body: (ServerProcess) async throws -> Void
    ) async throws {
        let run = try stage.startServer(options: try options(certificate, stage))
        let outcome: Result<Void, any Error>
        do {
            let address = try #require(await run.address, "\(run.standardError)")
            let key = try String(contentsOf: stage.dataDirectory.appending(path: "admin-key"), encoding: .utf8)
            let server = ServerProcess(
                address: address, adminKey: key.trimmingCharacters(in: .whitespacesAndNewlines), run: run
            )
            outcome = .success(try await body(server))
        } catch {
            outcome = .failure(error)
        }
        run.send(SIGKILL)
        _ = await run.exit
        try outcome.get()
    }

    private static func options(_ certificate: TestCertificate, _ stage: Stage) throws -> [String] {
        [
            "--tls-certificate", try stage.file("server.crt", certificate.pem), "--tls-key",
            try stage.file("server.key", certificate.keyPEM),
        ]
    }

    /// Asks a server for its health as somebody who trusts this certificate and no other.
    private static func isReached(_ server: ServerProcess, trusting certificate: TestCertificate) async throws -> Bool {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(certificate.pem.utf8), format: .pem)])
        let caller = HTTPCaller.make(tls: tls)
        let response = try? await caller.call(.GET, "\(server.address)/healthz")
        try await caller.client.shutdown()
        return response?.status == 200
    }

    @Test(
        "SEC-1, CLI-2, CLI-4: HTTPS is served, and commands reach it with --ca; without it they say why not",
        .timeLimit(.minutes(10))
    )
    func serves() async throws {
        try await withStage { stage in
            let certificate = try TestCertificate.good()
            try await Self.withServer(certificate, stage) { server in
                #expect(server.address.hasPrefix("https://127.0.0.1:"))
                #expect(try await Self.isReached(server, trusting: certificate))
                let file = stage.folder.appending(path: "server.crt").path
                let listed = try await stage.command(["app", "list", "--ca", file], at: server.address)
                #expect(listed.exit == .code(0), "\(listed.errors)")
                let byVariable = try await stage.command(
                    ["app", "list"], at: server.address, environment: ["BELFRY_CA": file]
                )
                #expect(byVariable.exit == .code(0), "\(byVariable.errors)")
                let rejected = try await stage.command(["app", "list"], at: server.address)
                rejected.expectError(1, naming: [server.address, "not trusted"])
                let none = try stage.file("none.pem", "nothing")
                let useless = try await stage.command(["app", "list", "--ca", none], at: server.address)
                useless.expectError(1, naming: [none, "--ca", "no PEM certificate"])
            }
        }
    }

    @Test("SEC-1: a new pair is served without a restart", .timeLimit(.minutes(10)))
    func reloads() async throws {
        try await withStage { stage in
            let (first, second) = (try TestCertificate.good(), try TestCertificate.good())
            try await Self.withServer(first, stage) { server in
                #expect(try await Self.isReached(server, trusting: first))
                _ = try Self.options(second, stage)
                _ = try await eventually("the new certificate is served") {
                    try await Self.isReached(server, trusting: second)
                } until: {
                    $0
                }
                #expect(try await !Self.isReached(server, trusting: first))
            }
        }
    }

    @Test(
        "SEC-1, CLI-2: a start with an unusable pair ends with a sentence that names the file",
        .timeLimit(.minutes(10))
    )
    func rejected() async throws {
        try await withStage { stage in
            let (good, other) = (try TestCertificate.good(), try TestCertificate.good())
            let options = try Self.options(good, stage)
            let key = try stage.file("other.key", other.keyPEM)
            let starts: [(options: [String], words: [String])] = [
                (Array(options.prefix(2)), ["tlsCertificate", "tlsKey"]),
                (Array(options.suffix(2)), ["tlsCertificate", "tlsKey"]),
                (Array(options.prefix(2)) + ["--tls-key", key], [key, options[1], "does not match the certificate"]),
                (Array(options.prefix(2)) + ["--tls-key", "/nowhere/key"], ["/nowhere/key", "cannot be read"]),
            ]
            for start in starts {
                let run = try stage.startServer(options: start.options)
                #expect(await run.address == nil, "it must not start")
                run.send(SIGKILL)
                #expect(await run.exit != .code(0))
                for word in start.words { #expect(run.standardError.contains(word), "\(run.standardError)") }
                #expect(!run.standardError.contains("PRIVATE KEY-----\nM"), "a key is never shown")
            }
        }
    }
}
