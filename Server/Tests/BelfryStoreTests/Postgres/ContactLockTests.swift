import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

private struct Refused: Error {}

/// FLEET-5: on a distributed database a write holds the contacts that it names, as the stand-in shows. Whether that keeps
/// apart what two servers cannot judge is tried on Citus.
struct ContactLockTests {
    /// How often a body has run.
    private final class Runs: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        /// - Returns: how often, with this time.
        @discardableResult
        func add() -> Int {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }

    /// Who writes, and how many contacts it has locks of.
    private struct Session: Hashable, Sendable {
        let process: Int64
        let locks: Int64
    }

    private static func session(_ connection: any SQLConnection) throws -> Session {
        let found = try connection.first(
            """
            SELECT pg_backend_pid(), (SELECT count(*) FROM pg_locks
                WHERE locktype = 'advisory' AND objsubid = 1 AND pid = pg_backend_pid())
            """,
            []
        ) { Session(process: $0.integer(0), locks: $0.integer(1)) }
        return try #require(found)
    }

    /// The locks of any kind that a session has, which nobody has to wait for any more.
    private static func locks(of process: Int64, _ store: TestStore) async throws -> Int64? {
        try await store.read { connection in
            try connection.first(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = ?", [.integer(process)]
            ) { $0.integer(0) }
        }
    }

    @Test("FLEET-5: a write that names somebody new runs again with their lock, which is free after the commit")
    func committed() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let runs = Runs()
        let session = try await entered.database.write { connection in
            runs.add()
            try connection.hold([7, 8])
            try connection.hold([8])
            return try Self.session(connection)
        }
        #expect(runs.count == 2 && session.locks == 2)
        let left = try await Self.locks(of: session.process, store)
        #expect(left == 0)
    }

    @Test("FLEET-5: somebody who is found out only with the lock of another costs one more run, and both are held then")
    func foundLater() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let runs = Runs()
        let session = try await entered.database.write { connection in
            runs.add()
            try connection.hold([7])
            try connection.hold([3])
            return try Self.session(connection)
        }
        #expect(runs.count == 3 && session.locks == 2)
    }

    @Test("FLEET-5: a body that goes on although it does not hold somebody does not commit that")
    func goesOn() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let runs = Runs()
        let session = try await entered.database.write { connection in
            runs.add()
            try? connection.hold([7])
            return try Self.session(connection)
        }
        #expect(runs.count == 2 && session.locks == 1)
    }

    @Test("FLEET-5: a write that fails leaves no lock behind")
    func failed() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let seen = Mutex<Session?>(nil)
        await #expect(throws: Refused.self) {
            try await entered.database.write { connection -> Void in
                try connection.hold([7])
                let session = try Self.session(connection)
                seen.withLock { $0 = session }
                throw Refused()
            }
        }
        let last = seen.withLock { $0 }
        let session = try #require(last)
        let left = try await Self.locks(of: session.process, store)
        #expect(session.locks == 1 && left == 0)
    }

    @Test("FLEET-5, FLEET-7: whose connection is lost takes the locks anew, and none is left behind")
    func lost() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let address = try TestPostgres.address(schema: store.place.lastPathComponent)
        let seen = Mutex<[Session]>([])
        try await entered.database.write { connection -> Void in
            try connection.hold([7])
            let session = try Self.session(connection)
            let count = seen.withLock { seen in
                seen.append(session)
                return seen.count
            }
            guard count == 1 else { return }
            try PostgresScript.run(
                SQLText(ofTest: "SELECT pg_terminate_backend(\(session.process), 10000)"), at: address
            )
            _ = try Self.session(connection)
        }
        let sessions = seen.withLock { $0 }
        #expect(sessions.map(\.locks) == [1, 1] && Set(sessions.map(\.process)).count == 2)
        for session in sessions {
            let left = try await Self.locks(of: session.process, store)
            #expect(left == 0)
        }
    }

    @Test(
        "FLEET-5: two writes, each of which needs whom the other one holds, both end, and none meets a conflict",
        .timeLimit(.minutes(10))
    )
    func crossed() async throws {
        let store = try await CitusStandIn.store()
        try await store.write { connection in
            try connection.execute("CREATE TABLE counters (value BIGINT NOT NULL)")
            try connection.execute("INSERT INTO counters VALUES (0)")
        }
        let programs = [try store.another(), try store.another()]
        defer { for program in programs { try? program.close() } }
        let arrived = [Handover<Bool>(), Handover<Bool>()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for place in 0...1 {
                let runs = Runs()
                group.addTask {
                    try await programs[place].database.write { connection in
                        let run = runs.add()
                        try connection.hold([Int64(place)])
                        if run == 2 {
                            arrived[place].give(true)
                            _ = arrived[1 - place].wait()
                        }
                        try connection.hold([Int64(1 - place)])
                        let value = try connection.first("SELECT value FROM counters", []) { $0.integer(0) } ?? 0
                        try connection.execute("UPDATE counters SET value = ?", [.integer(value + 1)])
                    }
                }
            }
            try await group.waitForAll()
        }
        let value = try await store.read { try $0.first("SELECT value FROM counters", []) { $0.integer(0) } }
        let repeated = programs.map { TestPostgres.repeated(in: $0.database) }
        #expect(value == 2 && repeated == [0, 0])
    }

    @Test("FLEET-5, STO-2: a lock that does not come in time is a conflict like any other", .timeLimit(.minutes(10)))
    func late() async throws {
        let store = try await CitusStandIn.store()
        let holder = try store.another()
        defer { try? holder.close() }
        let (isHeld, isLate) = (Handover<Bool>(), Handover<Bool>())
        let reasons = Mutex<Set<String>>([])
        let settings = PostgresSettings(
            address: try TestPostgres.address(schema: store.place.lastPathComponent), connections: 3,
            questions: .patient, now: { Date() }, jitter: { 0.5 }, lockTimeout: 20, citusCatalog: "pg_dist_partition",
            onRepetition: { reason in
                reasons.withLock { _ = $0.insert(reason) }
                isLate.give(true)
            }
        )
        let waiter = try PostgresDatabase(settings)
        defer { waiter.close() }
        let runs = Runs()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await holder.database.write { connection in
                    try connection.hold([7])
                    isHeld.give(true)
                    _ = isLate.wait()
                }
            }
            group.addTask {
                try await waiter.write { connection in
                    let run = runs.add()
                    if run == 1 { _ = isHeld.wait() }
                    try connection.hold([7])
                }
            }
            try await group.waitForAll()
        }
        let met = reasons.withLock { $0 }
        #expect(met == ["lock"] && runs.count == 2)
    }

    @Test(
        "FLEET-5: the writes of a group hold together whom each of them names, and run again once",
        .timeLimit(.minutes(10)))
    func group() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let (ended, ends) = AsyncStream.makeStream(of: Session?.self)
        let mayEnd = Handover<Bool>()
        entered.database.write(turn: .next) { _ in
            begins.yield()
            _ = mayEnd.wait()
        } completion: { _ in
        }
        for await _ in begun { break }
        let runs = (0...2).map { _ in Runs() }
        for (place, run) in runs.enumerated() {
            entered.database.write(turn: .next) { connection in
                run.add()
                try connection.hold([Int64(place)])
                return try Self.session(connection)
            } completion: { result in
                ends.yield(try? result.get())
            }
        }
        mayEnd.give(true)
        var sessions: [Session?] = []
        for await session in ended {
            sessions.append(session)
            if sessions.count == runs.count { break }
        }
        let locks = sessions.map { $0?.locks }
        #expect(locks == [3, 3, 3] && runs.map(\.count) == [2, 2, 2])
    }

    @Test(
        "FLEET-5, SEC-8: who needs very many contacts takes one lock for all, and waits for whoever holds one of them")
    func many() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let session = try await entered.database.write { connection in
            try connection.hold(Set<Int64>(1...501))
            return try Self.session(connection)
        }
        #expect(session.locks == 0)
        let exclusive = try await entered.database.write { connection in
            try connection.hold(Set<Int64>(1...501))
            return try connection.first(
                """
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND mode = 'ExclusiveLock'
                    AND pid = pg_backend_pid()
                """,
                []
            ) { $0.integer(0) }
        }
        let shared = try await entered.database.write { connection in
            try connection.hold([7])
            return try connection.first(
                """
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND mode = 'ShareLock'
                    AND pid = pg_backend_pid()
                """,
                []
            ) { $0.integer(0) }
        }
        #expect(exclusive == 1 && shared == 1)
        let left = try await Self.locks(of: session.process, store)
        #expect(left == 0)
    }

    @Test("FLEET-5: contacts with the same number in another schema of the server are others", .timeLimit(.minutes(10)))
    func schemas() async throws {
        let stores = [try await CitusStandIn.store(), try await CitusStandIn.store()]
        let programs = try stores.map { try $0.another() }
        defer { for program in programs { try? program.close() } }
        let others = programs[1].database
        let isDone = try await programs[0].database.write { connection in
            try connection.hold([7])
            let done = Handover<Bool>()
            others.write(turn: .next) { connection in
                try connection.hold([7])
            } completion: { result in
                done.give((try? result.get()) != nil)
            }
            return done.wait()
        }
        let repeated = TestPostgres.repeated(in: others)
        #expect(isDone == true && repeated == 0)
    }

    @Test("FLEET-5: a contact that a write has made itself is nobody's whom it has to hold")
    func made() async throws {
        let store = try await TestStore.withApps(.postgres, isRecycled: false)
        try await store.write { try CitusStandIn.install($0) }
        _ = try CitusStandIn.setUp(store)
        let entered = try store.another()
        defer { try? entered.close() }
        let runs = Runs()
        let made = try await entered.database.write { connection in
            runs.add()
            let id = try connection.contacts.findOrInsert(app: 1, key: "anna", known: true, now: storeEpoch)
            try connection.hold([id])
            return id
        }
        #expect(runs.count == 1)
        let found = try await entered.database.write { connection in
            runs.add()
            let id = try connection.contacts.findOrInsert(app: 1, key: "anna", known: true, now: storeEpoch)
            try connection.hold([id])
            let numbers = try connection.contacts.numbers(of: [(app: 1, key: "anna"), (app: 1, key: "bert")])
            return (id: id, numbers: numbers)
        }
        #expect(found.id == made && found.numbers == [made] && runs.count == 3)
    }

    @Test(
        "FLEET-5: on one server nobody is held, and no statement and no round trip is for that",
        arguments: Engine.allCases)
    func oneServer(_ engine: Engine) async throws {
        let log = StatementLog()
        let store = try TestStore(engine, statements: log)
        let runs = Runs()
        func trips(_ body: @escaping @Sendable (any SQLConnection) throws -> Void) async throws -> Int {
            let before = TestPostgres.roundTrips(of: store.database) ?? 0
            try await store.write { connection in
                try body(connection)
                _ = try connection.first("SELECT 1", []) { $0.integer(0) }
            }
            return (TestPostgres.roundTrips(of: store.database) ?? 0) - before
        }
        // The first write connects.
        _ = try await trips { _ in }
        let without = try await trips { _ in }
        let with = try await trips { connection in
            runs.add()
            try connection.hold([7])
            try connection.hold { [8, nil] }
        }
        let isAsked = log.statements.contains { $0.contains("advisory") }
        #expect(with == without && runs.count == 1 && !isAsked)
    }

    @Test("FLEET-5: to hold whom a write names at once costs a round trip before it and one after it")
    func cost() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        var trips: [Int] = []
        for _ in 1...2 {
            let before = try #require(TestPostgres.roundTrips(of: entered.database))
            try await entered.database.write { connection in
                try connection.hold([7])
                _ = try connection.first("SELECT 1", []) { $0.integer(0) }
            }
            trips.append(try #require(TestPostgres.roundTrips(of: entered.database)) - before)
        }
        #expect(trips.last == 4)
    }
}
