import ArgumentParser

/// PERF-5: measures how fast the server accepts registrations of new devices, and how soon they are processed.
struct BenchRegistrationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registration",
        abstract: "Register new devices on a new server, first as fast as possible, then at a fixed rate.",
        discussion: """
            The server is a child process with a new data directory. First, rounds of wrk on /healthz, which goes \
            through the router, on uploads without events, the least that the express lane answers, and on the \
            registrations alternate, with the same threads, connections and duration; the results are medians. Each \
            registration is the first of a linked device, with attributes, tags and a push token. Then registrations \
            come at a fixed rate for \(RegistrationBench.pacedSeconds) seconds, and the server's file tells when each \
            was received and processed. If an acknowledged registration is missing, the benchmark fails. Linking the \
            devices takes most of the time. 'Scripts/setup bench' installs wrk.
            """
    )

    @Option(help: "How often each is measured.")
    var rounds = 3

    @Option(help: "Seconds of one measurement.")
    var duration = 3

    @Option(help: "The number of new devices for each round: more than the server can register in that time.")
    var devices = 60_000

    @Option(help: "Connections of wrk.")
    var connections = 64

    @Option(help: "Threads of wrk.")
    var threads = 2

    @Option(help: "Registrations per second in the second part.")
    var rate = 2_000

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        for (name, value) in [("rounds", rounds), ("duration", duration), ("threads", threads)] {
            guard value > 0 else { throw ValidationError("--\(name) must be 1 or more.") }
        }
        guard connections >= threads else {
            throw ValidationError("--connections must be at least --threads.")
        }
        // wrk holds the registrations in memory.
        guard (1_000...300_000).contains(devices) else { throw ValidationError("--devices must be 1000 to 300000.") }
        guard (1...20_000).contains(rate) else { throw ValidationError("--rate must be 1 to 20000.") }
    }

    func run() async throws {
        let bench = RegistrationBench(
            wrk: try Wrk(threads: threads, connections: connections), rounds: rounds, seconds: duration,
            devices: devices, perSecond: rate, json: json
        )
        try await bench.runAlone()
    }
}
