import ArgumentParser
import BelfryPostgres
import Foundation

/// FLEET-6: lets a fleet use a Citus cluster while a worker dies and while shards move, and checks what is left.
struct BenchClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Send campaigns on a Citus cluster while a worker dies and while shards move.",
        discussion: """
            Two servers share a distributed database. Devices are linked and registered, and each opens its app once. Then \
            a campaign goes to all of them, amid which a worker is killed and comes back, and another one, while a new \
            worker joins and gets its shards. Some devices send events and registrations all the time. The benchmark fails \
            when anything acknowledged is missing in the end, when the ledger does not add up, or when the sink got a push \
            again that was not in flight at the kill. It works in a schema of its own, which is dropped afterwards; the \
            new worker stays. 'Scripts/bench-cluster' starts a cluster and a sink.
            """
    )

    @Option(help: "The number of devices.")
    var devices = 100_000

    @Option(
        help: """
            The database on the coordinator: postgres://user@host/name. Put a password into a .pgpass file, because other \
            users can see the command line.
            """)
    var database: String

    @Option(help: "The maximum number of connections of each server to the database.")
    var databaseConnections = PostgresSettings.standardConnections

    @Option(help: "The folder of the worker that is killed, as Scripts/with-citus makes it.")
    var worker: String

    @Option(help: "The folder of the worker that joins, as Scripts/with-citus makes it.")
    var spare: String

    @Option(help: "Seconds for which the killed worker is away.")
    var away = 10

    @Option(help: "The base URL of a push service that accepts everything, such as https://127.0.0.1:8443")
    var sink: String

    @Option(help: "A PEM file with the certificates to trust for the sink.")
    var trustRoots: String

    @Option(help: "The file to which the sink writes the apns-id of each push.")
    var sinkLog: String

    @Flag(help: "Print the figures as JSON, on the last line.")
    var json = false

    func validate() throws {
        do {
            _ = try PostgresAddress(database)
        } catch {
            throw ValidationError("--database: \(error)")
        }
        let pool = PostgresSettings.minimumConnections...PostgresSettings.maximumConnections
        guard pool.contains(databaseConnections) else {
            throw ValidationError("--database-connections must be \(pool.lowerBound) to \(pool.upperBound).")
        }
        guard (1_000...10_000_000).contains(devices) else {
            throw ValidationError("--devices must be 1000 to 10000000.")
        }
        guard (1...600).contains(away) else { throw ValidationError("--away must be 1 to 600.") }
    }

    func run() async throws {
        let roots = try String(contentsOf: URL(filePath: trustRoots), encoding: .utf8)
        let trouble = ClusterTrouble(
            worker: try ClusterNode(URL(filePath: worker)), spare: try ClusterNode(URL(filePath: spare)),
            away: .seconds(away)
        )
        try await ClusterBench(
            devices: devices, engine: .postgres(database, connections: databaseConnections), trouble: trouble,
            push: BenchPushSink(address: sink, trustRoots: roots), sink: SinkLog(file: URL(filePath: sinkLog)),
            json: json
        ).runAlone()
    }
}
