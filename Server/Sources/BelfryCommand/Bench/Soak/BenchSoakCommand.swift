import ArgumentParser
import Foundation

/// REL-7: mixed load for an hour, and whether anything grows.
struct BenchSoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Keep a server of its own under mixed load, and judge whether memory, files or response times grow.",
        discussion: """
            The server is a child process on a fresh data directory. Devices come, send events, fetch and sync, and go \
            again; phones with the real SDK show, open and read; campaigns of every kind follow each other; the \
            simulated push services fail now and then. Memory, open files and response times are noted every few \
            seconds. The first sixth of the time is for warming up; after it memory and files must stay level, the 99th \
            percentile of the last sixth must be at most 1.2 times that of the second, and the ledger must add up.
            """
    )

    @Option(help: "How long the load lasts.")
    var minutes = 60

    @Option(help: "Devices at a time that call the API directly.")
    var devices = 500

    @Option(help: "Phones and browsers that run the real SDK.")
    var phones = 40

    @Option(help: "Calls a second of the devices together.")
    var rate = 200

    @Option(help: "Write a chart of the samples to this file, as SVG.")
    var chart: String?

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        guard (1...10_080).contains(minutes) else { throw ValidationError("--minutes must be 1 to 10080.") }
        guard (1...10_000).contains(devices) else { throw ValidationError("--devices must be 1 to 10000.") }
        guard (0...1_000).contains(phones) else { throw ValidationError("--phones must be 0 to 1000.") }
        guard (1...10_000).contains(rate) else { throw ValidationError("--rate must be 1 to 10000.") }
    }

    func run() async throws {
        OpenFiles.raiseLimit()
        let plan = SoakPlan(length: .seconds(minutes * 60), devices: devices, phones: phones, callsPerSecond: rate)
        try await SoakBench(plan: plan, chart: chart.map { URL(filePath: $0) }, json: json).runAlone()
    }
}
