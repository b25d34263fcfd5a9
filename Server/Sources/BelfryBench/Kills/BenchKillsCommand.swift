import ArgumentParser
import BelfryPostgres

/// REL-1: measures how soon a killed server accepts requests again.
struct BenchKillsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kills",
        abstract: "Kill a new server repeatedly while it stores events, and measure the starts after that.",
        discussion: """
            Each process stores events from many devices as fast as it can, until kill -9 at a moment drawn from a seed. \
            The next one starts with the write-ahead log that was left. The benchmark fails when a start takes longer \
            than a second, when half of the logs are shorter than 8.2 MB, when an acknowledged event is missing in the \
            end, or when a request is stored in part. With --database it stores in a schema of its own on PostgreSQL, \
            which is dropped afterwards; its server is not killed, and instead of the log that is left it is measured \
            what that server writes into its own.
            """
    )

    @Option(help: "How often the server is killed.")
    var kills = 20

    @Option(help: "Seconds for which a process stores events, about: 0.3 to 2 times as long.")
    var load = 2

    @Option(help: "Repeats the moments of the kills of another run, which says it. Without it they are new ones.")
    var seed: UInt64?

    @Option(help: "Devices that send at the same time.")
    var devices = 32

    @Option(
        help: """
            A PostgreSQL database instead of SQLite: postgres://user@host/name. The user may create schemas in it. Put a \
            password into a .pgpass file, because other users can see the command line.
            """)
    var database: String?

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        if let database {
            do {
                _ = try PostgresAddress(database)
            } catch {
                throw ValidationError("--database: \(error)")
            }
        }
        guard (1...1_000).contains(kills) else { throw ValidationError("--kills must be 1 to 1000.") }
        guard (1...600).contains(load) else { throw ValidationError("--load must be 1 to 600.") }
        guard (1...64).contains(devices) else { throw ValidationError("--devices must be 1 to 64.") }
    }

    func run() async throws {
        let engine = database.map { BenchEngine.postgres($0, connections: PostgresSettings.standardConnections) }
        try await KillsBench(
            kills: kills, load: .seconds(load), seed: seed ?? .random(in: 0..<1_000_000), devices: devices,
            engine: engine ?? .sqlite, json: json
        ).runAlone()
    }
}
