import BelfryModel
import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

/// FLEET-3: what a division of events does about locks of others that come while it is under way.
@Suite("Events are divided beside locks, on PostgreSQL")
struct EventDivisionLockTests {
    private typealias Division = EventDivisionTests

    /// The database as a program has it that names its schema before the server's own, so that what a test makes there is
    /// used in the place of that.
    private static func open(
        _ store: TestStore, with script: SQLText, onError: @escaping @Sendable (_ state: String) -> Void
    ) throws -> PostgresDatabase {
        let schema = store.place.lastPathComponent
        let text = try TestPostgres.text(schema: schema).replacing("%22&connect", with: "%22%2Cpg_catalog&connect")
        let settings = try PostgresSettings(
            address: PostgresAddress(text), questions: .standard, now: { storeEpoch }, jitter: { 0.5 },
            onError: onError
        )
        let database = try PostgresDatabase(settings)
        try PostgresScript.run(script, at: TestPostgres.address(schema: schema))
        return database
    }

    /// In the place of the server's own function, for whoever names this schema first: with it a test comes in between, once
    /// all rows were read.
    private static let waitingMaximum: SQLText = """
        CREATE FUNCTION waited(number bigint) RETURNS bigint LANGUAGE plpgsql SET lock_timeout = 0 AS $waited$
        BEGIN
            PERFORM pg_advisory_lock(4711, hashtext(current_schema()));
            PERFORM pg_advisory_unlock(4711, hashtext(current_schema()));
            RETURN number;
        END
        $waited$;
        CREATE AGGREGATE max(bigint) (SFUNC = int8larger, STYPE = bigint, FINALFUNC = waited)
        """
    private static let waiters: SQLText = """
        SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = 4711
            AND objid = (hashtext(current_schema())::bigint & 4294967295)::oid
        """

    @Test(
        "FLEET-3: a lock that comes while a division reads every row is waited for, and all is not read for nothing",
        .timeLimit(.minutes(10))
    )
    func lateLock() async throws {
        let store = try TestStore(.postgres)
        let other = try store.another()
        defer { try? other.close() }
        try await Division.store([try Division.new("a", at: storeEpoch)], in: store.database)
        let rejected = Mutex<Set<String>>([])
        let release = Handover<Bool>()
        let database = try Self.open(store, with: Self.waitingMaximum) { state in
            rejected.withLock { _ = $0.insert(state) }
            release.give(true)
        }
        defer { database.close() }
        let isOver = Mutex(false)
        let (begun, announcement) = AsyncStream<Void>.makeStream()
        // Uses the table once the division has read it, and until that was told of a lock which does not come.
        async let reading: Void = other.database.read { connection in
            _ = try connection.query(
                "SELECT 1 FROM pg_advisory_lock(4711, hashtext(current_schema()))", []
            ) { $0.integer(0) }
            announcement.finish()
            var isWaiting = false
            while !isWaiting, !isOver.withLock({ $0 }) {
                isWaiting = try connection.first(Self.waiters, []) { $0.integer(0) } != nil
            }
            _ = try connection.first("SELECT count(*) FROM events", []) { $0.integer(0) }
            _ = try connection.query(
                "SELECT 1 FROM pg_advisory_unlock(4711, hashtext(current_schema()))", []
            ) { $0.integer(0) }
            _ = release.wait()
        }
        for await _ in begun {}
        let upkeep = try? await Division.keep(database)
        isOver.withLock { $0 = true }
        release.give(true)
        try await reading
        #expect(upkeep?.isDivided == true && upkeep?.isHeldUp == false)
        let states = rejected.withLock { $0 }
        #expect(states == ["55P03"])
        #expect(try await Division.names(store.database) == Division.whole)
        #expect(try await Division.number(store.database, Division.bounds) == 0)
    }

    /// In the place of the server's own as well: how often all rows were read is counted, and the first comparison fails as
    /// if a lock had not come. Nothing compares before the validation, so a test comes in between once the constraint is there.
    private static let interruptedValidation: SQLText = """
        CREATE SEQUENCE maxima;
        CREATE FUNCTION counted(number bigint) RETURNS bigint LANGUAGE plpgsql AS $counted$
        BEGIN
            PERFORM nextval('maxima');
            RETURN number;
        END
        $counted$;
        CREATE AGGREGATE max(bigint) (SFUNC = int8larger, STYPE = bigint, FINALFUNC = counted);
        CREATE SEQUENCE comparisons;
        CREATE FUNCTION precedes(number bigint, other bigint) RETURNS boolean LANGUAGE plpgsql AS $precedes$
        BEGIN
            IF nextval('comparisons') = 1 THEN
                RAISE EXCEPTION 'interrupted by a test' USING ERRCODE = '55P03';
            END IF;
            RETURN int8lt(number, other);
        END
        $precedes$;
        CREATE OPERATOR < (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = precedes)
        """

    @Test(
        "FLEET-3: a lock in the way of the validation holds up no writer, and the division goes on when it has ended",
        .timeLimit(.minutes(10))
    )
    func lockBeforeValidation() async throws {
        let store = try TestStore(.postgres)
        let other = try store.another()
        defer { try? other.close() }
        try await Division.store([try Division.new("a", at: storeEpoch)], in: store.database)
        let (writer, new) = (store.database, try Division.new("b", at: storeEpoch))
        let rejected = Mutex<[String]>([])
        let (isWanted, isHeld, release) = (Handover<Bool>(), Handover<Bool>(), Handover<Bool>())
        let stored = Handover<[Bool]>()
        // The division does not go on before this returns.
        let database = try Self.open(store, with: Self.interruptedValidation) { state in
            let count = rejected.withLock { states in
                states.append(state)
                return states.count
            }
            if count == 1 {
                isWanted.give(true)
                _ = isHeld.wait()
            }
            guard count == 2 else { return }
            // It has given up the lock that did not come, and has none that a writer waits for.
            writer.write { connection in
                try connection.events.insert([new])
            } completion: { result in
                stored.give((try? result.get()) ?? [])
            }
            _ = stored.wait()
            release.give(true)
        }
        defer { database.close() }
        // As a vacuum has it: in the way of a validation, and of no writer.
        async let holding: Void = other.database.read { connection in
            _ = isWanted.wait()
            defer { isHeld.give(true) }
            try connection.execute("LOCK TABLE events IN SHARE UPDATE EXCLUSIVE MODE")
            isHeld.give(true)
            _ = release.wait()
        }
        let upkeep = try? await Division.keep(database)
        isWanted.give(true)
        release.give(true)
        try await holding
        #expect(upkeep?.isDivided == true && upkeep?.isHeldUp == false)
        let states = rejected.withLock { $0 }
        #expect(Set(states) == ["55P03"])
        // The first of them is the test's own.
        try #require(states.count >= 2)
        #expect(stored.wait() == [true])
        let readings: SQLText = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM maxima"
        #expect(try await Division.number(store.database, readings) == 1, "All rows were read once.")
        #expect(try await Division.names(store.database) == Division.whole)
        #expect(try await Division.number(store.database, Division.bounds) == 0)
        #expect(try await Division.number(store.database, "SELECT count(*) FROM events") == 2)
    }
}
