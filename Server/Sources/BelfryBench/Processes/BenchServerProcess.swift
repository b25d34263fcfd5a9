import BelfryCommand
import Foundation

/// `belfry serve` as a child process that accepts requests.
struct BenchServerProcess: Sendable {
    /// The base URL: `http://127.0.0.1:PORT`.
    let address: String
    /// The process id.
    let id: Int32
    /// The time from before the process was created until it reported that it accepts requests.
    let readyAfter: Duration

    /// Runs a server on a data directory during the body, and ends it, also after an error.
    ///
    /// - Parameters:
    ///   - options: further options, in addition to its address and data directory.
    ///   - own: environment variables, in addition to those of this process.
    static func run<Value>(
        data: URL, options: [String] = [], environment own: [String: String] = [:],
        _ body: (BenchServerProcess) async throws -> Value
    ) async throws -> Value {
        let clock = ContinuousClock()
        let begin = clock.now
        let child = try ChildProcess.start(
            try program(),
            ["serve", "--host", "127.0.0.1", "--port", "0", "--data", data.path, "--log-level", "warning"] + options,
            environment: environment.merging(own) { $1 }
        )
        let outcome: Result<Value, any Error>
        do {
            let address = try await listeningAddress(of: child)
            let process = BenchServerProcess(address: address, id: child.id, readyAfter: clock.now - begin)
            outcome = .success(try await body(process))
        } catch {
            outcome = .failure(error)
        }
        child.send(SIGTERM)
        _ = await child.status
        return try outcome.get()
    }

    /// This process's environment without the variables that configure another server.
    private static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BELFRY_") }
            // The data of a benchmark is deleted at its end, so it may run with little free space.
            .merging(["BELFRY_DISK_FLOOR": "off"]) { $1 }
    }

    /// This program, which is also the server and the simulated devices.
    static func program() throws -> URL {
        guard let executable = URL.ownProgram else { throw ServerProcessError.unknownProgram }
        return executable
    }

    private static func listeningAddress(of child: ChildProcess) async throws -> String {
        let prefix = "Belfry listens on "
        for await line in child.lines where line.hasPrefix(prefix) {
            return String(line.dropFirst(prefix.count).dropLast())
        }
        try Task.checkCancellation()
        throw ServerProcessError.notStarted(status: await child.status)
    }
}

enum ServerProcessError: Error, CustomStringConvertible {
    case unknownProgram
    case notStarted(status: Int32)

    var description: String {
        switch self {
        case .unknownProgram: "The path of this program is unknown, so it cannot start a server."
        case .notStarted(let status): "The server exited with \(status) before it accepted requests."
        }
    }
}
