import Foundation

/// A `belfry serve` that takes requests.
struct ServerProcess: Sendable {
    /// `http://127.0.0.1:PORT`
    let address: String
    let adminKey: String
    let run: ProgramRun
    /// From before the process was started until it said that it is ready; zero where that was not looked at.
    var readyAfter = Duration.zero
    /// The app of the test; tests that share the server have one each.
    var app = "shop"

    /// Ends it as a power cut or the kernel would, and waits until it is gone.
    @discardableResult
    func kill9() async -> ProgramRun.Exit {
        run.send(SIGKILL)
        return await run.exit
    }

    /// Asks it to end (SIGTERM), and waits until it has.
    func terminate() async -> ProgramRun.Exit {
        run.send(SIGTERM)
        return await run.exit
    }
}

extension Stage {
    /// Starts a server on the stage's data directory, or on another, and ends it, however the body ends.
    ///
    /// - Parameter isReady: whether to wait until it says that it can serve.
    func withServer<Value>(
        data: URL? = nil, environment: [String: String] = [:], options: [String] = ["--rate-limit", "off"],
        isReady: Bool = true, _ body: (ServerProcess) async throws -> Value
    ) async throws -> Value {
        let data = data ?? dataDirectory
        let begin = ContinuousClock.now
        let run = try startServer(data: data, environment: environment, options: options)
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(try await server(run, data: data, isReady: isReady, since: begin)))
        } catch let error as CallError {
            // Whether it was gone, and what it said last, is what one needs to know of a call without an answer.
            outcome = .failure(UnansweredServer(error: error, exit: run.ended, standardError: run.standardError))
        } catch {
            outcome = .failure(error)
        }
        run.send(SIGKILL)
        _ = await run.exit
        return try outcome.get()
    }

    /// Starts `belfry serve`; the caller must stop it.
    ///
    /// - Parameter options: on top of the usual ones. Without one about rates, devices may call as fast as they can.
    func startServer(
        port: Int = 0, data: URL? = nil, environment: [String: String] = [:],
        options: [String] = ["--rate-limit", "off"]
    ) throws -> ProgramRun {
        try ProgramRun.start(
            [
                "serve", "--host", "127.0.0.1", "--port", "\(port)", "--data", (data ?? dataDirectory).path,
                "--log-level", "warning",
            ] + options,
            environment: environment, folder: folder
        )
    }

    /// How many sends this server itself has recorded as accepted.
    func accepted(by server: ServerProcess) async throws -> Int {
        try await metric(#"belfry_deliveries_total{state="accepted"}"#, of: server)
    }

    /// The same of each of these servers.
    func accepted(by servers: [ServerProcess]) async throws -> [Int] {
        var counts: [Int] = []
        for server in servers { counts.append(try await accepted(by: server)) }
        return counts
    }

    /// The value of one of a server's metrics; 0 when it has none of that name.
    func metric(_ name: String, of server: ServerProcess) async throws -> Int {
        let text = String(decoding: try await http.call(.GET, "\(server.address)/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
    }

    private func server(
        _ run: ProgramRun, data: URL, isReady: Bool, since begin: ContinuousClock.Instant
    ) async throws -> ServerProcess {
        guard let address = await run.address else {
            throw ServerDidNotStart(exit: await run.exit, standardError: run.standardError)
        }
        let key = try String(contentsOf: data.appending(path: "admin-key"), encoding: .utf8)
        if isReady { _ = try await http.call(.GET, "\(address)/readyz") }
        return ServerProcess(
            address: address, adminKey: key.trimmingCharacters(in: .whitespacesAndNewlines), run: run,
            readyAfter: begin.duration(to: .now)
        )
    }
}

extension ProgramRun {
    /// The address that `belfry serve` prints when it takes requests; nil when it ended before.
    var address: String? {
        get async {
            for await line in lines {
                guard let match = line.wholeMatch(of: /Belfry listens on (https?:\S+)\./) else { continue }
                return String(match.1)
            }
            return nil
        }
    }
}

struct ServerDidNotStart: Error, CustomStringConvertible {
    let exit: ProgramRun.Exit
    let standardError: String

    var description: String { "The server ended with \(exit) before it took requests: \(standardError)" }
}

/// A call to a server failed.
struct UnansweredServer: Error, CustomStringConvertible {
    let error: CallError
    /// Nil: it was still running.
    let exit: ProgramRun.Exit?
    let standardError: String

    var description: String {
        "\(error)\nThe server \(exit.map { "had ended with \($0)" } ?? "was running"). It said: \(standardError)"
    }
}
