import BelfryCommand
import BelfryModel
import Foundation

/// The load generator wrk (github.com/wg/wrk), with the same settings in every run.
struct Wrk: Sendable {
    /// The counts of one run.
    struct Result: Decodable, Sendable {
        /// Requests with a response of any status.
        let requests: Int
        let microseconds: Int
        /// Responses with a status of 400 or more.
        let refused: Int
        /// Errors of connections: not connected, not read, not written, or timed out.
        let broken: Int
        /// Requests for which a script of ``PreparedTexts`` had no texts left.
        let lacking: Int

        var answeredWell: Int { requests - refused }
        var failed: Int { refused + broken }
        var answeredWellPerSecond: Double { Double(answeredWell) * 1_000_000 / Double(max(microseconds, 1)) }
    }

    /// The end of every script: it prints the figures as one line of JSON, the last line of wrk's output.
    static let reporting = """
        function done(summary, latency, requests)
          local errors = summary.errors
          local lacking = 0
          for _, thread in ipairs(everyThread or {}) do lacking = lacking + (thread:get("lacking") or 0) end
          io.write(string.format('{"requests":%d,"microseconds":%d,"refused":%d,"broken":%d,"lacking":%d}\\n',
            summary.requests, summary.duration, errors.status,
            errors.connect + errors.read + errors.write + errors.timeout, lacking))
        end

        """

    let threads: Int
    let connections: Int
    private let executable: URL

    /// Searches for the program on the PATH.
    init(threads: Int, connections: Int) throws(WrkError) {
        guard let found = URL.program(named: "wrk") else { throw .missing }
        executable = found
        self.threads = threads
        self.connections = connections
    }

    /// - Parameter arguments: the arguments of the script's `init`.
    func run(_ url: String, seconds: Int, script: URL, arguments: [String] = []) async throws -> Result {
        let (status, lines) = try await ChildProcess.run(
            executable,
            [
                "--threads", "\(threads)", "--connections", "\(connections)", "--duration", "\(seconds)s",
                "--script", script.path, url, "--",
            ] + arguments
        )
        guard status == 0, let last = lines.last,
            let result = try? CheckedJSON.decode(Result.self, from: last.utf8)
        else { throw WrkError.failed(status: status, output: lines.joined(separator: "\n")) }
        return result
    }
}

enum WrkError: Error, CustomStringConvertible {
    case missing
    case failed(status: Int32, output: String)

    var description: String {
        switch self {
        case .missing: "The load generator wrk is not on the PATH. 'Scripts/setup bench' installs it."
        case .failed(let status, let output): "wrk exited with \(status) and printed no figures:\n\(output)"
        }
    }
}
