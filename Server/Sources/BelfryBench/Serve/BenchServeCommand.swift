import ArgumentParser

/// PERF-10: measures how soon a server accepts requests, and what it costs while nobody calls.
struct BenchServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Start new servers, and measure the start and the cost of an idle server.",
        discussion: "Each round starts a child process with a new data directory, and then again with the same one."
    )

    @Option(help: "How often each of the two starts is measured.")
    var rounds = 5

    @Option(help: "Seconds until the memory is measured.")
    var settling = 5

    @Option(help: "Seconds for which processor time is counted.")
    var idle = 10

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        guard (1...1_000).contains(rounds) else { throw ValidationError("--rounds must be 1 to 1000.") }
        guard (0...3_600).contains(settling) else { throw ValidationError("--settling must be 0 to 3600.") }
        guard (1...3_600).contains(idle) else { throw ValidationError("--idle must be 1 to 3600.") }
    }

    func run() async throws {
        try await ServeBench(rounds: rounds, settling: settling, idleSeconds: idle, json: json).runAlone()
    }
}
