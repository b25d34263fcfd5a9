import BelfryPostgres
import BelfryStore
import Foundation

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

    package static func dropSchema(_ name: String) {
        try? PostgresScript.run(SQLText(ofTest: "DROP SCHEMA IF EXISTS \"\(name)\" CASCADE"), at: address(schema: name))
    }
}
