import AsyncHTTPClient
import BelfryCommand
import Foundation

/// A server of a benchmark's own: `belfry serve` as a child process on a fresh data directory.
struct BenchServer: Sendable {
    /// `http://127.0.0.1:PORT`
    let address: String
    /// The process's number.
    let process: Int32
    let admin: AdminClient
    /// For files that are gone afterwards.
    let folder: URL
    /// It may be read beside the server.
    let database: BenchDatabase
    /// The file of a server on SQLite.
    let file: URL

    /// `127.0.0.1:PORT`, as the header Host names it.
    var authority: String { String(address.dropFirst("http://".count)) }

    /// - Parameter data: the directory that the process serves.
    init(_ process: BenchServerProcess, data: URL, database: BenchDatabase, folder: URL) throws {
        let key = try String(contentsOf: data.appending(path: "admin-key"), encoding: .utf8)
        address = process.address
        self.process = process.id
        admin = AdminClient(server: process.address, key: key.trimmingCharacters(in: .whitespacesAndNewlines))
        self.folder = folder
        self.database = database
        file = data.appending(path: "belfry.sqlite")
    }

    /// What it counts, by name and labels: those of its metrics that are whole numbers.
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

    /// Runs one, and ends it and removes its data however the body ends.
    ///
    /// - Parameter options: of `belfry serve`. Without rates by default: in most benchmarks few devices send everything.
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
