import ArgumentParser
import BelfryPostgres
import Foundation

/// PERF-15: compares the server's speed on PostgreSQL with its speed on SQLite.
struct BenchEnginesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engines",
        abstract: "Measure a server on SQLite and on PostgreSQL in one run.",
        discussion: """
            The benchmarks 'intake', 'message-center', 'in-app', 'registration' and 'campaign' run on a new server on \
            SQLite and then on one on PostgreSQL, each in a schema of its own, which is dropped afterwards. The \
            campaign needs a sink (--sink and --trust-roots). 'Scripts/bench-engines' starts a PostgreSQL server and \
            a sink. 'Scripts/setup bench' installs wrk.
            """
    )

    /// The number of wrk's threads.
    private static let threads = 2

    @Option(
        help: """
            The PostgreSQL database: postgres://user@host/name. The user may create schemas in it. Put a password into \
            a .pgpass file, because other users can see the command line.
            """)
    var database: String

    @Option(help: "The maximum number of connections of the server to the PostgreSQL database.")
    var databaseConnections = PostgresSettings.standardConnections

    @Option(help: "The number of devices that send events, fetch and sync in turn.")
    var devices = 1_000

    @Option(help: "The number of messages in the message centers.")
    var messages = 1_000_000

    @Option(
        help: "The number of new devices for each round of registrations: more than can be registered in that time.")
    var registrations = 60_000

    @Option(help: "Devices in the audience of the campaign.")
    var campaignDevices = 200_000

    @Option(help: "The base URL of a push service that accepts everything, such as https://127.0.0.1:8443")
    var sink: String?

    @Option(help: "A PEM file with the certificates to trust for the sink.")
    var trustRoots: String?

    @Option(help: "How often each benchmark is measured on each engine.")
    var rounds = 3

    @Option(help: "Seconds of one measurement.")
    var seconds = 5

    @Option(help: "Connections of wrk.")
    var connections = 64

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        do {
            _ = try PostgresAddress(database)
        } catch {
            throw ValidationError("--database: \(error)")
        }
        for (name, value) in [("rounds", rounds), ("seconds", seconds)] {
            guard value > 0 else { throw ValidationError("--\(name) must be 1 or more.") }
        }
        guard connections >= Self.threads else {
            throw ValidationError("--connections must be \(Self.threads) or more.")
        }
        let pool = PostgresSettings.minimumConnections...PostgresSettings.maximumConnections
        guard pool.contains(databaseConnections) else {
            throw ValidationError("--database-connections must be \(pool.lowerBound) to \(pool.upperBound).")
        }
        guard (1...10_000).contains(devices) else { throw ValidationError("--devices must be 1 to 10000.") }
        guard messages >= devices * EnginesBench.messagesOfDevice else {
            throw ValidationError("--messages must be at least \(EnginesBench.messagesOfDevice) for each device.")
        }
        // wrk holds the registrations in memory.
        guard (1_000...300_000).contains(registrations) else {
            throw ValidationError("--registrations must be 1000 to 300000.")
        }
        guard (1...10_000_000).contains(campaignDevices) else {
            throw ValidationError("--campaign-devices must be 1 to 10000000.")
        }
        guard (sink == nil) == (trustRoots == nil) else {
            throw ValidationError("--sink and --trust-roots belong together.")
        }
    }

    func run() async throws {
        let wrk = try Wrk(threads: Self.threads, connections: connections)
        let roots = try trustRoots.map { try String(contentsOf: URL(filePath: $0), encoding: .utf8) }
        try await EnginesBench(command: self, wrk: wrk, trustRoots: roots).runAlone()
    }
}
