import BelfryPostgres
import BelfryStore
import Foundation
import Synchronization

/// The PostgreSQL server of a test run: `make test` starts it (Scripts/with-postgres) and names it in the environment.
/// Each test has its own schema.
package enum TestPostgres {
    package static let variable = "BELFRY_TEST_POSTGRES"

    package struct Missing: Error, CustomStringConvertible {
        package var description: String {
            "There is no PostgreSQL to test on: run 'Scripts/with-postgres swift test …', as 'make test' does, or set "
                + "\(TestPostgres.variable) to the address of a database that tests may write to."
        }
    }

    /// The address of a schema on the server.
    package static func address(schema: String) throws -> PostgresAddress {
        try PostgresAddress(text(schema: schema))
    }

    /// The address as a program gets it.
    package static func text(schema: String) throws -> String {
        guard let server = ProcessInfo.processInfo.environment[variable] else { throw Missing() }
        return server + (server.contains("?") ? "&" : "?") + "options=-csearch_path%3D%22\(schema)%22"
    }

    package static func open(
        schema: String, writers: Int, questions: QuestionLimits = .patient
    ) throws -> PostgresDatabase {
        try PostgresDatabase(
            PostgresSettings(
                address: address(schema: schema), connections: writers + 4, writers: writers, questions: questions,
                now: { Date() }, jitter: { 0.5 }
            )
        )
    }

    package static func makeSchema(_ name: String) throws {
        try PostgresScript.run(SQLText(ofTest: "CREATE SCHEMA \"\(name)\""), at: address(schema: name))
    }

    /// Schemas of the newest version that tests have given back: to empty one takes a tenth of the time to make one.
    private static let spare = Mutex<[String]>([])

    /// The name of a schema for one test: without tables, or given back by another test.
    package static func takeSchema() throws -> String {
        if let name = spare.withLock({ $0.popLast() }) { return name }
        let name = "belfry-store-\(UUID().uuidString)"
        try makeSchema(name)
        return name
    }

    /// Takes a schema back that nobody is connected to any more, and empties it. One that cannot be emptied is dropped.
    package static func giveBack(_ name: String) {
        do {
            try PostgresScript.run(SQLText(ofTest: emptying), at: address(schema: name))
            spare.withLock { $0.append(name) }
        } catch {
            dropSchema(name)
        }
    }

    /// Drops the tables that apps have brought, empties those that have rows, and lets all numbers begin at 1 again.
    private static let emptying = """
        SET lock_timeout = '10s';
        DO $empty$
        DECLARE
            entry text;
            has_rows boolean;
            filled text[] := '{}';
        BEGIN
            IF (SELECT max(version) FROM schema_version) <> \(Migration.newest) THEN
                RAISE EXCEPTION 'the schema has another version';
            END IF;
            FOR entry IN
                SELECT tablename FROM pg_tables
                WHERE schemaname = current_schema() AND tablename <> 'schema_version'
            LOOP
                IF entry ~ '^audience_[0-9]+$' THEN
                    EXECUTE format('DROP TABLE %I', entry);
                ELSE
                    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', entry) INTO has_rows;
                    IF has_rows THEN filled := array_append(filled, format('%I', entry)); END IF;
                END IF;
            END LOOP;
            IF cardinality(filled) > 0 THEN EXECUTE 'TRUNCATE ' || array_to_string(filled, ', '); END IF;
            PERFORM setval(s.oid::regclass, 1, false)
            FROM pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace
            WHERE s.relkind = 'S' AND n.nspname = current_schema();
        END
        $empty$
        """

    package static func dropSchema(_ name: String) {
        try? PostgresScript.run(SQLText(ofTest: "DROP SCHEMA IF EXISTS \"\(name)\" CASCADE"), at: address(schema: name))
    }
}
