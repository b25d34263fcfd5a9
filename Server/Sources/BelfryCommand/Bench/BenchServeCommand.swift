import ArgumentParser

/// PERF-10: how soon a server takes requests, and what it costs while nobody calls.
struct BenchServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Start servers of its own, and measure the start and what one costs at rest.",
        discussion: "Each round starts a child process on a fresh data directory, and then on the same again."
    )

    @Option(help: "How often each of the two starts is measured.")
    var rounds = 5

    @Option(help: "Seconds until the memory is looked at.")
    var settling = 5

    @Option(help: "Seconds over which the processor's time is counted.")
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
