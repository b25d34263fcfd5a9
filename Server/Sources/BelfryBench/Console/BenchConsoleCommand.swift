import ArgumentParser

/// PERF-12: measures the response times of the console's pages while people click.
struct BenchConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Open the console's pages with many devices, events and messages while people click.",
        discussion: """
            A new database gets contacts with a device and ten events each, and campaigns that each of them has got. A \
            server serves it; once its figures are summed up, people sign in and open pages in turn, one every half \
            second each. The first byte and the whole page are timed.
            """
    )

    @Option(help: "The number of devices.")
    var devices = 1_000_000

    @Option(help: "The number of events, and of messages.")
    var rows = 10_000_000

    @Option(help: "The number of people who click at the same time.")
    var people = 20

    @Option(help: "How long they click, in seconds.")
    var seconds = 60

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        guard (1_000...10_000_000).contains(devices) else {
            throw ValidationError("--devices must be 1000 to 10000000.")
        }
        guard (devices...100_000_000).contains(rows) else {
            throw ValidationError("--rows must be as many as devices, to 100000000.")
        }
        guard (1...200).contains(people) else { throw ValidationError("--people must be 1 to 200.") }
        guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds must be 1 to 3600.") }
    }

    func run() async throws {
        try await ConsoleBench(devices: devices, rows: rows, people: people, seconds: seconds, json: json).runAlone()
    }
}
