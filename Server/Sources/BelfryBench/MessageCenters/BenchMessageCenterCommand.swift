import ArgumentParser
import BelfryModel

/// PERF-7: measures responses to devices that fetch a message center, compared with the server's fastest possible
/// responses.
struct BenchMessageCenterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message-center",
        abstract:
            "Fetch message centers from a new server with wrk, compared with its /healthz and its express lane.",
        discussion: """
            The server is a child process with a new data directory. Contacts with full message centers are written \
            directly into its file, \(MessageCenterLimits.messagesPerCenter) messages each; some have a device, linked \
            through the API. Rounds on /healthz, which goes through the router, on uploads without events, the least \
            that the express lane answers, and on the fetches alternate, with the same threads, connections and \
            duration; the results are medians. The query plan is shown, too. 10,000,000 messages need about 1 GB \
            of disk. 'Scripts/setup bench' installs wrk.
            """
    )

    @Option(help: "The number of messages in the server's file, of all contacts and message centers.")
    var messages = 10_000_000

    @Option(help: "The number of the app's message centers, each full for every contact.")
    var centers = 1 + MessageCenterLimits.maximumCustom

    @Option(help: "The number of devices that fetch in turn, each with its own contact.")
    var devices = 1_000

    @Flag(help: "Fetch all message centers at once, as the SDK does, instead of only the primary one.")
    var allCenters = false

    @OptionGroup var options: TurnsOptions

    func validate() throws {
        let most = 1 + MessageCenterLimits.maximumCustom
        guard (1...most).contains(centers) else { throw ValidationError("--centers must be 1 to \(most).") }
        guard (1...10_000).contains(devices) else { throw ValidationError("--devices must be 1 to 10000.") }
        let least = devices * shape.perContact
        guard (least...100_000_000).contains(messages) else {
            throw ValidationError(
                "--messages must be \(least) to 100000000: the contact of each device has full message centers.")
        }
    }

    private var shape: MessageCenterShape {
        MessageCenterShape(messages: messages, centers: centers, devices: devices)
    }

    func run() async throws {
        let bench = MessageCenterBench(
            turns: try options.turns, shape: shape, fetch: allCenters ? .all : .primary, json: options.json
        )
        try await bench.runAlone()
    }
}
