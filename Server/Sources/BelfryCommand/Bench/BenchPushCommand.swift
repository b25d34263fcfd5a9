import ArgumentParser
import BelfryDelivery
import BelfryPush
import Foundation
import Logging
import NIOCore
import NIOPosix

/// PERF-1: raw sends through the delivery engine, each with its own token, id and body, every outcome handled.
struct BenchPushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send distinct pushes to a sink that speaks HTTP/2 over TLS.",
        discussion: """
            h2load goes first, with one constant request on as many connections and streams: the ratio is what \
            ours do beside it. \
            'Scripts/bench-push' starts a sink and prints medians.
            """
    )

    @Option(help: "Where the sink is, and what each path begins with: https://127.0.0.1:8443/3/device/")
    var sink: String

    @Option(help: "How many to send.")
    var requests = 200_000

    @Option(help: "How many connections to use at most.")
    var connections = 1

    @Option(help: "How many to keep in flight, on all connections together.")
    var inFlight = 1_000

    @Flag(help: "Trust any certificate.")
    var insecure = false

    @Flag(inversion: .prefixedNo, help: "Let h2load send as many to the sink before.")
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
        // The sink is one's own, mostly on this machine.
        settings.allowsPrivateAddresses = true
        settings.streamsPerConnection = streamsPerConnection
        settings.waitingRequests = max(settings.waitingRequests, inFlight)
        return settings
    }
}
