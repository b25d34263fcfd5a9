import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// FLEET-5: what the repositories ask of PostgreSQL, judged as if several servers held the database together.
///
/// `make test` has its tests write down what they ask (``StatementLog``) in Server/.build/statements, and then runs
/// these over it. Alone they judge the statements of one life.
struct ShardTests {
    /// Unique keys without the distribution column, which Citus makes no shards with: work that is left
    /// (Docs/Decisions/0009-citus.md).
    static let keysToChange: Set = [
        "contacts_app_id_contact_key_key", "refresh_tokens_pkey", "registrations_pkey",
    ]

    /// The folder into which a whole run of tests has written what it asked.
    private static let recorded = ProcessInfo.processInfo.environment["BELFRY_TEST_RECORDED_STATEMENTS"].map {
        URL(filePath: $0)
    }

    @Test(
        """
        FLEET-5: every statement that the repositories issue filters or joins by the distribution column, or is a \
        listed fan-out
        """
    )
    func statements() async throws {
        let statements = try await Self.issued()
        try #require(!statements.isEmpty)
        let unlisted = Self.withFindings(statements).filter { statement in
            !FanOut.all.contains { $0.contains(statement.squeezed) }
        }
        let sources = try StatementSources()
        for statement in unlisted where sources.isOfRepositories(statement.squeezed) {
            Issue.record("\(statement.findings): \(String(decoding: statement.squeezed, as: UTF8.self))")
        }
    }

    @Test(
        "FLEET-5: each listed fan-out is one, and is still issued",
        .enabled(if: recorded != nil, "It takes what a whole run has asked: make test-server.")
    )
    func list() throws {
        let statements = Self.withFindings(try StatementLog.read(folder: try #require(Self.recorded)))
        for pattern in FanOut.all.flatMap(\.statements) {
            #expect(statements.contains { pattern.matches($0.squeezed) }, "\(pattern)")
        }
    }

    @Test("FLEET-5: every table has its place, and a distributed one the column that decides where its rows are")
    func places() async throws {
        let world = try await ServiceWorld()
        let tables = try await world.database.read { try $0.tableNames(.ofThisRun) }
        #expect(Set(Distribution.tables.keys).subtracting(tables).isEmpty)
        for table in tables {
            let place = try #require(Distribution.place(of: table), "\(table)")
            guard case .distributed(_, let column) = place else { continue }
            _ = try await world.database.read { connection in
                try connection.query(SQLText(ofTest: "SELECT \(column) FROM \(table) LIMIT 1"), []) { $0.integer(0) }
            }
        }
    }

    @Test("FLEET-5: a unique key of a distributed table has the distribution column, or is listed as one to change")
    func keys() async throws {
        let world = try await ServiceWorld(.postgres)
        let keys = try await world.database.read { connection in
            try connection.query(
                """
                SELECT t.relname, i.relname, (
                    SELECT string_agg(a.attname::text, ' ') FROM pg_attribute a
                    WHERE a.attrelid = t.oid AND a.attnum = ANY (x.indkey::int2[]))
                FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
                JOIN pg_namespace n ON n.oid = t.relnamespace
                WHERE n.nspname = current_schema() AND x.indisunique
                """,
                []
            ) { (table: $0.text(0), name: $0.text(1), columns: $0.text(2).split(separator: " ").map(String.init)) }
        }
        let others = keys.filter { key in
            guard case .distributed(_, let column)? = Distribution.place(of: key.table) else { return false }
            return !key.columns.contains(column)
        }
        // On a cluster they are changed already.
        let isDistributed = try await world.database.read { $0.dialect.isDistributed }
        let left: Set<String> = isDistributed ? [] : Self.keysToChange
        #expect(Set(others.map { $0.name }) == left)
    }

    /// What is judged: the statements of a whole run, or of one life.
    static func issued() async throws -> [String] {
        guard let recorded else { return try await life() }
        return try StatementLog.read(folder: recorded)
    }

    private struct Judged {
        let squeezed: Data
        let findings: Set<ShardRouting.Finding>
    }

    /// The statements in which something is found, each once.
    private static func withFindings(_ statements: [String]) -> [Judged] {
        Set(statements).compactMap { statement in
            let findings = ShardRouting(of: statement).findings
            guard !findings.isEmpty else { return nil }
            return Judged(squeezed: StatementPattern.squeezed(statement), findings: findings)
        }
    }

    /// What a server asks while a person gets an app and messages of each kind, has a name, and is erased.
    private static func life() async throws -> [String] {
        let log = StatementLog()
        let world = try await ServiceWorld(.postgres, statements: log)
        var phone = InAppPhone(try await ServiceDevice.registered(world, 1, token: "token1"))
        let inApp = try await world.offer()
        _ = try await world.launch(message: ServiceWorld.message)
        let push = try await world.launch()
        try await world.sendToTheEnd()
        try await world.planInAppCampaigns()
        try await phone.sync()
        try await phone.report(.inAppViewed, inApp)
        try await phone.device.track(.test("e1", .sessionStart))
        let caller = try phone.device.authenticated()
        _ = try await world.inboxService.messages(in: MessageCenterName.primary.rawValue, for: caller)
        try await phone.device.identify("anna")
        try await phone.device.tell([:], tags: ["regular"])
        _ = try await world.explanation(push, phone.device)
        _ = try await world.contactKeys()
        _ = try await world.contacts.erase("anna", app: world.app)
        world.clock.advance(by: 86_400)
        await world.housekeeping.tidy()
        return log.statements
    }
}
