import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-5, FLEET-6: the schema and the statements on a real Citus cluster.
///
/// Over the statements of a whole run it takes minutes: each is tried on a connection of its own, in a transaction that
/// is rolled back.
@Suite("Citus", .enabled(if: TestCitus.isThere, TestCitus.reason))
struct CitusTests {
    private static let app: Int64 = 1

    /// Statements that name the shard of each key, and that Citus refuses all the same.
    private static let manyKeys = FanOut(
        "Many keys are asked for by one statement, which finds each as if it were alone.",
        ["SELECT found.*, asked.place FROM unnest(…) WITH ORDINALITY AS asked (…) CROSS JOIN LATERAL (…) found"]
    )

    @Test("FLEET-5: Citus takes each table to its place, but for those with keys that are to change")
    func places() async throws {
        let citus = try await Self.cluster()
        var refused: Set<String> = []
        for table in try await Self.tables(of: citus) {
            guard let statement = CitusPlacing.statement(for: table, besides: false),
                let refusal = citus.refusal(of: statement)
            else { continue }
            #expect(refusal.contains("cannot create constraint on"), "\(table): \(refusal)")
            refused.insert(table)
        }
        let expected = Distribution.tables.keys.filter { table in
            ShardTests.keysToChange.contains { $0.hasPrefix(table) }
        }
        #expect(refused == Set(expected))
    }

    @Test("FLEET-5: what Citus refuses of the statements is a listed fan-out, or asks for many keys at once")
    func statements() async throws {
        let citus = try await Self.cluster()
        try #require(citus.refusal(of: CitusPlacing.newKeys) == nil)
        for table in try await Self.tables(of: citus) {
            guard let statement = CitusPlacing.statement(for: table, besides: true) else { continue }
            let refusal = citus.refusal(of: statement)
            #expect(refusal == nil, "\(table)")
        }
        let sources = try StatementSources()
        var tried = 0
        for statement in Set(try await ShardTests.issued()) {
            guard let trial = CitusTrial(of: statement, app: Self.app) else { continue }
            tried += 1
            guard let refusal = citus.refusal(of: trial.script), CitusTrial.isOfCitus(refusal) else { continue }
            let squeezed = StatementPattern.squeezed(statement)
            guard sources.isOfRepositories(squeezed) else { continue }
            let isListed = (FanOut.all + [Self.manyKeys]).contains { $0.contains(squeezed) }
            #expect(isListed, "\(refusal): \(statement)")
        }
        #expect(tried > 0)
    }

    /// With an app, so that there is an audience table, which has columns of attributes.
    private static func cluster() async throws -> TestCitus {
        let citus = try TestCitus()
        let number = try await citus.database.write { connection in
            let app = try connection.apps.insert(
                code: try AppCode("shop"), name: "Shop", settings: AppSettings(), now: ServiceWorld.epoch
            )
            for name in ["age", "born", "city", "size"] {
                try connection.attributes.define(
                    try AttributeKey(name), type: .number, app: app, now: ServiceWorld.epoch
                )
            }
            return app
        }
        try #require(number == app)
        return citus
    }

    /// First those beside which others lie.
    private static func tables(of citus: TestCitus) async throws -> [String] {
        let tables = try await citus.database.read { try $0.tableNames(.postgres) }
        let first = [Distribution.Owner.device, .contact].map(CitusPlacing.first)
        return first + tables.filter { !first.contains($0) }.sorted()
    }
}
