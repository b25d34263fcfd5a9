import ArgumentParser

/// The options of a benchmark that measures several things in turn with wrk.
struct TurnsOptions: ParsableArguments {
    @Option(help: "How often each is measured.")
    var rounds = 3

    @Option(help: "Seconds of one measurement.")
    var duration = 5

    @Option(help: "Threads of wrk.")
    var threads = 2

    @Option(help: "Connections of wrk.")
    var connections = 64

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        guard (1...999).contains(rounds) else { throw ValidationError("--rounds must be 1 to 999.") }
        for (name, value) in [("duration", duration), ("threads", threads)] {
            guard value > 0 else { throw ValidationError("--\(name) must be 1 or more.") }
        }
        guard connections >= threads else {
            throw ValidationError("--connections must be at least --threads.")
        }
    }

    /// The measurement with these options.
    ///
    /// - Throws: ``WrkError/missing``.
    var turns: FetchTurns {
        get throws(WrkError) {
            FetchTurns(wrk: try wrk, rounds: rounds, seconds: duration, measuresLane: true)
        }
    }

    /// - Throws: ``WrkError/missing``.
    var wrk: Wrk {
        get throws(WrkError) { try Wrk(threads: threads, connections: connections) }
    }
}
