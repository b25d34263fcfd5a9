import ArgumentParser
import BelfryCommand
import Foundation
import ServiceLifecycle

/// Runs `belfry bench cluster`: two servers on a Citus cluster, to which things happen (FLEET-6).
struct ClusterBench: Service {
    static let app = "cluster"
    static let servers = 2

    let devices: Int
    let engine: BenchEngine
    let trouble: ClusterTrouble
    let push: BenchPushSink
    let sink: SinkLog
    let json: Bool

    func run() async throws {
        let isSynced = try engine.isSynced()
        let report = try await BenchFolder.run { folder in
            try await BenchHTTP.run { http in
                try await engine.run(data: folder) { environment, database in
                    try await withServers(in: folder, environment, database) { servers in
                        try await story(on: servers, over: http).run(isSynced: isSynced)
                    }
                }
            }
        }
        Console.say(json ? try report.jsonLine() : report.table)
        if !report.isMet { throw ExitCode.failure }
    }

    /// Runs both servers. The first makes the schema and distributes it before the second enters it.
    private func withServers<Value>(
        in folder: URL, _ environment: [String: String], _ database: BenchDatabase,
        _ body: ([BenchServer]) async throws -> Value
    ) async throws -> Value {
        let options = ["--rate-limit", "off", "--role", "api,worker", "--distributed"]
        let places = (1...Self.servers).map { folder.appending(path: "server-\($0)") }
        return try await BenchServerProcess.run(
            data: places[0], options: options, environment: environment
        ) { first in
            try await BenchServerProcess.run(
                data: places[1], options: options, environment: environment
            ) { second in
                try await body([
                    BenchServer(first, data: places[0], database: database, folder: folder),
                    BenchServer(second, data: places[1], database: database, folder: folder),
                ])
            }
        }
    }

    private func story(on servers: [BenchServer], over http: BenchHTTP) async throws -> ClusterStory {
        let database = ClusterDatabase(database: servers[0].database)
        try database.checkDistributed()
        let app = try await BenchApp.make(
            Self.app, attributes: BenchRegistration.attributes, on: servers[0], over: http
        )
        try await push.connect(app.code, by: servers[0].admin)
        return ClusterStory(
            devices: devices, apps: servers.map { BenchApp(code: app.code, server: $0, http: http) },
            database: database,
            trouble: trouble, sink: sink
        )
    }
}

enum ClusterBenchError: Error, CustomStringConvertible {
    case noNode(String)
    case scriptFailed(String, of: String, Int32)
    case notDistributed
    case refused(String)
    case nothingSent
    case tookTooLong
    case rebalance(String)

    var description: String {
        switch self {
        case .noNode(let folder): "The folder \(folder) is not that of a server: it has no file 'port' with a number."
        case .scriptFailed(let script, let node, let status): "'\(script)' of \(node) exited with \(status)."
        case .notDistributed: "The database is not distributed by Citus."
        case .refused(let call): "A call to '\(call)' was refused for ten minutes."
        case .nothingSent: "A campaign sent nothing for ten minutes."
        case .tookTooLong: "A campaign or a rebalance did not end within two hours."
        case .rebalance(let state): "The rebalance did not go through: it is \(state)."
        }
    }
}
