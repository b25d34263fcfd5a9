import ArgumentParser
import BelfryCommand
import BelfryModel
import BelfryStore
import Foundation
import NIOCore
import ServiceLifecycle

/// What `belfry bench kills` measures: how soon a server takes requests again that was killed while it stored events as
/// fast as it could, so that its log of writes is hot.
struct KillsBench: Service {
    static let app = "kills"
    private static let eventsPerRequest = 20

    /// One kill, and the start after it.
    struct Restart: Sendable {
        /// From the start of the process until it takes requests.
        let readyAfter: Duration
        /// The log of writes that it found; nil on PostgreSQL, whose server is not killed.
        let logBytes: Int?
    }

    /// What is stored of the events that one device sent in one life of the server. Their numbers begin at 0.
    struct Sent: Sendable {
        let count: Int
        let highest: Int

        /// How many of the first ones are missing at most: as if all behind them, up to the highest, were stored. None of
        /// these stands for one that was acknowledged.
        func missing(of acknowledged: Int) -> Int {
            max(0, acknowledged - (count - max(0, highest + 1 - acknowledged)))
        }
    }

    let kills: Int
    /// How long each life of the server stores events before it is killed.
    let load: Duration
    let devices: Int
    let engine: BenchEngine
    let json: Bool

    func run() async throws {
        let report = try await BenchFolder.run { folder in
            try await BenchHTTP.run { http in try await measure(in: folder, http) }
        }
        Console.say(json ? try report.jsonLine() : report.table)
        if !report.isMet { throw ExitCode.failure }
    }

    private func measure(in folder: URL, _ http: BenchHTTP) async throws -> KillsBenchReport {
        let data = folder.appending(path: "data")
        return try await engine.run(data: data) { environment, database in
            try await measure(in: folder, data: data, environment, database, http)
        }
    }

    private func measure(
        in folder: URL, data: URL, _ environment: [String: String], _ database: BenchDatabase, _ http: BenchHTTP
    ) async throws -> KillsBenchReport {
        var restarts: [Restart] = []
        var acknowledged: [String: Int] = [:]
        var callers: [BenchDevice] = []
        for life in 0...kills {
            let log = Self.log(of: database)
            try await BenchServerProcess.run(
                data: data, options: ["--rate-limit", "off"], environment: environment
            ) { process in
                if life == 0 {
                    let server = try BenchServer(process, data: data, database: database, folder: folder)
                    callers = try await BenchApp.make(Self.app, on: server, over: http).link(devices)
                } else {
                    restarts.append(Restart(readyAfter: process.readyAfter, logBytes: log))
                }
                guard life < kills else { return }
                acknowledged.merge(try await storeEvents(of: callers, at: process, http, life: life)) { $1 }
            }
        }
        let sent = try await Self.sent(in: database)
        let lost = acknowledged.reduce(0) { $0 + (sent[$1.key]?.missing(of: $1.value) ?? $1.value) }
        return KillsBenchReport(
            restarts, acknowledged: acknowledged.values.reduce(0, +), stored: sent.values.reduce(0) { $0 + $1.count },
            lost: lost
        )
    }

    /// Each device sends one request after the other until the server is killed.
    ///
    /// - Returns: how many events were acknowledged, by what their ids begin with.
    private func storeEvents(
        of callers: [BenchDevice], at process: BenchServerProcess, _ http: BenchHTTP, life: Int
    ) async throws -> [String: Int] {
        try await withThrowingTaskGroup(of: (String, Int).self) { group in
            for (number, caller) in callers.enumerated() {
                let sender = String(format: "%04d-%02d", life, number)
                group.addTask {
                    var acknowledged = 0
                    while true {
                        let body = Self.events(from: acknowledged, of: sender, at: Date())
                        let call = caller.post(body, to: "events", at: process.address, order: Date())
                        guard try await http.isTaken(call) else { return (sender, acknowledged) }
                        acknowledged += Self.eventsPerRequest
                    }
                }
            }
            try await Task.sleep(for: load)
            kill(process.id, SIGKILL)
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private static func events(from number: Int, of sender: String, at date: Date) -> ByteBuffer {
        let rest =
            #"","type":"custom","name":"bench","timestamp":"\#(Timestamp.text(date))","#
            + #""attributes":{"screen":"home","position":7}}"#
        let events = (0..<eventsPerRequest).map { #"{"id":"\#(sender)-\#(number + $0)\#(rest)"# }
        return ByteBuffer(string: #"{"events":["# + events.joined(separator: ",") + "]}")
    }

    /// What the store holds, by what the events' ids begin with: device by device, each by the key of the table.
    private static func sent(in database: BenchDatabase) async throws -> [String: Sent] {
        try await database.opened { database in
            var all: [String: Sent] = [:]
            for device in try await database.read({ try $0.query("SELECT id FROM devices", []) { $0.integer(0) } }) {
                let found = try await database.read { connection in
                    try connection.query(
                        """
                        SELECT substr(event_id, 1, 7) AS sender, count(*), max(CAST(substr(event_id, 9) AS bigint))
                        FROM events WHERE device_id = ? AND name = 'bench' GROUP BY substr(event_id, 1, 7)
                        """,
                        [.integer(device)]
                    ) { ($0.text(0), Sent(count: Int($0.integer(1)), highest: Int($0.integer(2)))) }
                }
                all.merge(found) { $1 }
            }
            return all
        }
    }

    private static func log(of database: BenchDatabase) -> Int? {
        guard case .file(let file) = database else { return nil }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path + "-wal")
        return attributes?[.size] as? Int ?? 0
    }
}
