import BelfryAPI
import BelfryServerTestSupport
import BelfryStore
import Crypto
import Foundation
import NIOSSL
import Testing

@Suite("belfry doctor on real deployments")
struct DoctorTests {
    /// What it prints for programs.
    private struct Report: Decodable {
        struct Finding: Decodable {
            let check: String
            let verdict: String
            let finding: String
            let advice: String?
        }

        let findings: [Finding]
        let verdict: String

        func verdicts(_ check: String) -> [String] { findings.filter { $0.check == check }.map(\.verdict) }
        func text(_ check: String) -> String { findings.filter { $0.check == check }.map(\.finding).joined() }
    }

    private func examine(
        _ stage: Stage, _ arguments: [String] = [], at address: String? = nil, environment: [String: String] = [:]
    ) async throws -> (report: Report, exit: ProgramRun.Exit) {
        let outcome = try await stage.command(
            ["doctor", "--json", "--data", stage.dataDirectory.path] + arguments, at: address, environment: environment)
        try #require(outcome.errors.isEmpty, "\(outcome.errors)")
        let report = try outcome.decoded(as: Report.self)
        let codes: [String: Int32] = ["ok": 0, "warning": 1, "error": 2]
        #expect(outcome.exit == .code(codes[report.verdict] ?? -1))
        return (report, outcome.exit)
    }

    /// Examines until each push service has said something of the app's credentials: the doctor asks once, and a connection
    /// may be long in coming.
    private func examineAnswered(
        _ stage: Stage, _ arguments: [String] = [], at address: String? = nil
    ) async throws -> (report: Report, exit: ProgramRun.Exit) {
        try await eventually("the push services answer the doctor") {
            try await examine(stage, arguments, at: address)
        } until: {
            !$0.report.verdicts("credentials").contains("warning")
        }
    }

    private func mode(_ path: URL, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.path)
    }

    @Test("CLI-6: before the first start nothing is there, and nothing is made")
    func fresh() async throws {
        try await withStage { stage in
            let (report, exit) = try await examine(stage, ["--port", "0"])
            #expect(report.verdicts("folder") == ["warning"] && report.verdicts("database") == ["warning"])
            #expect(exit == .code(1))
            #expect(!FileManager.default.fileExists(atPath: stage.dataDirectory.path))
            let wrong = try await stage.command(["doctor", "--port", "70000"])
            #expect(wrong.exit == .code(2) && wrong.output.contains("70000"))
        }
    }

    @Test(
        "CLI-6, SEC-8: a deployment with simulators, while its server runs and when it does not; each fault shows",
        .timeLimit(.minutes(10)))
    func deployment() async throws {
        try await withStage { stage in
            try await stage.withPushServices { services in
                try await stage.withServer { server in
                    let admin = stage.admin(server)
                    try await admin.createApp()
                    _ = try await services.putCredentials(admin)
                    let (report, _) = try await examineAnswered(stage, at: server.address)
                    #expect(report.verdicts("credentials") == ["ok", "ok", "ok"], "\(report.text("credentials"))")
                    for check in ["settings", "folder", "database", "schema", "server", "proxy", "quarantine"] {
                        #expect(report.verdicts(check) == ["ok"], "\(report.text(check))")
                    }
                    #expect(report.verdicts("clock").contains("ok"), "\(report.text("clock"))")
                    // It finds the server by its port, too.
                    let port = try #require(URL(string: server.address)?.port)
                    let (found, _) = try await examine(stage, ["--port", "\(port)"])
                    #expect(found.verdicts("port") == ["ok"] && found.verdicts("server") == ["ok"])
                    // By a port where nobody listens it says that a server runs, and tries no credentials beside it.
                    let (lost, _) = try await examine(stage, ["--port", "0"])
                    #expect(lost.verdicts("port") == ["warning"], "\(lost.text("port"))")
                    #expect(lost.verdicts("credentials") == ["warning"], "\(lost.text("credentials"))")
                    try await named(stage, server, port: port, services)
                    try await locked(stage, port: port)
                    try await forwarded(stage, server)
                    // A key that APNs does not know.
                    try await admin.putCredentials(
                        APNsCredentialsRequest(
                            teamId: "TEAM123456", keyId: "KEY1234567", topic: PushServicesProcess.topic,
                            privateKey: P256.Signing.PrivateKey().pemRepresentation,
                            endpoint: services.addresses["APNs production"], trustRoots: services.trustRoots))
                    let (wrong, exit) = try await examineAnswered(stage, at: server.address)
                    #expect(wrong.verdicts("credentials") == ["error", "ok", "ok"] && exit == .code(2))
                    #expect(wrong.text("credentials").contains("InvalidProviderToken"))
                }
                // Without a server it asks the push services itself.
                let (alone, _) = try await examineAnswered(stage, ["--port", "0"])
                #expect(alone.verdicts("credentials") == ["error", "ok", "ok"], "\(alone.text("credentials"))")
                #expect(alone.verdicts("server") == [] && alone.verdicts("quarantine") == ["ok"])
            }
            try await broken(stage)
        }
    }

    /// A server whose address is said is known on its port, and so is another than the one that is meant.
    private func named(
        _ stage: Stage, _ server: ServerProcess, port: Int, _ services: PushServicesProcess
    ) async throws {
        let (own, _) = try await examine(stage, ["--port", "\(port)"], at: server.address)
        #expect(own.verdicts("port") == ["ok"] && own.verdicts("server") == ["ok"], "\(own.text("port"))")
        let (other, _) = try await examine(stage, ["--port", "\(port)"], at: "http://127.0.0.1:1")
        #expect(other.verdicts("port") == ["ok"] && other.verdicts("server") == ["error"], "\(other.text("port"))")
        // The control API of the simulators has the port.
        let control = try #require(URL(string: services.control)?.port)
        let (taken, _) = try await examine(stage, ["--port", "\(control)"], at: server.address)
        #expect(taken.verdicts("port") == ["error"] && taken.verdicts("server") == ["ok"], "\(taken.text("port"))")
    }

    /// Credentials that the running server cannot be asked to try are tried by nobody.
    private func locked(_ stage: Stage, port: Int) async throws {
        let key = try stage.file("wrong.key", "another-key-of-at-least-32-characters")
        let (wrong, _) = try await examine(stage, ["--port", "\(port)", "--key-file", key])
        #expect(wrong.verdicts("port") == ["ok"] && wrong.verdicts("server") == ["warning"], "\(wrong.text("server"))")
        #expect(wrong.verdicts("credentials") == ["warning"], "\(wrong.text("credentials"))")
        #expect(wrong.text("credentials").contains("shop were not tried") && wrong.verdicts("quarantine") == ["ok"])
        let (away, _) = try await examine(stage, ["--port", "\(port)"], at: "http://127.0.0.1:1")
        #expect(away.verdicts("credentials") == ["warning"], "\(away.text("credentials"))")
    }

    /// A proxy that is not trusted, as a caller with its header.
    private func forwarded(_ stage: Stage, _ server: ServerProcess) async throws {
        let response = try await stage.http.call(
            .GET, "\(server.address)/api/v1/server",
            headers: [("Authorization", "Bearer \(server.adminKey)"), ("X-Forwarded-For", "192.0.2.7")])
        let seen = try response.decoded(as: ServerViewResponse.self)
        #expect(seen.isForwarded && !seen.isProxyTrusted && seen.peer == "127.0.0.1" && seen.caller == "127.0.0.1")
    }

    /// The database of the deployment from now on is the stage's alone.
    private func broken(_ stage: Stage) async throws {
        try mode(stage.dataDirectory.appending(path: "admin-key"), 0o644)
        let (open, _) = try await examine(stage, ["--port", "0"])
        #expect(open.verdicts("folder") == ["error"])
        try mode(stage.dataDirectory.appending(path: "admin-key"), 0o600)
        let mark = stage.dataDirectory.appending(path: "database-damaged")
        try Data("2026-11-21T12:00:00.000Z corrupt\n".utf8).write(to: mark)
        let (damaged, _) = try await examine(stage, ["--port", "0"])
        #expect(damaged.verdicts("damage") == ["error"] && open.verdicts("damage") == ["ok"])
        try FileManager.default.removeItem(at: mark)
        let secret = stage.dataDirectory.appending(path: "secret-key")
        try Data("another-secret-of-at-least-32-characters".utf8).write(to: secret)
        try mode(secret, 0o600)
        let (unreadable, _) = try await examine(stage, ["--port", "0"])
        #expect(unreadable.verdicts("credentials") == ["error", "error", "error"])
        let store = try Engine.sqlite.open(at: stage.dataDirectory)
        _ = try await store.database.write { connection in
            try connection.execute(
                """
                INSERT INTO work_attempts (kind, subject, part, status, attempts, lease_until, since)
                VALUES ('batch', 1, 1, 'quarantined', 3, 0, 0)
                """)
        }
        let (aside, _) = try await examine(stage, ["--port", "0"])
        #expect(aside.verdicts("quarantine") == ["warning"])
        _ = try await store.database.write { connection in
            try connection.execute("INSERT INTO schema_version (version) VALUES (9999)")
        }
        let (newer, exit) = try await examine(stage, ["--port", "0"])
        #expect(newer.verdicts("schema") == ["error"] && exit == .code(2))
        try store.close()
    }

    /// Waits until a server says that it can serve, whoever its certificate is for.
    private func awaitReadiness(of server: ServerProcess) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        let caller = HTTPCaller.make(tls: tls)
        let response = try? await caller.call(.GET, "\(server.address)/readyz")
        try await caller.client.shutdown()
        try #require(response?.status == 200)
    }

    @Test(
        "CLI-6, SEC-1: a server with a certificate is known on its port, by the name of its public address",
        .timeLimit(.minutes(10)))
    func certificate() async throws {
        try await withStage { stage in
            let certificate = try TestCertificate.good(for: "belfry.example.com")
            let (file, key) = (
                try stage.file("server.crt", certificate.pem), try stage.file("server.key", certificate.keyPEM)
            )
            let options = ["--tls-certificate", file, "--tls-key", key]
            try await stage.withServer(options: options, isReady: false) { server in
                try await awaitReadiness(of: server)
                let port = try #require(URL(string: server.address)?.port)
                let base = "port: \(port)\ntlsCertificate: \(file)\ntlsKey: \(key)\n"
                let settings = try stage.file("belfry.yaml", base + "publicURL: https://belfry.example.com\n")
                let (own, _) = try await examine(stage, ["--config", settings, "--ca", file])
                for check in ["port", "server", "proxy", "quarantine"] {
                    #expect(own.verdicts(check) == ["ok"], "\(own.text(check))")
                }
                // Whoever does not trust it is told so, and not that the port is somebody else's.
                let (untrusted, _) = try await examine(stage, ["--config", settings])
                #expect(untrusted.verdicts("port") == ["ok"] && untrusted.verdicts("server") == ["error"])
                #expect(untrusted.text("server").contains("not trusted"), "\(untrusted.text("server"))")
                let elsewhere = try stage.file("elsewhere.yaml", base + "publicURL: https://elsewhere.example.com\n")
                let (misnamed, exit) = try await examine(stage, ["--config", elsewhere, "--ca", file])
                #expect(misnamed.verdicts("port") == ["ok"] && misnamed.verdicts("server") == ["error"])
                #expect(misnamed.text("server").contains("not for elsewhere.example.com, nor for 127.0.0.1"))
                #expect(exit == .code(2))
                // Nobody has said its name.
                let nameless = try stage.file("nameless.yaml", base)
                let (unnamed, _) = try await examine(stage, ["--config", nameless, "--ca", file])
                #expect(unnamed.verdicts("port") == ["ok"] && unnamed.text("server").contains("not for 127.0.0.1"))
            }
        }
    }

    @Test(
        "CLI-6, SEC-1: a certificate for where the server listens is right, too, whatever its public address is",
        .timeLimit(.minutes(10)))
    func localCertificate() async throws {
        try await withStage { stage in
            let certificate = try TestCertificate.good()
            let (file, key) = (
                try stage.file("server.crt", certificate.pem), try stage.file("server.key", certificate.keyPEM)
            )
            let options = ["--tls-certificate", file, "--tls-key", key]
            try await stage.withServer(options: options, isReady: false) { server in
                try await awaitReadiness(of: server)
                let port = try #require(URL(string: server.address)?.port)
                let settings = try stage.file(
                    "belfry.yaml",
                    """
                    port: \(port)
                    tlsCertificate: \(file)
                    tlsKey: \(key)
                    publicURL: https://belfry.example.com

                    """)
                let (own, _) = try await examine(stage, ["--config", settings, "--ca", file])
                #expect(own.verdicts("port") == ["ok"] && own.verdicts("server") == ["ok"], "\(own.text("server"))")
            }
        }
    }

    @Test(
        "CLI-6: a server that listens on all addresses is called directly, not through a proxy",
        .timeLimit(.minutes(10)))
    func allAddresses() async throws {
        try await withStage { stage in
            // Of an option that is given twice the last counts.
            try await stage.withServer(options: ["--host", "0.0.0.0", "--rate-limit", "off"]) { server in
                let port = try #require(URL(string: server.address)?.port)
                let place = ["--host", "0.0.0.0", "--port", "\(port)"]
                let (own, _) = try await examine(stage, place)
                let (named, _) = try await examine(stage, place, at: "http://0.0.0.0:\(port)")
                for report in [own, named] {
                    for check in ["port", "server", "proxy"] {
                        #expect(report.verdicts(check) == ["ok"], "\(report.text(check))")
                    }
                }
                // One for all addresses of IPv6 would take those of IPv4 as well, and is not called on them. A machine
                // without IPv6 says that instead.
                let (six, _) = try await examine(stage, ["--host", "::", "--port", "\(port)"])
                let said = six.text("port")
                #expect(six.verdicts("port") == ["error"] && six.verdicts("server") == [], "\(said)")
                #expect(said.contains("a Belfry server") || said.contains("The server cannot listen on"), "\(said)")
            }
        }
    }

    @Test("CLI-6: a port that another program has, and an address that is no server's", .timeLimit(.minutes(10)))
    func otherPrograms() async throws {
        try await withStage { stage in
            try await stage.withPushServices { services in
                // The control API answers, and is none of ours.
                let control = try #require(URL(string: services.control)?.port)
                let (taken, _) = try await examine(stage, ["--port", "\(control)"])
                #expect(taken.verdicts("port") == ["error"] && taken.verdicts("server") == [])
                let (foreign, _) = try await examine(stage, ["--port", "0"], at: services.control)
                #expect(foreign.verdicts("server") == ["error"])
                #expect(foreign.text("server").contains("not a Belfry server"))
            }
            let (gone, exit) = try await examine(stage, ["--port", "0"], at: "http://127.0.0.1:1")
            #expect(gone.verdicts("server") == ["error"] && exit == .code(2))
        }
    }

    @Test("CLI-6: a deployment on PostgreSQL, and one that cannot be reached", .timeLimit(.minutes(10)))
    func postgres() async throws {
        try await withStage { stage in
            try await stage.withDatabase(.postgres) { database in
                let (empty, _) = try await examine(stage, ["--port", "0"], environment: database.environment)
                #expect(empty.verdicts("schema") == ["warning"], "\(empty.text("database"))")
                try await stage.withServer(environment: database.environment) { server in
                    try await stage.admin(server).createApp()
                    let (report, _) = try await examine(stage, at: server.address, environment: database.environment)
                    // The server that `make test` starts does not wait for the disk; another one may.
                    let isWell = report.verdicts("database") == ["ok"]
                    #expect(isWell || report.text("database").contains("fsync is off"), "\(report.text("database"))")
                    #expect(report.verdicts("schema") == ["ok"] && report.verdicts("server") == ["ok"])
                    #expect(report.text("clock").contains("the database server"))
                    #expect(report.text("credentials").contains("shop has no credentials"))
                    try await partitions(stage, server, database)
                }
            }
            let away = [
                "BELFRY_DATABASE": "postgres://belfry@127.0.0.1:1/x", "BELFRY_SECRET_KEY": ServerDatabase.secretKey,
            ]
            let (gone, exit) = try await examine(stage, ["--port", "0"], environment: away)
            #expect(gone.verdicts("database") == ["error"] && exit == .code(2))
            let keyless = try await stage.command(
                ["doctor", "--data", stage.dataDirectory.path], environment: ["BELFRY_DATABASE": "postgres://a@b/c"])
            #expect(keyless.exit == .code(2) && keyless.output.contains("BELFRY_SECRET_KEY"))
        }
    }

    /// The upkeep of the server makes them as it starts (FLEET-3).
    private func partitions(_ stage: Stage, _ server: ServerProcess, _ database: ServerDatabase) async throws {
        let (divided, _) = try await eventually("the audit log and the events are in partitions") {
            try await examine(stage, at: server.address, environment: database.environment)
        } until: {
            let text = $0.report.text("partitions")
            return text.contains("the months ahead") && text.contains("the weeks ahead")
        }
        #expect(divided.verdicts("partitions") == ["ok", "ok"])
        for (part, verdicts) in [("audit_log", ["warning", "ok"]), ("events", ["warning", "warning"])] {
            try await database.opened { store in
                _ = try await store.database.write { try $0.execute(SQLText(ofTest: "DROP TABLE \(part)_first")) }
            }
            let (report, _) = try await examine(stage, at: server.address, environment: database.environment)
            let text = report.text("partitions")
            #expect(report.verdicts("partitions") == verdicts, "\(text)")
            #expect(text.contains("\(part) has no partition for"), "\(text)")
        }
    }
}
