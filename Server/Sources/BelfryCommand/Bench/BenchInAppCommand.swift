import ArgumentParser
import BelfryModel

/// PERF-7: what the server answers to devices that ask for in-app messages when nothing is new, beside what it answers
/// at all.
struct BenchInAppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "in-app",
        abstract:
            "Sync in-app messages from a server of its own by wrk, and compare with what it answers on /healthz.",
        discussion: """
            The server is a child process on a fresh data directory, with in-app campaigns for everyone. Devices are \
            linked by the API and have all the messages; then they ask what is new since, and nothing is. Rounds on \
            /healthz and on the syncs alternate, with the same threads, connections and duration; medians count. The \
            plan by which SQLite finds out that nothing is new is shown, too. 'Scripts/setup bench' installs wrk.
            """
    )

    @Option(help: "How many devices ask, in turn, each for a contact of its own.")
    var devices = 1_000

    @Option(help: "Active in-app campaigns of the app.")
    var campaigns = 10

    @OptionGroup var options: TurnsOptions

    func validate() throws {
        guard (1...10_000).contains(devices) else { throw ValidationError("--devices must be 1 to 10000.") }
        let most = InAppLimits.maximumActive
        guard (1...most).contains(campaigns) else { throw ValidationError("--campaigns must be 1 to \(most).") }
    }

    func run() async throws {
        let bench = InAppBench(
            turns: try options.turns, devices: devices, campaigns: campaigns, json: options.json
        )
        try await bench.runAlone()
    }
}
