import ArgumentParser
import Foundation

/// PERF-2: measures a whole campaign, from its launch until every device's row in the ledger is final.
struct BenchCampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Send a campaign to many devices, from a new server to a sink.",
        discussion: """
            The server is a child process with a new data directory. Contacts with a first name and a city, each with \
            a device and an APNs token, are written to its file; then a campaign with a template goes to all that have \
            a city. It measures the time from the launch to the end of the campaign, the server's peak memory and the \
            ratio to h2load on the same sink just before, and checks that the ledger adds up. \
            'Scripts/bench-campaign' starts a sink and prints medians.
            """
    )

    @Option(help: "Devices in the audience.")
    var devices = 1_000_000

    @Option(help: "The base URL of a push service that accepts everything, such as https://127.0.0.1:8443")
    var sink: String

    @Option(help: "A PEM file with the certificates to trust for the sink.")
    var trustRoots: String

    @Flag(inversion: .prefixedNo, help: "First send 400,000 requests to the sink with h2load.")
    var h2load = true

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        guard (1...10_000_000).contains(devices) else {
            throw ValidationError("--devices must be 1 to 10000000.")
        }
    }

    func run() async throws {
        let roots = try String(contentsOf: URL(filePath: trustRoots), encoding: .utf8)
        try await CampaignBench(devices: devices, sink: sink, trustRoots: roots, h2load: h2load, json: json).runAlone()
    }
}
