import ArgumentParser

/// PERF-13: measures how long a rehearsal takes and what it costs.
struct BenchRehearsalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearsal",
        abstract: "Rehearse a campaign over many devices, with a template, zones, quiet hours and a cap.",
        discussion: """
            A new database gets contacts with a device each, in eight time zones, and an earlier campaign that counts \
            against the cap. Then a draft is rehearsed by the server's own worker, while small writes and reads, as a \
            device's calls make them, go on every 20 ms; their times are compared with those of a quiet server.
            """
    )

    @Option(help: "The number of devices.")
    var devices = 1_000_000

    @Option(help: "The number of other campaigns that are planned to begin before it: 0 to 20.")
    var others = 0

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        guard (1_000...10_000_000).contains(devices) else {
            throw ValidationError("--devices must be 1000 to 10000000.")
        }
        guard (0...20).contains(others) else { throw ValidationError("--others must be 0 to 20.") }
    }

    func run() async throws {
        try await RehearsalBench(devices: devices, others: others, json: json).runAlone()
    }
}
