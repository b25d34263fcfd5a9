import ArgumentParser
import Belfry
import BelfryModel
import Foundation

/// PERF-8: what `track` costs an app: durable on the device when it returns, with the flush policies on and from the
/// first call, against a server that never answers.
struct BenchTrackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track", abstract: "Measure the SDK's track: durable against a kill when it returns."
    )

    @Option(help: "How many events to track.")
    var events = 100_000

    @Flag(help: "Print JSON for programs.")
    var json = false

    func validate() throws {
        guard (1_000...10_000_000).contains(events) else { throw ValidationError("--events is 1000 to 10000000.") }
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        guard let nowhere = URL(string: "http://127.0.0.1:9") else { return }
        var configuration = try BelfryConfiguration(appCode: "bench", serverURL: nowhere, directory: folder)
        configuration.queueLimits.count = 10_000_000
        configuration.queueLimits.bytes = 1_000_000_000
        let client = try BelfryClient(
            configuration: configuration, platform: HeadlessPlatform(system: .current(appVersion: "1.0"))
        )
        let clock = ContinuousClock()
        let startTime = try await clock.measure { try await client.start() }
        var durations: [Duration] = []
        durations.reserveCapacity(events)
        let begin = clock.now
        for number in 0..<events {
            let before = clock.now
            try await client.track(
                "cart:add", attributes: ["sku": .string("sku-\(number)"), "price": 9.5, "quantity": 2]
            )
            durations.append(clock.now - before)
        }
        let total = clock.now - begin
        let queued = try await client.state().queue.count
        await client.stop()
        durations.sort()
        let report = TrackReport(
            events: events, queued: queued, perSecond: Int(Double(events) / total.seconds),
            p50Microseconds: durations[events / 2].microseconds,
            p99Microseconds: durations[events * 99 / 100].microseconds,
            startMilliseconds: startTime.microseconds / 1000
        )
        try report.show(json: json)
    }
}

private struct TrackReport: Codable {
    var events: Int
    /// Events in the queue afterwards, the SDK's own included.
    var queued: Int
    var perSecond: Int
    var p50Microseconds: Double
    var p99Microseconds: Double
    var startMilliseconds: Double

    func show(json: Bool) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return Console.say(String(decoding: try encoder.encode(self), as: UTF8.self))
        }
        var table = TextTable("FIGURE", "MEASURED", "TARGET")
        table.add("track, median", "\(p50Microseconds) µs", "≤ 25 µs")
        table.add("track, 99 of 100", "\(p99Microseconds) µs", "≤ 100 µs")
        table.add("track, one after the other", "\(perSecond) a second", "≥ 40000 a second")
        table.add("start of the client", "\(startMilliseconds) ms", "≤ 2 ms")
        Console.say(table.text)
    }
}

extension Duration {
    fileprivate var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    fileprivate var microseconds: Double { (seconds * 1e7).rounded() / 10 }
}
