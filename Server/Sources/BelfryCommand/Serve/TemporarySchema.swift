import BelfryPostgres
import BelfryStore
import Foundation

/// A schema of its own in a PostgreSQL database, for servers that leave nothing there.
package struct TemporarySchema: Sendable {
    /// The address of the database, with the schema.
    package let text: String
    package let address: PostgresAddress
    /// The secret of the servers that share the schema.
    package let secret: String

    /// Makes a schema, runs the body, and drops the schema, also after an error.
    ///
    /// - Parameters:
    ///   - database: the address of a database in which the user may create schemas.
    ///   - name: the beginning of the schema's name.
    package static func run<Value>(
        in database: String, _ name: SQLText, _ body: (TemporarySchema) async throws -> Value
    ) async throws -> Value {
        let schema: SQLText = "\(name)_\(UInt32.random(in: 0...UInt32.max))"
        let mark = database.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        let text = "\(database)\(mark)options=-csearch_path%3D\(schema.statement)"
        let address = try PostgresAddress(text)
        try PostgresScript.run("CREATE SCHEMA \(schema)", at: address)
        defer { try? PostgresScript.run("DROP SCHEMA \(schema) CASCADE", at: address) }
        let secret = (0..<2).map { _ in UUID().uuidString }.joined(separator: "-")
        return try await body(TemporarySchema(text: text, address: address, secret: secret))
    }

    /// Distributes the tables over the servers of a Citus cluster, before a server enters them (FLEET-5).
    func distribute() throws {
        _ = try PostgresDistribution.setUp(
            PostgresSettings(
                address: address, questions: .live, now: { Date() }, jitter: { Double.random(in: 0...1) }
            )
        )
    }
}
