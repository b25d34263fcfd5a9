import ArgumentParser
import BelfryModel

/// PERF-7: what the server answers to devices that fetch a message centre, beside what it answers at all.
struct BenchMessageCenterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message-center",
        abstract:
            "Fetch message centers from a server of its own by wrk, and compare with what it answers on /healthz.",
        discussion: """
            The server is a child process on a fresh data directory. Contacts with full centers are written straight \
            into its file, \(MessageCenterLimits.messagesPerCenter) messages to a center; some of them have a device, \
            linked by the API. Rounds on /healthz and on the fetches alternate, with the same threads, connections and \
            duration; medians count. The plan by which SQLite answers is shown, too. 10,000,000 messages need about \
            1 GB of disk. 'Scripts/setup bench' installs wrk.
            """
    )

    @Option(help: "Messages in the server's file, over all contacts and centers.")
    var messages = 10_000_000

    @Option(help: "Centers of the app, each full for every contact.")
    var centers = 1 + MessageCenterLimits.maximumCustom

    @Option(help: "How many devices fetch, in turn, each for a contact of its own.")
    var devices = 1_000

    @Flag(help: "Fetch all centers at once, as the SDK does, and not only the primary one.")
    var allCenters = false

    @OptionGroup var options: TurnsOptions

    func validate() throws {
        let most = 1 + MessageCenterLimits.maximumCustom
        guard (1...most).contains(centers) else { throw ValidationError("--centers must be 1 to \(most).") }
        guard (1...10_000).contains(devices) else { throw ValidationError("--devices must be 1 to 10000.") }
        let least = devices * shape.perContact
        guard (least...100_000_000).contains(messages) else {
            throw ValidationError("--messages must be \(least) to 100000000: each device's contact has full centers.")
        }
    }

    private var shape: CenterBench.Shape {
        CenterBench.Shape(messages: messages, centers: centers, devices: devices)
    }

    func run() async throws {
        let bench = CenterBench(
            turns: try options.turns, shape: shape, fetch: allCenters ? .all : .primary, json: options.json
        )
        try await bench.runAlone()
    }
}
