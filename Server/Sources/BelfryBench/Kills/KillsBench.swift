import ArgumentParser
import BelfryCommand
import BelfryModel
import BelfrySimulators
import BelfryStore
import Foundation
import NIOCore
import ServiceLifecycle

/// What `belfry bench kills` measures: how soon a server takes requests again that was killed while it stored events as
/// fast as it could, so that its log of writes is hot.
struct KillsBench: Service {
    static let app = "kills"
    static let eventsPerRequest = 20
    /// How long a life may be, in parts of ``load``.
    private static let parts = 0.3...2.0

    /// One kill, and the start after it.
    struct Restart: Sendable {
        /// From the start of the process until it takes requests.
        let readyAfter: Duration
        let log: WriteLog
    }

    /// How much was written shortly before a kill.
    enum WriteLog: Sendable {
        /// What the start has to read of SQLite's log, in bytes.
        case left(Int)
        /// What PostgreSQL, whose server is not killed, has written into its own in the life before, in bytes.
        case written(Int)
    }

    /// What is stored of the events that one device sent in one life of the server. Their numbers begin at 0.
    struct Sent: Sendable {
        var count = 0
        var highest = -1
        /// Requests of which some events are stored and others are not. A request is one transaction, acknowledged or
        /// not, and none is sent again: what is half there in the end was so all the time.
        var halves = 0

        /// Adds what is stored of one request.
        mutating func add(_ stored: Int, upTo number: Int) {
            count += stored
            highest = max(highest, number)
            if stored != KillsBench.eventsPerRequest { halves += 1 }
        }

        /// How many of the first ones are missing at most: as if all behind them, up to the highest, were stored. None of
        /// these stands for one that was acknowledged.
        func missing(of acknowledged: Int) -> Int {
            max(0, acknowledged - (count - max(0, highest + 1 - acknowledged)))
        }
    }

    let kills: Int
    /// About how long a life of the server stores events before it is killed.
    let load: Duration
    /// Says when each kill comes.
    let seed: UInt64
    let devices: Int
    let engine: BenchEngine
    let json: Bool

    /// How long each life stores events: the kills come at moments that nothing in the server knows.
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

    /// Each device sends one request after the other until the server is killed.
    ///
    /// - Returns: how many events were acknowledged, by what their ids begin with.
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

    /// What the store holds, by what the events' ids begin with: device by device, each by the key of the table, and of a
    /// device request by request.
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

    /// - Parameter before: what PostgreSQL had written before the life of the server that was killed.
    private static func log(of database: BenchDatabase, since before: Int) throws -> WriteLog {
        guard case .file(let file) = database else { return .written(try written(to: database) - before) }
        // A server that ended by itself leaves none.
        let log = (try? Data(contentsOf: URL(filePath: file.path + "-wal"))) ?? Data()
        return .left(HotLog(log).bytes)
    }

    /// All that a PostgreSQL server has ever written into its log.
    private static func written(to database: BenchDatabase) throws -> Int {
        try database.inspected { try EngineMeter.usage($0).logBytes } ?? 0
    }
}
