@testable import BelfryPostgres
import Foundation
import Testing

/// FLEET-7: of several servers the one that takes the writes is found.
struct PostgresHostsTests {
    private static func settings(_ text: String) throws -> [String: String] { try PostgresAddress(text).settings }

    @Test("FLEET-7: the servers of an address are asked in any order, each at its own port")
    func order() throws {
        let settings = try Self.settings("postgres://u@a:1,b:2,c/d")
        let hosts = PostgresHosts(settings)
        #expect(hosts.count == 3 && hosts.order(from: 0) == [0, 1, 2] && hosts.order(from: 4) == [1, 2, 0])
        let asked = hosts.settings(asking: hosts.order(from: 4))
        #expect(asked["host"] == "b,c,a" && asked["port"] == "2,,1" && asked["dbname"] == "d")
        let some = hosts.settings(asking: [2])
        #expect(some["host"] == "c" && some["port"] == "")
        #expect(hosts.index(host: "a", port: "1") == 0)
        #expect(hosts.index(host: "b", port: "2") == 1)
        #expect(hosts.index(host: "c", port: "5432") == 2)
    }

    @Test("FLEET-7: servers of one name are told apart by their ports, and by their addresses")
    func alike() throws {
        let ports = PostgresHosts(try Self.settings("postgres://u@127.0.0.1:1,127.0.0.1:2/d"))
        #expect(ports.index(host: "127.0.0.1", port: "2") == 1)
        let onePort = PostgresHosts(try Self.settings("postgres:///d?host=a,b&port=5433"))
        #expect(onePort.index(host: "b", port: "5433") == 1)
        #expect(onePort.settings(asking: [1, 0])["host"] == "b,a")
        #expect(onePort.settings(asking: [1, 0])["port"] == "5433")
        let addresses = PostgresHosts(try Self.settings("postgres:///d?hostaddr=192.0.2.7,192.0.2.8"))
        #expect(addresses.count == 2 && addresses.index(host: "192.0.2.8", port: "5432") == 1)
        #expect(addresses.settings(asking: [1])["hostaddr"] == "192.0.2.8")
    }

    @Test("FLEET-7: an address of one server, or of none, stays as it is")
    func one() throws {
        for text in ["postgres://u@a:1/d", "postgres:///d", "postgres:///d?host=/run/postgresql"] {
            let settings = try Self.settings(text)
            let hosts = PostgresHosts(settings)
            #expect(hosts.count == 1 && hosts.order(from: 7) == [0] && hosts.index(host: "x", port: "9") == 0)
            #expect(hosts.settings(asking: [0]) == settings)
            #expect(PostgresEntry.completed(settings)["target_session_attrs"] == nil)
        }
    }

    @Test("FLEET-7: of several servers only one that takes writes is of use, where the address does not say otherwise")
    func onlyThePrimary() throws {
        let several = PostgresEntry.completed(try Self.settings("postgres://u@a,b/d"))
        #expect(several["target_session_attrs"] == "read-write")
        let given = PostgresEntry.completed(try Self.settings("postgres://u@a,b/d?target_session_attrs=primary"))
        #expect(given["target_session_attrs"] == "primary")
        #expect(try PostgresAddress("postgres://u@a,b,c/d").servers == 3)
    }

    @Test("FLEET-7: a connection whose network swallows everything ends after ten seconds, or as the address says")
    func swallowed() throws {
        func seconds(_ text: String) throws -> [Int] {
            let settings = PostgresEntry.completed(try Self.settings(text))
            let numbers = ["keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"].map {
                Int(settings[$0] ?? "") ?? .max
            }
            return [numbers[0] + numbers[1] * numbers[2], numbers[3] / 1_000]
        }
        #expect(try seconds("postgres://u@a/d").allSatisfy { (5...11).contains($0) })
        #expect(try seconds("postgres://u@a/d?tcp_user_timeout=60000&keepalives_idle=60") == [66, 60])
    }
}

/// FLEET-7: how a server that is gone is found again.
struct PostgresReachTests {
    private static let gone = PostgresError(code: "08006", message: "gone", isLost: true)

    @Test("STO-2, FLEET-7: while the server is gone one connection tries for all; once it is found all come back")
    func together() throws {
        let reach = PostgresReach()
        let attempts = try (0..<5).map { _ in try reach.begin(at: storeEpoch, jitter: 1) }
        #expect(Set(attempts.map(\.first)) == [0])
        for attempt in attempts { reach.failed(attempt, Self.gone, at: storeEpoch, jitter: 1) }
        // Five failures at the same time are one.
        #expect(throws: Self.gone) { try reach.begin(at: storeEpoch.addingTimeInterval(0.09), jitter: 1) }
        let later = storeEpoch.addingTimeInterval(0.11)
        let next = try reach.begin(at: later, jitter: 1)
        #expect(next.first == 1, "another server is asked first")
        #expect(throws: Self.gone) { try reach.begin(at: later, jitter: 1) }
        reach.succeeded(at: 2)
        for _ in 0..<5 { #expect(try reach.begin(at: later, jitter: 1).first == 2) }
    }

    @Test("FLEET-7: it is looked for once a second at least, also when the clock is set back")
    func often() throws {
        let reach = PostgresReach()
        var now = storeEpoch
        for _ in 0..<30 {
            reach.failed(try reach.begin(at: now, jitter: 1), Self.gone, at: now, jitter: 1)
            now += 1
        }
        reach.failed(try reach.begin(at: now, jitter: 1), Self.gone, at: now, jitter: 1)
        #expect(throws: Self.gone) { try reach.begin(at: now.addingTimeInterval(0.9), jitter: 1) }
        _ = try reach.begin(at: storeEpoch, jitter: 1)
    }

    @Test("FLEET-7: a server that takes no writes any more is asked last")
    func turnedAway() throws {
        let reach = PostgresReach()
        reach.succeeded(at: 1)
        let readOnly = PostgresError(code: "25006", message: "a standby")
        reach.turnedAway(readOnly, by: 1, at: storeEpoch, jitter: 1)
        #expect(throws: readOnly) { try reach.begin(at: storeEpoch, jitter: 1) }
        #expect(try reach.begin(at: storeEpoch.addingTimeInterval(1), jitter: 1).first == 2)
    }
}
