import BelfryCommand
import Foundation

/// The load generator h2load (nghttp2.org), which repeats one constant request: the ceiling with which PERF-1 and
/// PERF-2 compare.
struct H2Load: Sendable {
    /// The body's size in bytes, about that of a push.
    private static let bodySize = 200
    private static let tokenSize = 200

    private let executable: URL

    /// Returns nil when h2load is not on the PATH: `Scripts/setup bench` installs it.
    init?() {
        guard let found = URL.program(named: "h2load") else { return nil }
        executable = found
    }

    /// The number of requests per second that a sink answers.
    ///
    /// - Parameters:
    ///   - url: the URL of one device at the sink, such as `https://127.0.0.1:8443/3/device/abc`. Responses of any
    ///     status count, as they do in Belfry's own benchmarks.
    ///   - requests: the total number of requests on all connections.
    ///   - streams: the number of requests in flight per connection.
    func perSecond(
        of url: String, requests: Int, connections: Int, streams: Int
    ) async throws -> Double {
        try await BenchFolder.run { folder in
            let body = folder.appending(path: "body")
            try Data(repeating: UInt8(ascii: "a"), count: Self.bodySize).write(to: body)
            let headers = [
                "authorization: bearer \(String(repeating: "a", count: Self.tokenSize))",
                "apns-topic: com.example.shop", "apns-push-type: alert", "apns-priority: 10",
            ]
            let (status, lines) = try await ChildProcess.run(
                executable,
                ["-n", "\(max(requests, connections))", "-c", "\(connections)", "-m", "\(streams)", "-d", body.path]
                    + headers.flatMap { ["-H", $0] } + [url]
            )
            let output = lines.joined(separator: "\n")
            guard status == 0, let match = output.firstMatch(of: /finished in [^,]*, ([0-9.]+) req\/s/),
                let perSecond = Double(match.1), perSecond > 0
            else { throw H2LoadError(status: status, output: output) }
            return perSecond.rounded()
        }
    }
}

struct H2LoadError: Error, CustomStringConvertible {
    let status: Int32
    let output: String

    var description: String { "h2load exited with \(status) and printed no figures:\n\(output)" }
}

/// Compares the rate of an engine with that of h2load.
struct H2LoadComparison: Sendable {
    /// The requests per second of h2load; nil when it is not installed or not wanted.
    let perSecond: Double?

    /// Runs h2load first, if it is wanted and installed. The parameters are those of ``H2Load``.
    static func measure(
        _ isWanted: Bool, _ url: String, requests: Int = 400_000, connections: Int = 1, streams: Int = 1_000
    ) async throws -> H2LoadComparison {
        guard isWanted, let h2load = H2Load() else { return H2LoadComparison(perSecond: nil) }
        return H2LoadComparison(
            perSecond: try await h2load.perSecond(
                of: url, requests: requests, connections: connections, streams: streams)
        )
    }

    /// The engine's rate as a multiple of h2load's.
    func ratio(of ours: Double) -> Double? {
        perSecond.map { (ours / $0).rounded(places: 3) }
    }

    func text(of ours: Double) -> String {
        guard let perSecond, let ratio = ratio(of: ours) else {
            return "unknown without h2load, which 'Scripts/setup bench' installs"
        }
        return "\(ratio.text(places: 3)) (h2load \(perSecond.text()) a second)"
    }
}
