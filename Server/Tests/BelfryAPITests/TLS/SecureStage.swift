import BelfryServerTestSupport
import BelfryServices
import Foundation
import Hummingbird
import HummingbirdCore
import InMemoryLogging
import Logging
import NIOSSL
import Testing

@testable import BelfryAPI

/// A folder with a certificate and its key, and the watch over them.
struct SecureStage: Sendable {
    let folder: URL
    let clock: ManualClock
    let log: InMemoryLogHandler

    var files: ServerCertificateFiles {
        ServerCertificateFiles(
            certificate: folder.appending(path: "server.crt").path, key: folder.appending(path: "server.key").path
        )
    }

    /// Runs a test in a fresh folder, and removes it afterwards.
    static func run(_ test: (SecureStage) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(SecureStage(folder: folder, clock: ManualClock(Date()), log: InMemoryLogHandler()))
    }

    /// Puts texts into the files as certificate tools do: written beside and renamed.
    func put(certificate: String? = nil, key: String? = nil) throws {
        for (text, path) in [(certificate, files.certificate), (key, files.key)] {
            if let text { try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) }
        }
    }

    func put(_ certificate: TestCertificate) throws {
        try put(certificate: certificate.pem, key: certificate.keyPEM)
    }

    func watch() throws(ServerCertificateError) -> CertificateWatch {
        try CertificateWatch(
            files: files, environment: TestServer.environment(clock),
            logger: Logger(label: "belfry.test") { [log] _ in log }
        )
    }

    /// The log entries at `notice` or above, in order.
    var logged: [String] { log.entries.filter { $0.level >= .notice }.map { "\($0.message)" } }

    /// Serves on a socket inside TLS, as the program does.
    func serve(
        _ watch: CertificateWatch, idleTimeout: Duration = .seconds(600),
        _ test: @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let logger = Logger(label: "belfry.test") { [log] _ in log }
            let builder = HTTPServerBuilder { [lane = ExpressLane(services: server.services)] responder in
                var settings = ServerWay.settings
                settings.idleTimeout = idleTimeout
                settings.isSecure = true
                let express = ExpressChannel(
                    responder: responder, lane: lane, settings: settings, rules: server.rules
                )
                return SecureChannel(express: express) { watch.context }
            }
            let router = makeRouter(server.services, logger: logger)
            try await ServerSocket.serve(router, by: builder, logger: logger) { try await test($0.port) }
        }
    }
}
