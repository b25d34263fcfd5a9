import BelfryPostgres
import BelfryServerModel
import BelfryStore
import Foundation

/// Reads a cluster's tables and Citus' catalog beside the servers, and lets a worker join.
struct ClusterDatabase: Sendable {
    /// The number of devices whose events are read at a time.
    private static let page = 50_000

    let database: BenchDatabase

    private func read<Output>(_ body: (any SQLConnection) throws -> Output) throws -> Output {
        guard let output = try database.inspected(body) else { throw ClusterBenchError.notDistributed }
        return output
    }

    private func number(_ sql: SQLText, _ arguments: [SQLValue] = []) throws -> Int {
        try read { connection in try connection.first(sql, arguments) { Int($0.integer(0)) } ?? 0 }
    }
}

/// The rows of the servers.
extension ClusterDatabase {
    private enum LedgerPlace: Int, ResultPlace {
        case rows, devices, accepted
    }

    /// The rows of one campaign in the ledger.
    struct Ledger {
        let rows: Int
        /// The number of devices that have a row.
        let devices: Int
        let accepted: Int
    }

    func ledger(of campaign: Int64) throws -> Ledger {
        try read { connection in
            let sql: SQLText = """
                SELECT count(*), count(DISTINCT device_id), count(*) FILTER (WHERE state = \(word: DeliveryState.accepted))
                FROM deliveries WHERE campaign_id = ?
                """
            let found = try connection.first(sql, [.integer(campaign)]) { row -> Ledger in
                let row = ResultRow<LedgerPlace>(row)
                return Ledger(
                    rows: Int(row.integer(.rows)), devices: Int(row.integer(.devices)),
                    accepted: Int(row.integer(.accepted))
                )
            }
            guard let found else { throw StoreError.corrupted(table: "deliveries", key: "count") }
            return found
        }
    }

    /// The number of stored registrations, processed or not.
    func registrations() throws -> Int { try number("SELECT count(*) FROM registrations") }

    /// The events of all devices.
    struct Events {
        /// The number of devices that have every event of their app open.
        var opened = 0
        /// The ids of the events that the talkers sent.
        var talked: [String] = []
    }

    func events() throws -> Events {
        var events = Events()
        let last = Int64(try number("SELECT max(id) FROM devices"))
        for start in stride(from: 0, to: last, by: Self.page) {
            let devices: [SQLValue] = [.integer(start), .integer(start + Int64(Self.page))]
            events.opened += try number(Self.openedSQL, devices)
            events.talked += try read { try $0.query(Self.talkedSQL, devices) { $0.text(0) } }
        }
        return events
    }

    private static let openedSQL: SQLText = """
        SELECT count(*) FROM (SELECT device_id FROM events
            WHERE device_id > ? AND device_id <= ? AND event_id LIKE 'open%'
            GROUP BY device_id HAVING count(*) = \(1 + FleetShape.eventsOfOpening)) whole
        """

    private static let talkedSQL: SQLText = """
        SELECT event_id FROM events WHERE device_id > ? AND device_id <= ? AND event_id LIKE 'talk-%'
        """
}

/// The cluster.
extension ClusterDatabase {
    /// Checks that the servers' tables are on shards.
    func checkDistributed() throws {
        let found = try number(
            "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = to_regclass('devices') AND partmethod = 'h'"
        )
        guard found == 1 else { throw ClusterBenchError.notDistributed }
    }

    /// The number of workers that have shards, or may get some.
    func workers() throws -> Int {
        try number("SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards AND isactive AND noderole = 'primary'")
    }

    /// The number of shards on a worker, without copies of reference tables.
    func shards(on node: ClusterNode) throws -> Int {
        try number(
            """
            SELECT count(*) FROM pg_dist_placement p JOIN pg_dist_node n ON n.groupid = p.groupid
            JOIN pg_dist_shard s ON s.shardid = p.shardid JOIN pg_dist_partition t ON t.logicalrelid = s.logicalrelid
            WHERE t.partmethod = 'h' AND n.nodeport = ?
            """,
            [.integer(Int64(node.port))]
        )
    }

    /// Adds a worker and begins to move shards to it, in the background.
    func rebalance(to node: ClusterNode) throws {
        guard case .postgres(let address) = database else { throw ClusterBenchError.notDistributed }
        try PostgresScript.run("SELECT citus_add_node('127.0.0.1', \(node.port))", at: address)
        try PostgresScript.run("SELECT citus_rebalance_start()", at: address)
    }

    enum Rebalance: Hashable {
        /// It begins within seconds.
        case scheduled
        case running
        case finished
    }

    func rebalanceState() throws -> Rebalance {
        let state = try read { connection in
            try connection.first("SELECT CAST(state AS TEXT) FROM citus_rebalance_status()", []) { $0.text(0) }
        }
        switch state {
        case "scheduled": return .scheduled
        case "running": return .running
        case "finished": return .finished
        case let other: throw ClusterBenchError.rebalance(other ?? "gone")
        }
    }
}
