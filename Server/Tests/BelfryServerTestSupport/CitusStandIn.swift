import BelfryPostgres
import BelfryStore
import Foundation

/// Stands for Citus in a schema of an ordinary PostgreSQL server: a catalog under the name of Citus' own, and functions
/// that refuse a unique key without the distribution column, as Citus does, and write down what they were told. A program
/// that is told to look for the catalog there then takes the database for a distributed one; all rows stay where they are.
/// There are three shards, and a device is on that of its number's remainder.
///
/// What Citus itself makes of a statement only a cluster says (``TestCitus``).
package enum CitusStandIn {
    /// Its catalog, in whatever schema is searched.
    package static let catalog: SQLText = "pg_dist_partition"

    private static let statements: [SQLText] = [
        """
        CREATE TABLE pg_dist_partition (
            logicalrelid regclass PRIMARY KEY, partmethod TEXT NOT NULL, partkey TEXT, neighbour TEXT,
            repmodel TEXT NOT NULL)
        """,
        """
        CREATE FUNCTION create_distributed_table(table_name regclass, distribution_column text, colocate_with text)
        RETURNS void LANGUAGE plpgsql AS $place$
        BEGIN
            IF EXISTS (SELECT FROM pg_index x WHERE x.indrelid = table_name AND x.indisunique AND NOT EXISTS (
                SELECT FROM pg_attribute a WHERE a.attrelid = table_name AND a.attname = distribution_column
                    AND a.attnum = ANY (x.indkey::int2[])))
            THEN
                RAISE EXCEPTION 'cannot create constraint on "%"', table_name USING ERRCODE = '0A000';
            END IF;
            INSERT INTO pg_dist_partition VALUES (table_name, 'h', distribution_column, colocate_with, 's');
        END
        $place$
        """,
        """
        CREATE FUNCTION create_reference_table(table_name regclass) RETURNS void LANGUAGE sql AS $place$
            INSERT INTO pg_dist_partition VALUES (table_name, 'n', NULL, NULL, 't')
        $place$
        """,
        """
        CREATE FUNCTION citus_add_local_table_to_metadata(table_name regclass) RETURNS void LANGUAGE sql AS $place$
            INSERT INTO pg_dist_partition VALUES (table_name, 'n', NULL, NULL, 's')
        $place$
        """,
        """
        CREATE FUNCTION truncate_local_data_after_distributing_table(function_name regclass) RETURNS void
        LANGUAGE sql AS $empty$ SELECT $empty$
        """,
        """
        CREATE TABLE pg_dist_node (
            nodeid BIGINT PRIMARY KEY, groupid BIGINT NOT NULL, nodename TEXT NOT NULL, nodeport INTEGER NOT NULL,
            noderole TEXT NOT NULL, isactive BOOLEAN NOT NULL, shouldhaveshards BOOLEAN NOT NULL)
        """,
        """
        INSERT INTO pg_dist_node VALUES (1, 0, 'coordinator', 5432, 'primary', true, false),
            (2, 1, 'worker1', 5432, 'primary', true, true), (3, 2, 'worker2', 5433, 'primary', true, true)
        """,
        """
        CREATE FUNCTION citus_check_connection_to_node(name text, port integer) RETURNS boolean
        LANGUAGE sql AS $check$ SELECT port = 5432 $check$
        """,
        """
        CREATE FUNCTION citus_version() RETURNS text
        LANGUAGE sql AS $version$ SELECT 'Citus 12.1.12 on nothing'::text $version$
        """,
        """
        CREATE FUNCTION get_shard_id_for_distribution_column(table_name regclass, distribution_value bigint)
        RETURNS bigint LANGUAGE sql AS $shard$ SELECT distribution_value % 3 $shard$
        """,
    ]

    /// Puts it into a schema of a test, which cannot be handed on afterwards.
    package static func install(_ connection: any SQLConnection) throws {
        for statement in statements { try connection.execute(statement) }
    }

    /// Has it that the devices are on shards, which is what a program goes by, and makes the table that each of its writes
    /// then names, and the column in which batches have their devices.
    package static func placeDevices(_ connection: any SQLConnection) throws {
        try connection.execute("INSERT INTO pg_dist_partition VALUES ('devices', 'h', 'id', 'none', 's')")
        try connection.execute(PreparedCommits.creation)
        try connection.execute(PostgresDistribution.batchDevices)
    }

    /// A database that whoever enters it from now on takes for a distributed one (``TestStore/another(writers:)``). Who
    /// has made it does not.
    package static func store() async throws -> TestStore {
        let store = try TestStore(.postgres)
        try await store.write { connection in
            try install(connection)
            try placeDevices(connection)
        }
        return store
    }

    /// Distributes a database with the stand-in, as a program is to do before it enters it.
    ///
    /// - Returns: the tables that got a place.
    package static func setUp(_ store: TestStore, copyingRows: Bool = false) throws -> [String] {
        try PostgresDistribution.setUp(try settings(of: store), copyingRows: copyingRows)
    }

    /// By which a program enters a database with the stand-in.
    package static func settings(of store: TestStore) throws -> PostgresSettings {
        PostgresSettings(
            address: try TestPostgres.address(schema: store.place.lastPathComponent), connections: 3,
            questions: .patient, now: { Date() }, jitter: { 0.5 }, citusCatalog: catalog
        )
    }
}
