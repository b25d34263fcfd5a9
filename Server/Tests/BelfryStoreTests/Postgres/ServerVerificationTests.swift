@testable import BelfryPostgres
import Testing

struct ServerVerificationTests {
    private static let bundle = "/etc/ssl/certs/ca-certificates.crt"

    @Test(
        "SEC-11: a remote server is verified, even if only one of several is remote",
        arguments: [
            "postgres://u:p@db.example/d", "postgres://u:p@192.0.2.7:5433/d", "postgres://u@[2001:db8::1]/d",
            "postgres://u@localhost.example/d", "postgres://u@127.0.0.1.example/d", "postgres://u@db,127.0.0.1/d",
            "postgres://u@127.0.0.1,db/d", "postgres://u@127.0.0.1/d?hostaddr=192.0.2.7", "postgres:///d",
            "postgres://u@db.example/d?sslmode=",
        ])
    func verified(text: String) throws {
        let handed = ServerVerification.completed(try PostgresAddress(text).settings, bundle: Self.bundle)
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
        let handed = ServerVerification.completed(try PostgresAddress(text).settings, bundle: Self.bundle)
        #expect(handed["sslmode"] == nil && handed["sslrootcert"] == nil)
    }

    @Test("SEC-11: the address's own settings apply")
    func given() throws {
        for mode in ["disable", "prefer", "require", "verify-ca"] {
            let settings = try PostgresAddress("postgres://u@db.example/d?sslmode=\(mode)").settings
            let handed = ServerVerification.completed(settings, bundle: Self.bundle)
            #expect(handed["sslmode"] == mode && handed["sslrootcert"] == nil)
        }
        let rooted = try PostgresAddress("postgres://u@db.example/d?sslrootcert=/etc/own.crt").settings
        let handed = ServerVerification.completed(rooted, bundle: Self.bundle)
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
