import BelfryServerTestSupport
import Foundation
import Testing

/// A PostgreSQL server of a test's own, which it may stop and start.
struct PostgresCluster: Sendable {
    /// The password of all its users.
    static let password = "open-sesame"

    /// As `belfry serve` takes it; without a password.
    let address: String
    private let programs: String
    private let data: String
    private let folder: URL

    fileprivate init(_ lines: [String], folder: URL) {
        (address, programs, data) = (lines[0], lines[1], lines[2])
        self.folder = folder
    }

    /// Whether it runs. It takes this file away as the last of what it does, however it ends by itself.
    var isRunning: Bool {
        FileManager.default.fileExists(atPath: URL(filePath: data).appending(path: "postmaster.pid").path)
    }

    /// The end of the server's log.
    fileprivate var newestLog: String {
        let file = URL(filePath: data).deletingLastPathComponent().appending(path: "log")
        return String(((try? String(contentsOf: file, encoding: .utf8)) ?? "").suffix(4_000))
    }

    /// The address with this password.
    func address(password: String) -> String {
        address.replacing("belfry@", with: "belfry:\(password)@")
    }

    /// Ends it as a crash would: nobody's transaction is finished.
    func crash() async throws {
        try await control(#""$1/pg_ctl" stop --mode immediate --pgdata "$2""#)
    }

    /// Starts it again, also when it has ended by itself.
    func start() async throws {
        // With the options of the last time, the port among them.
        try await control(#""$1/pg_ctl" restart --wait --pgdata "$2" --log "$2/../log""#)
    }

    /// Starts it again as a standby, which takes no writes: whom it follows is not there.
    func becomeStandby() async throws {
        try await control(
            #"touch "$2/standby.signal"; "$1/pg_ctl" restart --wait --pgdata "$2" --log "$2/../log""#
        )
    }

    /// From now on it listens on this address of the machine as well, and shows a certificate to who asks for TLS.
    func listen(on address: String, showing certificate: TestCertificate) async throws {
        try await control(
            """
            cat > "$2/server.crt" <<'PEM'
            \(certificate.pem)
            PEM
            (umask 077; cat > "$2/server.key") <<'PEM'
            \(certificate.keyPEM)
            PEM
            printf "listen_addresses = '127.0.0.1,%s'\\nssl = on\\n" "\(address)" >> "$2/postgresql.conf"
            echo "host all all \(address)/32 scram-sha-256" >> "$2/pg_hba.conf"
            "$1/pg_ctl" restart --wait --pgdata "$2" --log "$2/../log"
            """
        )
    }

    /// From now on who enters needs the password.
    fileprivate func close() async throws {
        try await control(
            """
            "$1/psql" --quiet --command "ALTER ROLE belfry PASSWORD '\(Self.password)'" "$3"
            sed -i.before 's/trust$/scram-sha-256/' "$2/pg_hba.conf"
            "$1/pg_ctl" reload --pgdata "$2"
            """
        )
    }

    /// Runs commands as the user whose server it is, which is never root.
    private func control(_ commands: String) async throws {
        let shell = """
            cd "$2/.."
            export PGCTLTIMEOUT=600
            as_server=()
            [ "$(id -u)" -ne 0 ] || as_server=(setpriv --reuid=postgres --regid=postgres --init-groups)
            # A server that inherits these would pass for the end of whoever starts it not to have come.
            for file in /dev/fd/*; do
                [ "${file##*/}" -le 2 ] || eval "exec ${file##*/}>&-"
            done
            exec ${as_server[@]+"${as_server[@]}"} bash -ec "$4" control "$1" "$2" "$3"
            """
        let run = try ProgramRun.start(
            ["-c", shell, "control", programs, data, address, commands], program: URL(filePath: "/bin/bash"),
            folder: folder
        )
        let exit = await run.exit
        try #require(exit == .code(0), "\(run.standardError)")
    }
}

extension Stage {
    /// Runs a PostgreSQL server that asks for a password, and ends it however the body ends.
    ///
    /// - Parameter disks: where it has its data, and where its write-ahead log; nil for the machine's disk.
    func withPostgresCluster(
        on disks: (data: SmallDisk, log: SmallDisk)? = nil, _ body: (PostgresCluster) async throws -> Void
    ) async throws {
        let said = """
            ask() { psql --tuples-only --no-align --command "$1" "$BELFRY_TEST_POSTGRES"; }
            echo "$BELFRY_TEST_POSTGRES"
            ask "SELECT setting FROM pg_config WHERE name = 'BINDIR'"
            ask "SHOW data_directory"
            """
        // One test needs few, and room for thousands takes some hundred megabytes of each server.
        var settings = ["BELFRY_TEST_POSTGRES_CONNECTIONS": "200"]
        if let disks {
            try disks.data.open()
            try disks.log.open()
            settings["TMPDIR"] = disks.data.folder.path
            settings["BELFRY_TEST_POSTGRES_LOG"] = disks.log.folder.appending(path: "log").path
        }
        try await withServers(of: "Scripts/with-postgres", saying: said, lines: 3, environment: settings) { lines in
            let cluster = PostgresCluster(lines, folder: folder)
            do {
                try await cluster.close()
                try await body(cluster)
            } catch let error where !(error is ExpectationFailedError) {
                throw PostgresTrouble(error: error, log: cluster.newestLog)
            }
        }
    }
}

/// A test that has a PostgreSQL server of its own did not go on to its end.
struct PostgresTrouble: Error, CustomStringConvertible {
    let error: any Error
    /// What the server said last, which tells whether it had ended, and why.
    let log: String

    var description: String { "\(error)\nThe server's log ends with:\n\(log)" }
}
