import ArgumentParser
import BelfryCommand
import BelfrySimulators
import Foundation

/// REL-7: applies mixed load for an hour, and checks that no resource use grows.
struct BenchSoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Run a new server under mixed load, and check whether memory, open files or response times grow.",
        discussion: """
            The server is a child process with a new data directory. Devices arrive, send events, fetch, sync and \
            leave; phones with the real SDK display, open and read; campaigns of every kind follow each other; the \
            simulated push services fail now and then. Memory, open files and response times are recorded every few \
            seconds. The first sixth of the time is a warm-up. After it, memory and open files must not grow, the 99th \
            percentile of the last sixth must be at most 1.2 times that of the second, and the ledger must add up.
            """
    )

    @Option(help: "The duration of the load.")
    var minutes = 60

    @Option(help: "The number of simultaneous devices that call the API directly.")
    var devices = 500

    @Option(help: "The number of phones and browsers that run the real SDK.")
    var phones = 40

    @Option(help: "Requests per second of all devices together.")
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

/// The length of a soak and its amount of work.
struct SoakPlan: Sendable {
    let length: Duration
    let devices: Int
    let phones: Int
    let callsPerSecond: Int

    /// The time between two samples. It gives sixty samples per sixth of the soak's length, but is at least 1 s.
    var interval: Duration { max(.seconds(1), length / 360) }
    /// The time between two campaigns: thirty of each kind in an hour.
    var campaignInterval: Duration { max(.seconds(2), length / 150) }
    /// The time between two replacements: in an hour's soak, a hundredth of the devices is replaced every minute.
    var replacementInterval: Duration { max(.milliseconds(100), length / 3_600) }

    /// The faults of the push services: about one push in forty fails, and a connection ends after each 500 pushes.
    static func faults(seed: UInt64) throws -> FaultPlan {
        try FaultPlan(
            seed: seed,
            rates: [
                .tooManyRequests: 0.01, .internalServerError: 0.005, .serviceUnavailable: 0.005,
                .connectionLostAfter: 0.002, .slowAnswer: 0.05,
            ],
            slowAnswer: .milliseconds(200), goAwayAfter: 500, retryAfter: 1
        )
    }
}
