@testable import BelfryPostgres
import Testing

struct ServerVerificationTests {
    private static let bundle = "/etc/ssl/certs/ca-certificates.crt"

    /// The settings with which libpq is called.
    private static func handed(_ text: String, _ environment: [String: String] = [:]) throws -> [String: String] {
        ServerVerification.completed(
            try PostgresAddress(text).settings, bundle: bundle, environment: environment
        )
    }

    @Test(
        "SEC-11: a remote server is verified, even if only one of several is remote",
        arguments: [
            "postgres://u:p@db.example/d", "postgres://u:p@192.0.2.7:5433/d", "postgres://u@[2001:db8::1]/d",
            "postgres://u@localhost.example/d", "postgres://u@127.0.0.1.example/d", "postgres://u@db,127.0.0.1/d",
            "postgres://u@127.0.0.1,db/d", "postgres://u@127.0.0.1/d?hostaddr=192.0.2.7", "postgres:///d",
            "postgres://u@db.example/d?sslmode=",
        ])
    func verified(text: String) throws {
        let handed = try Self.handed(text)
        #expect(handed["sslmode"] == "verify-full" && handed["sslrootcert"] == Self.bundle)
    }

    @Test(
        "SEC-11: loopback needs no certificate",
        arguments: [
            "postgres://u@127.0.0.1:5432/d", "postgres://u@localhost/d", "postgres://u@LOCALHOST/d",
            "postgres://u@[::1]/d", "postgres://u@%2Fvar%2Frun%2Fpostgresql/d", "postgres:///d?host=/tmp",
            "postgres://u@localhost,127.9.0.1,%2Ftmp/d", "postgres://u@db.example/d?hostaddr=127.0.0.1",
        ])
    func local(text: String) throws {
        let handed = try Self.handed(text)
        #expect(handed["sslmode"] == nil && handed["sslrootcert"] == nil)
    }

    @Test(
        "SEC-11: what libpq takes from its environment counts as if the address said it: a remote server is verified",
        arguments: [
            // libpq goes to an address whatever the host is.
            ("postgres://u@localhost/d", ["PGHOSTADDR": "192.0.2.7"]),
            ("postgres://u@%2Ftmp/d", ["PGHOSTADDR": "192.0.2.7"]),
            ("postgres://u@localhost/d?hostaddr=", ["PGHOSTADDR": "192.0.2.7"]),
            ("postgres://u@localhost,localhost/d", ["PGHOSTADDR": "127.0.0.1,192.0.2.7"]),
            ("postgres:///d", ["PGHOSTADDR": "192.0.2.7", "PGHOST": "localhost"]),
            // A service may name one.
            ("postgres://u@localhost/d", ["PGSERVICE": "other"]),
            ("postgres://u@localhost/d", ["PGSERVICE": "other", "PGHOSTADDR": "127.0.0.1"]),
            ("postgres://u@localhost/d?service=other", [:]), ("postgres:///d?service=other", ["PGHOST": "localhost"]),
            ("postgres:///d", ["PGHOST": "db.example"]), ("postgres://u@/d", ["PGHOST": "127.0.0.1,db"]),
            ("postgres:///d?host=", ["PGHOST": "db.example"]), ("postgres:///d", ["PGHOST": ""]),
        ] as [(String, [String: String])]
    )
    func remoteByEnvironment(text: String, environment: [String: String]) throws {
        let handed = try Self.handed(text, environment)
        #expect(handed["sslmode"] == "verify-full" && handed["sslrootcert"] == Self.bundle)
    }

    @Test(
        "SEC-11: what the address says precedes the environment, and a server of this machine that it names needs no proof",
        arguments: [
            ("postgres://u@localhost/d", ["PGHOST": "db.example"]),
            ("postgres://u@localhost/d", ["PGHOSTADDR": ""]), ("postgres://u@localhost/d", ["PGHOSTADDR": "127.0.0.1"]),
            ("postgres://u@db.example/d?hostaddr=127.0.0.1", ["PGHOSTADDR": "192.0.2.7", "PGSERVICE": "other"]),
            ("postgres://u@db.example/d", ["PGHOSTADDR": "::1"]),
            ("postgres:///d", ["PGHOST": "/var/run/postgresql"]), ("postgres:///d", ["PGHOST": "127.0.0.1"]),
        ] as [(String, [String: String])]
    )
    func localByEnvironment(text: String, environment: [String: String]) throws {
        let handed = try Self.handed(text, environment)
        #expect(handed["sslmode"] == nil && handed["sslrootcert"] == nil)
    }

    @Test("SEC-11: the address's own settings apply")
    func given() throws {
        for mode in ["disable", "prefer", "require", "verify-ca"] {
            let handed = try Self.handed("postgres://u@db.example/d?sslmode=\(mode)")
            #expect(handed["sslmode"] == mode && handed["sslrootcert"] == nil)
        }
        let handed = try Self.handed("postgres://u@db.example/d?sslrootcert=/etc/own.crt")
        #expect(handed["sslmode"] == "verify-full" && handed["sslrootcert"] == "/etc/own.crt")
    }

    @Test("SEC-11: the system's certificates are used unless libpq has others")
    func bundles() {
        let fedora = ServerVerification.systemBundles[1]
        func found(_ environment: [String: String], _ files: Set<String>) -> String? {
            ServerVerification.bundle(environment: environment) { files.contains($0) }
        }
        #expect(found(["HOME": "/own"], [fedora, Self.bundle]) == Self.bundle)
        #expect(found([:], [fedora]) == fedora)
        #expect(found([:], []) == nil)
        #expect(found(["HOME": "/own"], [Self.bundle, "/own/.postgresql/root.crt"]) == nil)
        #expect(found(["PGSSLROOTCERT": "/etc/own.crt"], [Self.bundle]) == nil)
    }
}
