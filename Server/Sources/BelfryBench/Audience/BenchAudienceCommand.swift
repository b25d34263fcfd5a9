import ArgumentParser

/// PERF-6: measures how long it takes to count an audience.
struct BenchAudienceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience",
        abstract: "Count audiences of three clauses among many devices, with and without an index that helps.",
        discussion: """
            A new database gets contacts with five attributes and a device each. Three queries alternate: one that two \
            thirds of them match, so that all are scanned; one that less than one in a hundred match, which an index \
            finds; and the first one again over the stored JSON of the attributes, for comparison. The results are \
            medians.
            """
    )

    @Option(help: "The number of devices.")
    var devices = 1_000_000

    @Option(help: "How often each query is run.")
    var rounds = 5

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        guard (1_000...10_000_000).contains(devices) else {
            throw ValidationError("--devices must be 1000 to 10000000.")
        }
        guard (1...999).contains(rounds) else { throw ValidationError("--rounds must be 1 to 999.") }
    }

    func run() async throws {
        try await AudienceBench(devices: devices, rounds: rounds, json: json).runAlone()
    }
}
