import BelfryModel
import BelfryServerTestSupport
import Foundation
import Synchronization
import Testing

@testable import BelfryStore

/// A clock that continues by one each time it is looked at: SQLite looks once for each thousand steps.
private final class Ticks: Sendable {
    private let value = Atomic<UInt64>(0)
    var count: UInt64 { value.load(ordering: .relaxed) }
    func next() -> UInt64 { value.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Predicates that cost more than they may, in their lane.
struct QuestionTests {
    /// Limits whose budgets are counted work on SQLite, and a moment of PostgreSQL's own time.
    private static func limits(_ engine: Engine, _ ticks: Ticks, budget: UInt64 = 60) -> QuestionLimits {
        var limits = engine == .sqlite ? QuestionLimits { ticks.next() } : .standard
        let budget = engine == .sqlite ? budget : budget * 1_000_000
        limits.countingBudget = budget
        limits.planningBudget = budget
        limits.lookingBudget = budget
        return limits
    }

    /// The predicate of an attack: ten clauses, each with many comparisons.
    static let heavy = Condition.all(
        [.contactKeys(["mob"])]
            + (0..<10).map { clause in
                let parts = (0..<21).map { Condition.attribute("k", .contains("none \(clause) \($0)")) }
                return .not(.event(EventClause(name: "e", filter: .any(parts))))
            }
    )

    /// A contact with devices and events, and others with one device and nothing else. The contact's come first.
    private static func fill(
        _ store: TestStore, devices: Int, events: Int, others: Int = 0, heavyFirst: Bool = true
    ) async throws {
        try await store.write { connection in
            let app = try connection.makeApp()
            let mob = try connection.contacts.findOrInsert(app: app, key: "mob", known: true, now: storeEpoch)
            let other = try connection.contacts.findOrInsert(app: app, key: "other", known: true, now: storeEpoch)
            let all = try connection.makeDevices(devices + others, app: app)
            let ofMob = Set(heavyFirst ? all.prefix(devices) : all.suffix(devices))
            for id in all {
                guard var device = try connection.devices.find(id: id) else { continue }
                device.contact = ofMob.contains(id) ? mob : other
                try connection.devices.save(device)
            }
            let text = String(repeating: "the quick brown fox ", count: 20)
            try connection.executeEach(
                """
                INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, attributes)
                VALUES (?, ?, ?, ?, 'custom', 'e', 0, 0, ?)
                """,
                ofMob.sorted().flatMap { device in
                    (0..<events).map { [device] number -> [SQLValue] in
                        [
                            .integer(device), .text("e\(number)"), .integer(app), .integer(mob),
                            .text(#"{"k":"\#(text)"}"#),
                        ]
                    }
                }
            )
        }
    }

    @Test(
        "SEC-8: a predicate that spends its budget is ended, and its connection serves the next",
        arguments: Engine.allCases)
    func budget(_ engine: Engine) async throws {
        let ticks = Ticks()
        let store = try TestStore(engine, questions: Self.limits(engine, ticks))
        try await Self.fill(store, devices: 30, events: 600)
        for _ in 0..<3 {
            let before = ticks.count
            let error = await #expect(throws: StoreError.self) {
                try await store.ask { asked in
                    let audience = try asked.connection.audienceSQL(app: 1).compile(Self.heavy)
                    return try asked.count(app: 1, audience: audience)
                }
            }
            guard case .tooExpensive? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            // A look more than the budget has ended it, and a few are the connection's own.
            if engine == .sqlite { #expect(ticks.count - before < 60 + 20) }
            let known = try await Self.inTime(engine) {
                try await store.ask { asked in
                    let audience = try asked.connection.audienceSQL(app: 1).compile(.known(true))
                    return try asked.count(app: 1, audience: audience)
                }
            }
            #expect(known == 30)
        }
    }

    /// What a cheap question finds. PostgreSQL's budget is a moment of true time, which a busy machine may let pass before
    /// it has looked at anything: then it is asked again.
    private static func inTime<Value>(_ engine: Engine, _ question: () async throws -> Value) async throws -> Value {
        guard engine == .postgres else { return try await question() }
        for _ in 0..<99 {
            do { return try await question() } catch StoreError.tooExpensive {}
        }
        return try await question()
    }

    @Test(
        "SEC-8: a spent share ends only its own body, and the next one is served",
        arguments: Engine.allCases)
    func shares(_ engine: Engine) async throws {
        let store = try TestStore(engine, questions: Self.limits(engine, Ticks(), budget: 400))
        try await Self.fill(store, devices: 30, events: 600)
        let responses = try await Self.inTime(engine) {
            let responses = try await store.ask { asked in
                let sql = try asked.connection.audienceSQL(app: 1)
                return try [Self.heavy, .known(true), .known(false)].map { condition -> Bool? in
                    do {
                        return try asked.holds(1, app: 1, audience: sql.compile(condition), share: 0.2)
                    } catch StoreError.tooExpensive {
                        return nil
                    }
                }
            }
            if engine == .postgres, responses.dropFirst().contains(nil) { throw StoreError.tooExpensive(seconds: 0) }
            return responses
        }
        #expect(responses == [nil, true, false])
    }

    @Test(
        "SEC-8: a slice of an expensive audience ends with the budget, and the next continues there",
        arguments: Engine.allCases)
    func slices(_ engine: Engine) async throws {
        let store = try TestStore(
            engine, questions: Self.limits(engine, Ticks(), budget: engine == .sqlite ? 150 : 600))
        try await Self.fill(store, devices: 1, events: 20_000, others: 40, heavyFirst: false)
        let heavy = Condition.event(
            EventClause(name: "e", filter: .any((0..<200).map { .attribute("k", .contains("none \($0)")) }))
        )
        let slice = try await Self.inTime(engine) {
            try await store.ask { asked in
                let audience = try asked.connection.audienceSQL(app: 1).compile(.not(heavy))
                return try asked.slice(app: 1, audience: audience, devices: 1...41, limit: 1_000)
            }
        }
        #expect(slice.reached >= 1 && slice.reached < 41)
        #expect(slice.members.map(\.device) == Array(1...slice.reached))
        // A row that exceeds a whole budget is reported, not skipped.
        let error = await #expect(throws: StoreError.self) {
            try await store.ask { asked in
                let audience = try asked.connection.audienceSQL(app: 1).compile(.not(heavy))
                return try asked.slice(app: 1, audience: audience, devices: 41...41, limit: 1_000)
            }
        }
        guard case .tooExpensive? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("SEC-8: a cancelled query is noticed between two statements, too")
    func again() throws {
        let run = QuestionRun(budget: .max) { 0 }
        let interrupts = Mutex(0)
        try run.interruptible(by: { interrupts.withLock { $0 += 1 } }) {
            run.cancel()
            // Like a body that waits for a server.
            while interrupts.withLock({ $0 }) < 3 { sched_yield() }
        }
        #expect(run.isCancelled)
    }

    @Test(
        "SEC-8: while queries fill their lane, everything else works",
        .timeLimit(.minutes(20)), arguments: Engine.allCases)
    func lane(_ engine: Engine) async throws {
        let store = try TestStore(engine, writers: 2, questions: .patient)
        _ = try await store.write { try $0.makeApp() }
        let database = store.database
        let (begun, signal) = AsyncStream<Void>.makeStream()
        func endless(_ question: Question) -> Task<Void, any Error> {
            Task {
                try await database.ask(question) { asked in
                    signal.yield()
                    // It ends by being ended.
                    _ = try asked.connection.query(
                        """
                        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT (i + 1) % 1000 FROM n) SELECT count(*) FROM n
                        """, []
                    ) { $0.integer(0) }
                }
            }
        }
        var tasks = [endless(.planning)]
        var beginnings = begun.makeAsyncIterator()
        await beginnings.next()
        tasks.append(endless(.counting(app: 1)))
        await beginnings.next()
        // None of theirs is done, and no other group waits for them.
        for number in 0..<40 {
            _ = try await store.write { try $0.makeApp("app-\(number)") }
            #expect(try await store.read { try $0.apps.all().count } == number + 2)
        }
        let waiting = (0..<4).map { _ in
            Task {
                while true {
                    // Whoever knocks has a place for a moment.
                    do { return try await database.ask(.counting(app: 1)) { _ in } } catch StoreError.crowded {
                        await Task.yield()
                    }
                }
            }
        }
        let error = await #expect(throws: StoreError.self) {
            // Four wait at most; whether all of them have come now shows a fifth that is refused.
            while true { try await Self.knock(database) }
        }
        #expect(error == .crowded)
        // Those that wait first, while the place is taken: none of them gets its turn.
        for task in waiting + tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
        // The places are free again.
        #expect(try await database.ask(.counting(app: 1)) { try $0.connection.apps.all().count } == 41)
        #expect(try await database.ask(.planning) { try $0.connection.apps.all().count } == 41)
    }

    /// Asks, and gives up if that does not refuse it.
    private static func knock(_ database: any SQLDatabase) async throws {
        let task = Task { try await database.ask(.counting(app: 1)) { _ in } }
        await Task.yield()
        task.cancel()
        do {
            try await task.value
        } catch is CancellationError {}
    }
}

/// The cost of the history of a person with several devices.
struct EventHistoryTests {
    private static func cost(devices: Int, events: Int) async throws -> UInt64 {
        let ticks = Ticks()
        let store = try TestStore(.sqlite, questions: QuestionLimits { ticks.next() })
        try await store.write { connection in
            let app = try connection.makeApp()
            let mob = try connection.contacts.findOrInsert(app: app, key: "mob", known: true, now: storeEpoch)
            for id in try connection.makeDevices(devices, app: app) {
                guard var device = try connection.devices.find(id: id) else { continue }
                device.contact = mob
                try connection.devices.save(device)
                for number in 0..<events {
                    _ = try connection.events.insert(
                        try event("\(id)-\(number)", attributes: ["k": "v"]), device: id, app: app, contact: mob,
                        now: storeEpoch
                    )
                }
            }
        }
        let before = ticks.count
        let clause = EventClause(name: "purchase", filter: .attribute("k", .equal("w")))
        let found = try await store.ask { asked in
            let audience = try asked.connection.audienceSQL(app: 1).compile(.not(.event(clause)))
            // One window.
            return try asked.slice(app: 1, audience: audience, devices: 1...1_000, limit: 1_000).members.count
        }
        #expect(found == devices)
        return ticks.count - before
    }

    @Test("SEC-8, EVT-7: the history of a person is read once, however many devices they have")
    func once() async throws {
        let one = try await Self.cost(devices: 1, events: 1_600)
        // A history of forty devices: one window for each eightfold size, and no more.
        let many = try await Self.cost(devices: 40, events: 40)
        #expect(many < 5 * one, "\(many) and \(one)")
    }
}
