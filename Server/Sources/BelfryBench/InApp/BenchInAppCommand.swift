import ArgumentParser
import BelfryModel

/// PERF-7: measures responses to devices that sync in-app messages when nothing is new, compared with the server's
/// fastest possible responses.
struct BenchInAppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "in-app",
        abstract:
            "Sync in-app messages from a new server with wrk, compared with its /healthz and its express lane.",
        discussion: """
            The server is a child process with a new data directory and in-app campaigns for everyone. Devices are \
            linked through the API and have all messages; then they sync while nothing is new. Rounds on /healthz, \
            which goes through the router, on uploads without events, the least that the express lane answers, and on \
            the syncs alternate, with the same threads, connections and duration; the results are medians. SQLite's \
            query plan is shown, too. 'Scripts/setup bench' installs wrk.
            """
    )

    @Option(help: "The number of devices that sync in turn, each with its own contact.")
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
