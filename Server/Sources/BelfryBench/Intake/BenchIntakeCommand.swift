import ArgumentParser

/// PERF-3 and PERF-4: measures the ingestion of events, each durable before its response, compared with the server's
/// fastest possible responses.
struct BenchIntakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "intake",
        abstract: "Send events to a new server with wrk, compared with its /healthz and its express lane.",
        discussion: """
            The server is a child process with a new data directory. Rounds on /healthz, which goes through the \
            router, on uploads without events, the least that the express lane answers, and on the events alternate, \
            with the same threads, connections and duration; the results are medians. 'Scripts/setup bench' installs \
            wrk.
            """
    )

    @Option(help: "The number of events in each request: 1 for PERF-3, 50 for PERF-4.")
    var eventsPerRequest = 1

    @Option(help: "The number of devices that send events in turn.")
    var devices = 1

    @OptionGroup var options: TurnsOptions

    func validate() throws {
        guard (1...1_000).contains(eventsPerRequest) else {
            throw ValidationError("--events-per-request must be 1 to 1000.")
        }
        guard (1...10_000).contains(devices) else { throw ValidationError("--devices must be 1 to 10000.") }
    }

    func run() async throws {
        let bench = IngestionBench(
            wrk: try options.wrk, eventsPerRequest: eventsPerRequest, devices: devices, rounds: options.rounds,
            seconds: options.duration, measuresLane: true, json: options.json
        )
        try await bench.runAlone()
    }
}
