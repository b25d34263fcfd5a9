import BelfryPostgres
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Logging
import Testing

@testable import BelfryCommand

/// STO-3, FLEET-5: what `belfry serve --distributed` does to its database before it enters it. The stand-in takes the place
/// of a cluster.
@Suite("A server distributes its database")
struct OpenStoreTests {
    /// The store of one server.
    private struct Entered: Sendable {
        /// The tables that were distributed by it.
        let placed: [String]
        let database: any SQLDatabase
        let close: @Sendable () throws -> Void
    }

    /// An empty database, in which a test may put the stand-in.
    private static func withDatabase(
        hasCitus: Bool = true, _ body: (_ database: ServerDatabase, _ folder: URL) async throws -> Void
    ) async throws {
        try await withStage { stage in
            try await stage.withDatabase(.postgres) { database in
                if hasCitus {
                    try await database.opened { store in
                        try await store.database.write { try CitusStandIn.install($0) }
                    }
                }
                try await body(database, stage.folder)
            }
        }
    }

    /// Enters a database as `belfry serve` does.
    private static func enter(
        _ database: ServerDatabase, in folder: URL, distributed: Bool? = nil, copiesRows: Bool? = nil
    ) async throws -> Entered {
        let configuration = try await ServeConfiguration.read(
            flags: .init(databaseConnections: 3, isDistributed: distributed, copiesRows: copiesRows, diskFloor: "off"),
            environment: database.environment, file: nil
        )
        return try await offPool {
            let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
            let store = try OpenStore(
                configuration, file: folder.appending(path: "belfry.sqlite"), environment: .live, metrics: Metrics(),
                damage: DamageMark(in: folder, now: { Date() }, logger: logger), citusCatalog: CitusStandIn.catalog
            )
            return Entered(placed: store.distributed, database: store.database, close: store.close)
        }
    }

    private static func isDistributed(_ entered: Entered) async throws -> Bool {
        try await entered.database.read { $0.dialect.isDistributed }
    }

    private static func close(_ all: [Entered]) async throws {
        try await offPool { for entered in all { try entered.close() } }
    }

    @Test(
        "STO-3, FLEET-5: of two servers that start together one distributes the database, and one without the flag finds it so",
        .timeLimit(.minutes(10)))
    func together() async throws {
        try await Self.withDatabase { database, folder in
            async let one = Self.enter(database, in: folder, distributed: true)
            async let other = Self.enter(database, in: folder, distributed: true)
            let both = [try await one, try await other]
            let plain = try await Self.enter(database, in: folder)
            var areDistributed: [Bool] = []
            for entered in both + [plain] { areDistributed.append(try await Self.isDistributed(entered)) }
            try await Self.close(both + [plain])
            let byWhom = both.filter { $0.placed.contains("devices") }.count
            let others = both.filter { $0.placed.isEmpty }.count
            #expect(areDistributed == [true, true, true])
            #expect(byWhom == 1 && others == 1 && plain.placed.isEmpty)
        }
    }

    @Test(
        "STO-3, FLEET-5: a database on which a server is at work is not distributed before that server has ended",
        .timeLimit(.minutes(10)))
    func atWork() async throws {
        try await Self.withDatabase { database, folder in
            let former = try await Self.enter(database, in: folder)
            let error = await #expect(throws: PostgresDistributionError.self) {
                _ = try await Self.enter(database, in: folder, distributed: true)
            }
            let text = try #require(error).description
            #expect(text.contains("Other Belfry servers are at work"), "\(text)")
            let before = try await Self.isDistributed(former)
            try await Self.close([former])
            let entered = try await Self.enter(database, in: folder, distributed: true)
            let after = try await Self.isDistributed(entered)
            try await Self.close([entered])
            #expect(!before && after)
        }
    }

    @Test("STO-3, FLEET-5: rows go along with --copy-rows alone", .timeLimit(.minutes(10)))
    func rows() async throws {
        try await Self.withDatabase { database, folder in
            try await database.opened { store in
                _ = try await store.database.write {
                    try $0.contacts.findOrInsert(app: 1, key: "anna", known: true, now: Date())
                }
            }
            let error = await #expect(throws: PostgresDistributionError.self) {
                _ = try await Self.enter(database, in: folder, distributed: true)
            }
            let text = try #require(error).description
            #expect(text.contains("(contacts)") && text.contains("--copy-rows"), "\(text)")
            let entered = try await Self.enter(database, in: folder, distributed: true, copiesRows: true)
            let keys = try await entered.database.read { connection in
                try connection.query("SELECT contact_key FROM contact_keys", []) { $0.text(0) }
            }
            try await Self.close([entered])
            #expect(keys == ["anna"] && entered.placed.contains("contact_keys"))
        }
    }

    @Test("STO-3, FLEET-5: without Citus the server says what is missing, and does not start", .timeLimit(.minutes(10)))
    func noCitus() async throws {
        try await Self.withDatabase(hasCitus: false) { database, folder in
            let error = await #expect(throws: PostgresDistributionError.self) {
                _ = try await Self.enter(database, in: folder, distributed: true)
            }
            let text = try #require(error).description
            #expect(text.contains("has no Citus") && text.contains("CREATE EXTENSION citus"), "\(text)")
        }
    }

    @Test("STO-3: each thing that may be missing of Citus is said in its own words")
    func missing() {
        let states: [PostgresDistributionError.Missing] = [
            .files, .creation(isPermitted: true), .creation(isPermitted: false),
        ]
        let texts = states.map { PostgresDistributionError.noCitus(database: "shop", $0).description }
        let words = ["not installed", "which is installed on this server: run", "may not create the extension"]
        for (text, word) in zip(texts, words) { #expect(text.contains(word), "\(text)") }
    }
}
