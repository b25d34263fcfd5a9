import ArgumentParser
import BelfryPostgres
import Foundation

/// FLEET-8: measures what a fleet costs on each engine.
struct BenchFleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Let a fleet live for a week on SQLite and on PostgreSQL, and measure what each operation costs.",
        discussion: """
            On a new server, devices are linked and registered. Each opens its app once and sends \
            \(FleetShape.eventsOfOpening) events; then a campaign goes to all of them for each day, one after the \
            other. After this week come events, counts of an audience, fetches of message centers and in-app syncs. \
            For a thousand operations of each kind you get the processor time of the server and of the database, and \
            the bytes that were written; after the week also the size, the dead rows, and the part of all updates for \
            which PostgreSQL wrote no index (HOT). On PostgreSQL it runs in a schema of its own, which is dropped \
            afterwards. Processor time of a database on another machine is unknown. The campaigns need a sink (--sink \
            and --trust-roots). 'Scripts/bench-fleet' starts a PostgreSQL server and a sink.
            """
    )

    @Option(help: "The number of devices.")
    var fleet = 1_000_000

    @Option(help: "The number of days, with a campaign each.")
    var days = 7

    @Option(help: "The number of operations of each kind after the week. Of counts it is a thousandth.")
    var operations = 20_000

    @Option(
        help: """
            The PostgreSQL database: postgres://user@host/name. The user may create schemas in it. Put a password into \
            a .pgpass file, because other users can see the command line. (default: SQLite only)
            """)
    var database: String?

    @Option(help: "The maximum number of connections of the server to the PostgreSQL database.")
    var databaseConnections = PostgresSettings.standardConnections

    @Flag(inversion: .prefixedNo, help: "Measure on SQLite, before PostgreSQL.")
    var sqlite = true

    @Option(help: "The base URL of a push service that accepts everything, such as https://127.0.0.1:8443")
    var sink: String?

    @Option(help: "A PEM file with the certificates to trust for the sink.")
    var trustRoots: String?

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        guard sqlite || database != nil else { throw ValidationError("--no-sqlite needs --database.") }
        if let database {
            do {
                _ = try PostgresAddress(database)
            } catch {
                throw ValidationError("--database: \(error)")
            }
        }
        let pool = PostgresSettings.minimumConnections...PostgresSettings.maximumConnections
        guard pool.contains(databaseConnections) else {
            throw ValidationError("--database-connections must be \(pool.lowerBound) to \(pool.upperBound).")
        }
        guard (100...10_000_000).contains(fleet) else { throw ValidationError("--fleet must be 100 to 10000000.") }
        guard (1...366).contains(days) else { throw ValidationError("--days must be 1 to 366.") }
        guard (100...10_000_000).contains(operations) else {
            throw ValidationError("--operations must be 100 to 10000000.")
        }
        guard (sink == nil) == (trustRoots == nil) else {
            throw ValidationError("--sink and --trust-roots belong together.")
        }
    }

    func run() async throws {
        var engines: [BenchEngine] = sqlite ? [.sqlite] : []
        if let database { engines.append(.postgres(database, connections: databaseConnections)) }
        var push: BenchPushSink?
        if let sink, let trustRoots {
            push = BenchPushSink(
                address: sink, trustRoots: try String(contentsOf: URL(filePath: trustRoots), encoding: .utf8)
            )
        }
        let shape = FleetShape(devices: fleet, days: push == nil ? 0 : days, operations: operations)
        try await FleetBench(shape: shape, engines: engines, push: push, json: json).runAlone()
    }
}
