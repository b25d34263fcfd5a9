import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

@Suite("A standby of PostgreSQL confirms commits")
struct StandbyTests {
    private static let commitSetting: SQLText = "SELECT current_setting('synchronous_commit')"

    /// Runs a test on a server whose commits wait for a standby that there is not, with a database for the test and one
    /// to look by; and lets go of who still waits.
    private static func withMissingStandby(
        _ body: (_ database: any SQLDatabase, _ looking: any SQLDatabase) async throws -> Void
    ) async throws {
        try await withStage { stage in
            try await stage.withPostgresCluster { cluster in
                let address = cluster.address(password: PostgresCluster.password)
                let stores = try await offPool {
                    [try OpenTestStore(address: address), try OpenTestStore(address: address)]
                }
                try await run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", at: address)
                // A server that only reads its settings again takes its time.
                try await cluster.crash()
                try await cluster.start()
                let outcome: Result<Void, any Error>
                do {
                    outcome = .success(try await body(stores[0].database, stores[1].database))
                } catch {
                    outcome = .failure(error)
                }
                try await run("ALTER SYSTEM RESET synchronous_standby_names", at: address)
                try await run("SELECT pg_reload_conf()", at: address)
                try await offPool { for store in stores { try store.close() } }
                try outcome.get()
            }
        }
    }

    private static func run(_ sql: SQLText, at address: String) async throws {
        try await offPool { try PostgresScript.run(sql, at: PostgresAddress(address)) }
    }

    @Test(
        "FLEET-7, WIRE-26: a commit whose wait for the standby somebody has ended is not acknowledged",
        .timeLimit(.minutes(10))
    )
    func endedWait() async throws {
        try await Self.withMissingStandby { database, looking in
            let write = Task {
                try await database.write { connection in
                    _ = try connection.execute("CREATE TABLE things (id BIGINT PRIMARY KEY)", [])
                }
            }
            let waiting: SQLText = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            try await eventually("the commit waits for the standby") {
                try await looking.read { try $0.first(waiting, []) { $0.integer(0) } ?? 0 }
            } until: {
                $0 > 0
            }
            _ = try await looking.read { connection in
                try connection.query(
                    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", []
                ) { $0.text(0) }
            }
            let error = await #expect(throws: StoreError.self) { try await write.value }
            guard case .tryAgain(let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("standby"))
        }
    }

    @Test(
        "FLEET-7, PUSH-5: where a standby confirms commits it has the outcomes of sends, too, before the next is sent",
        .timeLimit(.minutes(10))
    )
    func outcomes() async throws {
        let setting = Self.commitSetting
        try await Self.withMissingStandby { database, _ in
            // Neither writes anything, so neither waits.
            for (turn, expected) in [(WritePriority.unsynced, "remote_write"), (WritePriority.next, "on")] {
                let found = try await database.write(turn: turn) { try $0.first(setting, []) { $0.text(0) } }
                #expect(found == expected)
            }
        }
    }

    @Test(
        "FLEET-7: a standby answers no reads: what it has may be older than what was acknowledged",
        .timeLimit(.minutes(10))
    )
    func noReads() async throws {
        try await withStage { stage in
            try await stage.withPostgresCluster { cluster in
                let address = cluster.address(password: PostgresCluster.password)
                let store = try await offPool { try OpenTestStore(address: address) }
                let version = try await store.database.read { try $0.newestSchema() }
                #expect(version == Migration.newest)
                try await cluster.becomeStandby()
                // Until it takes connections again, it says something else.
                try await eventually("a read says that the server is a standby") { () async -> String in
                    do {
                        let version = try await store.database.read { try $0.newestSchema() }
                        return "version \(version)"
                    } catch {
                        return "\(error)"
                    }
                } until: {
                    $0.contains("25006")
                }
                try await offPool { try store.close() }
            }
        }
    }

    @Test(
        "FLEET-7: a server that is silent is left as soon as another one takes the writes",
        .enabled(if: Endurance.isOn, "make endurance runs it"), .timeLimit(.minutes(10))
    )
    func silentServer() async throws {
        try await withStage { stage in
            try await stage.withPostgresCluster { first in
                try await stage.withPostgresCluster { second in
                    let password = PostgresCluster.password
                    let other = second.address(password: password)
                    // It has the schema when it takes over.
                    try await offPool { try OpenTestStore(address: other).close() }
                    try await FreezingProxy.run(before: first.address(password: password)) { proxy, address in
                        let both = try Self.address(of: address, and: other)
                        let store = try await offPool { try OpenTestStore(address: both) }
                        let port: SQLText = "SELECT inet_server_port()"
                        let asked = try await store.database.write { try $0.first(port, []) { $0.integer(0) } }
                        #expect(asked == Self.port(of: first.address))
                        proxy.freeze()
                        let answered = try await store.database.write { try $0.first(port, []) { $0.integer(0) } }
                        #expect(answered == Self.port(of: second.address))
                        let read = try await store.database.read { try $0.first(port, []) { $0.integer(0) } }
                        #expect(read == Self.port(of: second.address))
                        try await offPool { try store.close() }
                    }
                }
            }
        }
    }

    private static func port(of address: String) -> Int64? {
        URLComponents(string: address)?.port.map { Int64($0) }
    }

    /// One address with the servers of two.
    private static func address(of first: String, and second: String) throws -> String {
        let place = try #require(URLComponents(string: second))
        let (host, port) = (try #require(place.host), try #require(place.port))
        let slash = try #require(first.range(of: "/", options: .backwards))
        // A server that is there may be slow on a busy machine.
        return "\(first[..<slash.lowerBound]),\(host):\(port)\(first[slash.lowerBound...])?connect_timeout=300"
    }
}
