import ArgumentParser
import Belfry
import BelfryCommand
import BelfryModel
import Foundation

/// PERF-8 and PERF-9: measures what the SDK costs an app: each event, and a start with events in the queue.
struct BenchSDKCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sdk",
        abstract: "Measure the SDK: 'track', which stores events durably, and the start with a backlog.",
        discussion: "There is no server, so everything stays on the device."
    )

    /// More events than are tracked here, so that no limit of the queue takes effect.
    private static let queueCount = 10_000_000
    private static let queueBytes = 1_000_000_000

    @Option(help: "The number of events to track.")
    var events = 100_000

    @Option(help: "The number of events that wait when the client starts.")
    var backlog = 10_000

    @Option(help: "How often the client is started.")
    var opens = 20

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        guard (1_000...1_000_000).contains(events) else { throw ValidationError("--events must be 1000 to 1000000.") }
        guard (1...1_000_000).contains(backlog) else { throw ValidationError("--backlog must be 1 to 1000000.") }
        guard (1...1_000).contains(opens) else { throw ValidationError("--opens must be 1 to 1000.") }
    }

    func run() async throws {
        let report = try await BenchFolder.run { folder in
            let track = try await TrackBench(
                configuration: try configuration(in: folder.appending(path: "track")), events: events
            ).run()
            let commits = try CommitBench(
                file: folder.appending(path: "commits.sqlite"), rows: events, bodyBytes: track.bodyBytes
            ).run()
            let without = try await starts(in: folder.appending(path: "empty"), backlog: 0)
            let with = try await starts(in: folder.appending(path: "backlog"), backlog: backlog)
            return SDKBenchReport(track, commits: commits, start: with, startWithoutBacklog: without)
        }
        Console.say(json ? try report.jsonLine() : report.table)
    }

    private func starts(in folder: URL, backlog: Int) async throws -> SDKBenchReport.Starts {
        let bench = StartBench(configuration: try configuration(in: folder), backlog: backlog, opens: opens)
        return SDKBenchReport.Starts(try await bench.run(), backlog: backlog)
    }

    private func configuration(in folder: URL) throws -> BelfryConfiguration {
        guard let nowhere = URLText.url("http://127.0.0.1:9") else { throw ExitCode.failure }
        var configuration = try BelfryConfiguration(appCode: "bench", serverURL: nowhere, directory: folder)
        configuration.queueLimits.count = Self.queueCount
        configuration.queueLimits.bytes = Self.queueBytes
        return configuration
    }
}
