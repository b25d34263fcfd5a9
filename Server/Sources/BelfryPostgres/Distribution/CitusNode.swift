import BelfryStore

/// A server of a cluster that has shards: none that programs speak to (FLEET-5).
package struct CitusNode: Hashable, Sendable {
    package let host: String
    package let port: Int64
    /// Whether the server that programs speak to can connect to it.
    package let answers: Bool

    package init(host: String, port: Int64, answers: Bool) {
        self.host = host
        self.port = port
        self.answers = answers
    }

    /// Asks for each of them, which may wait for one that is away.
    ///
    /// - Parameter catalog: see ``PostgresSettings/standardCatalog``.
    /// - Returns: nil for a database that one server holds.
    package static func all(
        of connection: any SQLConnection, catalog: SQLText = PostgresSettings.standardCatalog
    ) throws -> [CitusNode]? {
        guard let found = try CitusCatalog(connection, name: catalog), found.isDistributed else { return nil }
        // Of a machine that is gone nothing comes back, and Citus would wait for half a minute for each.
        try connection.execute("SET LOCAL citus.node_connection_timeout = 5000", [])
        return try connection.query(
            """
            SELECT nodename, nodeport, isactive AND citus_check_connection_to_node(nodename, nodeport)
            FROM pg_dist_node WHERE groupid <> 0 AND noderole = 'primary' ORDER BY nodeid
            """,
            []
        ) { CitusNode(host: $0.text(0), port: $0.integer(1), answers: $0.flag(2)) }
    }
}
