import ArgumentParser
import BelfryDelivery
import BelfryPush
import Foundation
import Logging
import NIOCore
import NIOPosix

/// PERF-1: measures raw sends through the delivery engine, each with its own token, id and body, and handles every
/// result.
struct BenchPushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send distinct pushes to a sink that speaks HTTP/2 over TLS.",
        discussion: """
            h2load runs first, with one constant request on as many connections and streams; the result is the ratio \
            to it. 'Scripts/bench-push' starts a sink and prints medians.
            """
    )

    @Option(help: "The sink's URL with the beginning of each path: https://127.0.0.1:8443/3/device/")
    var sink: String

    @Option(help: "The number of pushes to send.")
    var requests = 200_000

    @Option(help: "The maximum number of connections.")
    var connections = 1

    @Option(help: "The number of requests in flight, on all connections together.")
    var inFlight = 1_000

    @Flag(help: "Trust any certificate.")
    var insecure = false

    @Flag(inversion: .prefixedNo, help: "First send the same number with h2load.")
    var h2load = true

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        _ = try BenchSink(sink)
        for (name, value) in [("requests", requests), ("connections", connections), ("in-flight", inFlight)] {
            guard value > 0 else { throw ValidationError("--\(name) must be 1 or more.") }
        }
    }

    func run() async throws {
        let sink = try BenchSink(self.sink)
        let reference = try await H2LoadComparison.measure(
            h2load, "\(sink.base)\(sink.path)abc", requests: requests, connections: connections,
            streams: streamsPerConnection
        )
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let pool = try PushConnectionPool(
            endpoint: sink.endpoint,
            trust: insecure ? .insecure : .system,
            settings: settings(),
            lookups: .singleton,
            eventLoop: group.next(),
            jitter: { Double.random(in: 0..<1) },
            logger: Logger(label: "belfry.bench")
        )
        let load = PushLoad(
            pool: pool,
            requests: BenchRequests(pathPrefix: sink.path, seed: UInt64.random(in: 0...UInt64.max)),
            total: requests,
            inFlight: inFlight
        )
        let clock = ContinuousClock()
        let started = clock.now
        let cpuBefore = ProcessCost.cpuSeconds
        let outcomes = await load.run()
        let cpuSeconds = ProcessCost.cpuSeconds - cpuBefore
        let seconds = started.duration(to: clock.now) / Duration.seconds(1)
        await pool.shutdown()
        try await group.shutdownGracefully()

        let report = PushBenchReport(
            outcomes: outcomes, requests: requests, connections: connections, inFlight: inFlight,
            seconds: seconds, cpuSeconds: cpuSeconds, peakRSSBytes: ProcessCost.peakRSSBytes, reference: reference)
        print(try json ? report.jsonLine() : report.table)
        if report.answered < requests { throw ExitCode.failure }
    }

    private var streamsPerConnection: Int { (inFlight + connections - 1) / connections }

    private func settings() -> DeliverySettings {
        var settings = DeliverySettings()
        settings.connections = connections
        // The user runs the sink, mostly on this machine.
        settings.allowsPrivateAddresses = true
        settings.streamsPerConnection = streamsPerConnection
        settings.waitingRequests = max(settings.waitingRequests, inFlight)
        return settings
    }
}

/// The URL that a benchmark sends to: `https://HOST:PORT/PATH`. Each request's path begins with PATH.
struct BenchSink {
    let endpoint: PushEndpoint
    let path: String
    /// The URL without its path.
    let base: String

    init(_ url: String) throws {
        let scheme = "https://"
        guard url.hasPrefix(scheme) else {
            throw ValidationError("--sink must begin with '\(scheme)', such as https://127.0.0.1:8443/3/device/")
        }
        let rest = url.dropFirst(scheme.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        base = scheme + String(rest[..<slash])
        do {
            endpoint = try PushEndpoint(base)
        } catch {
            throw ValidationError("--sink: \(error)")
        }
        path = slash == rest.endIndex ? "/" : String(rest[slash...])
    }
}
