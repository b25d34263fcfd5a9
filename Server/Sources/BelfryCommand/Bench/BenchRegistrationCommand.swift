import ArgumentParser

/// PERF-5: what the server takes in registrations of new devices, and how soon they are processed.
struct BenchRegistrationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registration",
        abstract: "Register new devices on a server of its own, as fast as it takes them and at a pace.",
        discussion: """
            The server is a child process on a fresh data directory. First, rounds of wrk on /healthz and on the \
            registrations alternate, with the same threads, connections and duration; medians count. Each \
            registration is the first of a device that was linked before, with attributes, tags and a push token. \
            Then \(RegistrationBench.pacedSeconds) seconds of registrations come at a pace, and the server's file \
            tells when each was received and processed. What was acknowledged has to be there, or the benchmark \
            fails. To link the devices takes most of the time. 'Scripts/setup bench' installs wrk.
            """
    )

    @Option(help: "How often each of the two is measured.")
    var rounds = 3

    @Option(help: "Seconds of one measurement.")
    var duration = 3

    @Option(help: "New devices for each round: more than the server can register in that time.")
    var devices = 60_000

    @Option(help: "Connections of wrk.")
    var connections = 64

    @Option(help: "Threads of wrk.")
    var threads = 2

    @Option(help: "Registrations a second of the second part.")
    var rate = 2_000

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        for (name, value) in [("rounds", rounds), ("duration", duration), ("threads", threads)] {
            guard value > 0 else { throw ValidationError("--\(name) must be 1 or more.") }
        }
        guard connections >= threads else {
            throw ValidationError("--connections must be as many as --threads or more.")
        }
        // wrk has them in memory.
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
