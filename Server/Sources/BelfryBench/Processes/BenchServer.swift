import AsyncHTTPClient
import BelfryCommand
import Foundation

/// A server for a benchmark: `belfry serve` as a child process on a new data directory.
struct BenchServer: Sendable {
    /// The base URL: `http://127.0.0.1:PORT`.
    let address: String
    /// The process id.
    let process: Int32
    let admin: AdminClient
    /// A folder for temporary files, which are deleted afterwards.
    let folder: URL
    /// The server's database. It may be read while the server runs.
    let database: BenchDatabase
    /// The database file of a server on SQLite.
    let file: URL

    /// The value of the Host header: `127.0.0.1:PORT`.
    var authority: String { String(address.dropFirst("http://".count)) }

    /// - Parameter data: the data directory of the process.
    init(_ process: BenchServerProcess, data: URL, database: BenchDatabase, folder: URL) throws {
        let key = try String(contentsOf: data.appending(path: "admin-key"), encoding: .utf8)
        address = process.address
        self.process = process.id
        admin = AdminClient(server: process.address, key: key.trimmingCharacters(in: .whitespacesAndNewlines))
        self.folder = folder
        self.database = database
        file = data.appending(path: "belfry.sqlite")
    }

    /// The server's metrics with integer values, by name and labels.
    func metrics(over http: BenchHTTP) async throws -> [(name: String, value: Int)] {
        var request = HTTPClientRequest(url: "\(address)/metrics")
        request.headers.add(name: "Authorization", value: "Bearer \(admin.key.text)")
        let (_, body) = try await http.answer(to: request)
        return String(decoding: body, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, let value = Int(parts[1]) else { return nil }
            return (name: String(parts[0]), value: value)
        }
    }

    /// Runs a server during the body. Ends it and removes its data, also after an error.
    ///
    /// - Parameter options: the options of `belfry serve`. By default there are no rate limits, because in most
    ///   benchmarks a few devices send everything.
    static func run<Value>(
        options: [String] = ["--rate-limit", "off"], on engine: BenchEngine = .sqlite,
        _ body: (BenchServer) async throws -> Value
    ) async throws -> Value {
        try await BenchFolder.run { folder in
            let data = folder.appending(path: "data")
            return try await engine.run(data: data) { environment, database in
                try await BenchServerProcess.run(data: data, options: options, environment: environment) { process in
                    try await body(BenchServer(process, data: data, database: database, folder: folder))
                }
            }
        }
    }
}
