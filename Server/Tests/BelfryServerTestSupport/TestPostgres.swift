import BelfryPostgres
import BelfryStore
import Foundation
import Synchronization
import Testing

/// The PostgreSQL server of a test run: `make test` starts it (Scripts/with-postgres) and names it in the environment.
/// Each test has its own schema.
///
/// With `BELFRY_TEST_DISTRIBUTED=1` it is the cluster of ``TestCitus`` instead, and each schema is one that several servers
/// hold together (FLEET-6).
package enum TestPostgres {
    package static let variable = "BELFRY_TEST_POSTGRES"
    /// Whether each schema is one that several servers hold together.
    package static let isDistributed = ProcessInfo.processInfo.environment["BELFRY_TEST_DISTRIBUTED"] == "1"
    /// Why a test does not run there that counts what one server is asked, or how often.
    package static let isOfOneServer: Comment = "NOT tested on a cluster: it counts what one server is asked"
    /// The variable with the address of the server.
    private static let server = isDistributed ? TestCitus.variable : variable
    /// Of each table. One for each of the three workers, and one more: what goes wrong where a server has two of a table,
    /// and Citus uses two connections to it, is seen nowhere else. Each shard is a table that each schema has to make.
    private static let shards = 4

    package struct Missing: Error, CustomStringConvertible {
        package var description: String {
            "There is no PostgreSQL to test on: run 'Scripts/\(TestPostgres.isDistributed ? "with-citus" : "with-postgres") "
                + "swift test …', as 'make test' does, or set \(TestPostgres.server) to the address of a database that "
                + "tests may write to."
        }
    }

    /// The address of a schema on the server.
    ///
    /// - Parameter isOneShard: whether what is distributed by this address is on one shard, with whatever else.
    package static func address(schema: String, isOneShard: Bool = false) throws -> PostgresAddress {
        try PostgresAddress(text(schema: schema, isOneShard: isOneShard))
    }

    /// The address as a program gets it. A server that is gone refuses at once; on a busy machine one that is there may take
    /// longer than the 5 s that a program waits by itself.
    package static func text(schema: String, isOneShard: Bool = false) throws -> String {
        guard let address = ProcessInfo.processInfo.environment[server] else { throw Missing() }
        return text(schema: schema, of: address, shards: isDistributed ? (isOneShard ? 1 : shards) : nil)
    }

    /// - Parameter shards: of each table that is distributed by this address; nil: as the server has it.
    static func text(schema: String, of server: String, shards: Int? = nil) -> String {
        let shards = shards.map { "-ccitus.shard_count%3D\($0)%20" } ?? ""
        let options = "options=\(shards)-csearch_path%3D%22\(schema)%22&connect_timeout=300"
        return server + (server.contains("?") ? "&" : "?") + options
    }

    /// How long a writer of a test waits for a lock, in milliseconds. Of a test that writes one after the other the only
    /// rivals are the server's own locks on the catalogs that all tests share; a write that ran again would have used up
    /// numbers that tests rely on. Two that wait for each other are found by the server.
    private static let patience = 30_000

    package static func open(
        schema: String, writers: Int, questions: QuestionLimits = .patient,
        statements: StatementLog? = StatementLog.ofThisRun
    ) throws -> PostgresDatabase {
        try PostgresDatabase(
            PostgresSettings(
                address: address(schema: schema), connections: writers + 4, writers: writers, questions: questions,
                now: { Date() }, jitter: { 0.5 }, lockTimeout: patience, statementTimeout: 20 * patience,
                citusCatalog: isDistributed ? PostgresSettings.standardCatalog : CitusStandIn.catalog,
                onStatement: statements?.onStatement
            )
        )
    }

    /// How often a database has waited for the server's answer; nil for another engine's.
    package static func roundTrips(of database: any SQLDatabase) -> Int? {
        (database as? PostgresDatabase)?.roundTrips
    }

    /// How often a transaction of a database had to run again, which uses up numbers; nil for another engine's.
    package static func repeated(in database: any SQLDatabase) -> Int? {
        repetitions(in: database)?.values.reduce(0, +)
    }

    /// The same by the reason.
    package static func repetitions(in database: any SQLDatabase) -> [String: Int]? {
        (database as? PostgresDatabase)?.repetitions
    }

    /// On a cluster with the newest tables, since they are distributed before anybody enters the database.
    package static func makeSchema(_ name: String, isOneShard: Bool = false) throws {
        let place = try address(schema: name, isOneShard: isOneShard)
        try PostgresScript.run(SQLText(ofTest: "CREATE SCHEMA \"\(name)\""), at: place)
        guard isDistributed else { return }
        let settings = PostgresSettings(
            address: place, connections: PostgresSettings.minimumConnections, questions: .patient, now: { Date() },
            jitter: { 0.5 }
        )
        _ = try PostgresDistribution.setUp(settings)
    }

    /// Schemas of the newest version that tests have given back: to empty one takes a tenth of the time to make one. Those
    /// of one shard are kept apart.
    private static let spare = Mutex<[Bool: [String]]>([:])

    /// The name of a schema for one test: a new one, or one that was given back by another test.
    package static func takeSchema(isOneShard: Bool = false) throws -> String {
        if let name = spare.withLock({ $0[isOneShard]?.popLast() }) { return name }
        let name = "belfry-store-\(UUID().uuidString)"
        try makeSchema(name, isOneShard: isOneShard)
        return name
    }

    /// Takes a schema back that nobody is connected to any more, and empties it. One that cannot be emptied is dropped.
    package static func giveBack(_ name: String, isOneShard: Bool = false) {
        do {
            try PostgresScript.run(SQLText(ofTest: emptying), at: address(schema: name))
            spare.withLock { $0[isOneShard, default: []].append(name) }
        } catch {
            dropSchema(name)
        }
    }

    /// Drops the tables that apps have brought, empties the others, and lets all numbers begin at 1 again. Rows are
    /// deleted: to truncate a table makes new files for it and its indexes, which takes thirty times as long. A table
    /// that has grown large is truncated, lest what was deleted makes it slow. A schema whose tables are in partitions is
    /// not what the next test expects.
    ///
    /// On a cluster the same statements do it: Citus passes them on, and hides the shards that are on this server from who
    /// looks for tables. All numbers come from this server's sequences.
    private static let emptying = """
        SET lock_timeout = '10s';
        DO $empty$
        DECLARE
            entry text;
            bytes bigint;
            large text[] := '{}';
        BEGIN
            IF (SELECT max(version) FROM schema_version) <> \(Migration.newest) THEN
                RAISE EXCEPTION 'the schema has another version';
            END IF;
            IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE c.relkind = 'p' AND n.nspname = current_schema())
            THEN
                RAISE EXCEPTION 'the schema has tables in partitions';
            END IF;
            FOR entry, bytes IN
                SELECT c.relname, \(size)
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE c.relkind = 'r' AND n.nspname = current_schema() AND c.relname <> 'schema_version'
            LOOP
                IF entry ~ '^audience_[0-9]+$' THEN
                    EXECUTE format('DROP TABLE %I', entry);
                ELSIF bytes > 131072 THEN
                    large := array_append(large, format('%I', entry));
                ELSIF bytes > 0 THEN
                    EXECUTE format('DELETE FROM %I', entry);
                END IF;
            END LOOP;
            IF cardinality(large) > 0 THEN EXECUTE 'TRUNCATE ' || array_to_string(large, ', '); END IF;
            PERFORM setval(s.oid::regclass, 1, false)
            FROM pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace
            WHERE s.relkind = 'S' AND n.nspname = current_schema();
        END
        $empty$
        """

    /// A table's bytes. What is on shards has none here, so each such table counts as having one.
    private static let size =
        isDistributed
        ? """
        greatest(pg_relation_size(c.oid), (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid))
        """ : "pg_relation_size(c.oid)"

    package static func dropSchema(_ name: String) {
        try? PostgresScript.run(SQLText(ofTest: "DROP SCHEMA IF EXISTS \"\(name)\" CASCADE"), at: address(schema: name))
    }
}
