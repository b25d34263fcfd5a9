import ArgumentParser
import BelfryCommand
import BelfryModel
import BelfrySimulators
import BelfryStore
import Foundation
import NIOCore
import ServiceLifecycle

/// Runs `belfry bench kills`: measures how soon a server accepts requests again after a kill. Until the kill it stores
/// events as fast as it can, so that its write-ahead log is hot.
struct KillsBench: Service {
    static let app = "kills"
    static let eventsPerRequest = 20
    /// The range of the duration of a life, as multiples of ``load``.
    private static let parts = 0.3...2.0

    /// One kill and the start after it.
    struct Restart: Sendable {
        /// The time from the start of the process until it accepts requests.
        let readyAfter: Duration
        let log: WriteLog
    }

    /// How much was written to the log shortly before a kill.
    enum WriteLog: Sendable {
        /// The bytes of SQLite's log that the start must read.
        case left(Int)
        /// The bytes that PostgreSQL, whose server is not killed, wrote to its log in the life before the kill.
        case written(Int)
    }

    /// The stored events that one device sent in one life of the server. They are numbered from 0.
    struct Sent: Sendable {
        var count = 0
        var highest = -1
        /// The number of requests of which only some events are stored. A request is one transaction, acknowledged or
        /// not, and is never sent again, so a request that is half stored at the end was so from the beginning.
        var halves = 0

        /// Adds the stored events of one request.
        mutating func add(_ stored: Int, upTo number: Int) {
            count += stored
            highest = max(highest, number)
            if stored != KillsBench.eventsPerRequest { halves += 1 }
        }

        /// The maximum number of acknowledged events that are missing. It assumes that all later events up to the
        /// highest are stored: none of those makes up for an acknowledged one.
        func missing(of acknowledged: Int) -> Int {
            max(0, acknowledged - (count - max(0, highest + 1 - acknowledged)))
        }
    }

    let kills: Int
    /// The approximate time for which each life of the server stores events before the kill.
    let load: Duration
    /// The seed of the random moments of the kills.
    let seed: UInt64
    let devices: Int
    let engine: BenchEngine
    let json: Bool

    /// How long each life stores events. The kills come at random moments that nothing in the server knows.
    static func loads(_ kills: Int, around load: Duration, seed: UInt64) -> [Duration] {
        var random = SimulatorRandom(seed: seed)
        return (0..<kills).map { _ in .seconds(load.inSeconds * Double.random(in: parts, using: &random)) }
    }

    func run() async throws {
        Console.say("REL-1: --seed \(seed) repeats the moments of these kills.")
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
        let loads = Self.loads(kills, around: load, seed: seed)
        var restarts: [Restart] = []
        var log: WriteLog?
        var acknowledged: [String: Int] = [:]
        var callers: [BenchDevice] = []
        for life in 0...kills {
            let before = try Self.written(to: database)
            try await BenchServerProcess.run(
                data: data, options: ["--rate-limit", "off"], environment: environment
            ) { process in
                if let log {
                    restarts.append(Restart(readyAfter: process.readyAfter, log: log))
                } else {
                    let server = try BenchServer(process, data: data, database: database, folder: folder)
                    callers = try await BenchApp.make(Self.app, on: server, over: http).link(devices)
                }
                guard life < kills else { return }
                let stored = try await storeEvents(of: callers, at: process, http, life: life, for: loads[life])
                acknowledged.merge(stored) { $1 }
            }
            log = try Self.log(of: database, since: before)
        }
        let sent = try await Self.sent(in: database)
        let lost = acknowledged.reduce(0) { $0 + (sent[$1.key]?.missing(of: $1.value) ?? $1.value) }
        return KillsBenchReport(
            restarts, seed: seed, acknowledged: acknowledged.values.reduce(0, +),
            stored: sent.values.map(\.count).reduce(0, +), lost: lost, half: sent.values.map(\.halves).reduce(0, +)
        )
    }

    /// Lets each device send one request after another until the server is killed.
    ///
    /// - Returns: the number of acknowledged events, by the prefix of their ids.
    private func storeEvents(
        of callers: [BenchDevice], at process: BenchServerProcess, _ http: BenchHTTP, life: Int, for load: Duration
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

    private enum SentPlace: Int, ResultPlace {
        case sender, request, stored, highest
    }

    /// The stored events by the prefix of their ids. They are read device by device through the table's key, and for
    /// each device request by request.
    private static func sent(in database: BenchDatabase) async throws -> [String: Sent] {
        try await database.opened { database in
            var all: [String: Sent] = [:]
            for device in try await database.read({ try $0.query("SELECT id FROM devices", []) { $0.integer(0) } }) {
                let requests = try await database.read { connection in
                    try connection.query(
                        """
                        SELECT substr(event_id, 1, 7), CAST(substr(event_id, 9) AS bigint) / \(Self.eventsPerRequest), count(*),
                            max(CAST(substr(event_id, 9) AS bigint))
                        FROM events WHERE device_id = ? AND name = 'bench' GROUP BY 1, 2
                        """,
                        [.integer(device)]
                    ) { row -> (sender: String, stored: Int, highest: Int) in
                        let row = ResultRow<SentPlace>(row)
                        return (
                            sender: row.text(.sender), stored: Int(row.integer(.stored)),
                            highest: Int(row.integer(.highest))
                        )
                    }
                }
                for request in requests {
                    all[request.sender, default: Sent()].add(request.stored, upTo: request.highest)
                }
            }
            return all
        }
    }

    /// - Parameter before: the bytes that PostgreSQL had written before the life of the killed server.
    private static func log(of database: BenchDatabase, since before: Int) throws -> WriteLog {
        guard case .file(let file) = database else { return .written(try written(to: database) - before) }
        // A server that ended by itself leaves no log.
        let log = (try? Data(contentsOf: URL(filePath: file.path + "-wal"))) ?? Data()
        return .left(HotLog(log).bytes)
    }

    /// The number of bytes that a PostgreSQL server has ever written to its log.
    private static func written(to database: BenchDatabase) throws -> Int {
        try database.inspected { try EngineMeter.usage($0).logBytes } ?? 0
    }
}
