import BelfryServerTestSupport
import BelfryStore
import Testing

/// FLEET-5: a commit that fails on one server of a cluster. Citus says the same of a conflict and of a server that died, and
/// the reason only as a warning; here a trigger says it, at the commit, in the same words.
struct ShardCommitTests {
    private static let sequence: SQLText = "CREATE SEQUENCE commits"

    /// The first commit of a row fails. A sequence counts what is undone, too.
    private static func failing(warning state: String) -> SQLText {
        SQLText(
            ofTest: """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $fail$
                BEGIN
                    IF nextval('commits') = 1 THEN
                        RAISE WARNING 'said by a worker' USING ERRCODE = '\(state)';
                        RAISE WARNING 'failed to commit transaction on 127.0.0.1:5432';
                        RAISE EXCEPTION 'could not commit transaction for shard 102008 on at least one active node'
                            USING ERRCODE = 'XX000';
                    END IF;
                    RETURN NULL;
                END
                $fail$
                """
        )
    }

    private static func store(warning state: String) async throws -> TestStore {
        let store = try TestStore(.postgres)
        try await store.write { connection in
            try connection.execute("CREATE TABLE things (id BIGINT PRIMARY KEY)")
            try connection.execute(Self.sequence)
            try connection.execute(Self.failing(warning: state))
            try connection.execute(
                """
                CREATE CONSTRAINT TRIGGER fails AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION fail()
                """
            )
        }
        return store
    }

    private static func insert(_ store: TestStore) async throws {
        _ = try await store.write { try $0.execute("INSERT INTO things (id) VALUES (1)") }
    }

    private static func count(_ store: TestStore) async throws -> Int64? {
        try await store.read { try $0.first("SELECT count(*) FROM things", []) { $0.integer(0) } }
    }

    @Test("FLEET-5, STO-2: a commit that a server of the cluster has refused for a conflict runs again")
    func conflict() async throws {
        let store = try await Self.store(warning: "40001")
        let before = try #require(TestPostgres.repeated(in: store.database))
        try await Self.insert(store)
        let after = try #require(TestPostgres.repeated(in: store.database))
        let count = try await Self.count(store)
        #expect(count == 1 && after == before + 1)
    }

    @Test("FLEET-5, WIRE-26: of a commit that a server of the cluster did not confirm nobody says that it failed")
    func lost() async throws {
        let store = try await Self.store(warning: "08006")
        let error = try await #require(throws: StoreError.self) { try await Self.insert(store) }
        guard case .tryAgain(let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.contains("08007"))
        // Nobody has done it again: the caller decides.
        let count = try await Self.count(store)
        #expect(count == 0)
    }
}
