import BelfryServerTestSupport
import Foundation
import NIOCore
import Testing

/// SEC-11: a database server that is not on loopback proves that it is the one that the address names.
@Suite(
    "PostgreSQL over TLS",
    .enabled(if: ownAddress != nil, "NOT tested here: this machine has no other address than loopback"))
struct PostgresTLSTests {
    @Test(
        """
        SEC-11, SEC-3: without a certificate that holds the start is refused, with what to do; with one it is not; and \
        what the address says holds
        """,
        .timeLimit(.minutes(10))
    )
    func verified() async throws {
        let own = try #require(ownAddress)
        let certificate = try TestCertificate.good()
        try await withStage { stage in
            try await stage.withPostgresCluster { cluster in
                try await cluster.listen(on: own, showing: certificate)
                let root = stage.folder.appending(path: "root.pem")
                try certificate.pem.write(to: root, atomically: true, encoding: .utf8)
                let base = cluster.address(password: PostgresCluster.password)
                // The name is looked up nowhere: the address that belongs to it stands beside it. A busy machine may take
                // longer than 5 s for a handshake.
                func address(_ name: String, _ options: String) -> String {
                    base.replacing("127.0.0.1", with: name) + "?hostaddr=\(own)&connect_timeout=300\(options)"
                }
                try await expectError(address("localhost", ""), ["certificate", "sslrootcert"], stage)
                try await expectError(
                    address("db.test", "&sslrootcert=\(root.path)"), ["db.test", "does not match"], stage)
                for options in ["&sslrootcert=\(root.path)", "&sslmode=require", "&sslmode=disable"] {
                    let environment = ServerDatabase.environment(address("localhost", options))
                    try await stage.withServer(environment: environment) { server in
                        let response = try await stage.http.call(.GET, "\(server.address)/readyz")
                        #expect(response.status == 200)
                    }
                }
                // Over loopback nothing is asked for.
                try await stage.withServer(environment: ServerDatabase.environment(base)) { server in
                    let response = try await stage.http.call(.GET, "\(server.address)/readyz")
                    #expect(response.status == 200)
                }
            }
        }
    }

    private func expectError(_ address: String, _ words: [String], _ stage: Stage) async throws {
        let run = try stage.startServer(environment: ServerDatabase.environment(address))
        let listens = await run.address
        run.send(SIGKILL)
        let exit = await run.exit
        let text = run.standardError
        #expect(listens == nil && exit == .code(1), "\(text)")
        for word in words { #expect(text.contains(word), "does not say '\(word)': \(text)") }
        #expect(!text.contains(PostgresCluster.password), "a password is never shown")
    }
}

/// An IPv4 address of this machine that is none of loopback.
private let ownAddress: String? = {
    let addresses = (try? System.enumerateDevices())?.compactMap(\.address) ?? []
    return addresses.first { $0.protocol == .inet && $0.ipAddress?.hasPrefix("127.") == false }?.ipAddress
}()
