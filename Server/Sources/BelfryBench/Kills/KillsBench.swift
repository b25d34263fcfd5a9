import ArgumentParser
import BelfryCommand
import BelfryModel
import Foundation
import GRDB
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
        /// The log of writes that it found.
        let logBytes: Int
    }

    let kills: Int
    /// How long each life of the server stores events before it is killed.
    let load: Duration
    let devices: Int
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
        var restarts: [Restart] = []
        var acknowledged: [String: Int] = [:]
        var callers: [BenchDevice] = []
        for life in 0...kills {
            let log = Self.bytes(of: data.appending(path: "belfry.sqlite-wal"))
            try await BenchServerProcess.run(data: data, options: ["--rate-limit", "off"]) { process in
                if life == 0 {
                    let file = data.appending(path: "belfry.sqlite")
                    let server = try BenchServer(process, data: data, database: .file(file), folder: folder)
                    callers = try await BenchApp.make(Self.app, on: server, over: http).link(devices)
                } else {
                    restarts.append(Restart(readyAfter: process.readyAfter, logBytes: log))
                }
                guard life < kills else { return }
                acknowledged.merge(try await storeEvents(of: callers, at: process, http, life: life)) { $1 }
            }
        }
        let (stored, lost) = try Self.storedEvents(in: data, acknowledged: acknowledged)
        return KillsBenchReport(
            restarts, acknowledged: acknowledged.values.reduce(0, +), stored: stored, lost: lost
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

    /// How many events the store holds, and how many of the acknowledged ones it does not. What was stored and never
    /// acknowledged must not stand for those.
    private static func storedEvents(
        in data: URL, acknowledged: [String: Int]
    ) throws -> (stored: Int, lost: Int) {
        let queue = try DatabaseQueue(path: data.appending(path: "belfry.sqlite").path)
        defer { try? queue.close() }
        return try queue.write { database in
            try database.execute(
                sql: "CREATE TEMP TABLE acknowledged (sender TEXT PRIMARY KEY, events INTEGER NOT NULL)")
            for (sender, events) in acknowledged {
                try database.execute(
                    sql: "INSERT INTO acknowledged (sender, events) VALUES (?, ?)", arguments: [sender, events])
            }
            let kept = try Int.fetchOne(
                database,
                sql: """
                    SELECT count(*) FROM events e JOIN acknowledged a ON a.sender = substr(e.event_id, 1, 7)
                    WHERE CAST(substr(e.event_id, 9) AS INTEGER) < a.events
                    """
            )
            let stored = try Int.fetchOne(database, sql: "SELECT count(*) FROM events") ?? 0
            return (stored, acknowledged.values.reduce(0, +) - (kept ?? 0))
        }
    }

    private static func bytes(of file: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    }
}
