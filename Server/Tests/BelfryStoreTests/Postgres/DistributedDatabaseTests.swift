import BelfryServerTestSupport
import BelfryStore
import Testing

/// FLEET-5: how a program goes about a database that several servers hold together. The stand-in shows what it asks; what a
/// cluster answers is tried by the tests on Citus.
struct DistributedDatabaseTests {
    private static func isDistributed(_ database: any SQLDatabase) async throws -> Bool {
        try await database.read { $0.dialect.isDistributed }
    }

    @Test("FLEET-5: a program knows from the catalog whether a database is distributed", arguments: Engine.allCases)
    func known(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let before = try await Self.isDistributed(store.database)
        #expect(!before)
        guard engine == .postgres else { return }
        // Citus alone distributes nothing.
        try await store.write { try CitusStandIn.install($0) }
        let beside = try await store.reopened { $0.dialect.isDistributed }
        #expect(!beside)
        try await store.write { try CitusStandIn.placeDevices($0) }
        let entered = try store.another()
        let reading = try await Self.isDistributed(entered.database)
        let writing = try await entered.database.write { $0.dialect.isDistributed }
        try entered.close()
        #expect(reading && writing)
        // Whoever entered it before has asked, and asks no more.
        let former = try await Self.isDistributed(store.database)
        #expect(!former)
    }
}
