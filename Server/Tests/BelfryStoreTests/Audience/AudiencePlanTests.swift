import BelfryModel
import BelfryServerTestSupport
import Foundation
import Testing

@testable import BelfryStore

/// How the engines go about a question: by the indexes that are there for it.
struct AudiencePlanTests {
    private static let schema: [String: AttributeType] = ["age": .number, "birthday": .date, "city": .string]
    private static let wide: [Condition] = [
        .attribute("age", .greater(18)), .device(.platform, .equal("ios")), .deviceFact(.pushOptIn, .equal(true)),
    ]

    /// A clause, and the index that finds who may fulfil it.
    private static let indexed: [(Condition, [String])] = [
        (.attribute("age", .equal(31)), ["audience_1_a1_number", "audience_1_a1_text"]),
        (.attribute("age", .greater(90)), ["audience_1_a1_number", "audience_1_a1_text"]),
        (.attribute("birthday", .less("1950-01-01")), ["audience_1_a2_number"]),
        (.attribute("city", .equal("Paris")), ["audience_1_a3_text"]),
        (.attribute("city", .isIn(["Paris", "Oslo"])), ["audience_1_a3_text"]),
        (.attribute("city", .startsWith("Par")), ["audience_1_a3_text", "audience_1_a3_number"]),
        (.attribute("city", .exists(true)), ["audience_1_a3_text", "audience_1_a3_number"]),
        (.tag("vip"), ["contact_tags_by_tag", "audience_1_contact"]),
        (.contactKeys(["anna"]), ["audience_1_contact"]),
        (.deviceIDs(["6c9c4f0a-5d6b-4b2e-9b7e-0c5a2e0f2a11"]), ["devices_by_client"]),
        (.deviceIDs(["9774d56d682e549c"]), ["devices_by_client"]),
        (.deviceIDs(["9774d56d682e549c", "6c9c4f0a-5d6b-4b2e-9b7e-0c5a2e0f2a11"]), ["devices_by_client"]),
        (.any([.tag("vip"), .attribute("city", .equal("Paris"))]), ["contact_tags_by_tag", "audience_1_a3_text"]),
    ]

    @Test("PERF-6: a clause that few match is evaluated by its index, and then row by row", arguments: Engine.allCases)
    func byIndex(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(
            engine, schema: Self.schema, people: [Person(name: "a", attributes: [:])], isRecycled: false)
        for (clause, indexes) in Self.indexed {
            let steps = try await fixture.store.ask { asked in
                let connection = asked.connection
                let sql = try connection.audienceSQL(app: 1)
                let condition = Condition.all([clause] + Self.wide)
                // In an empty table every set is small, so the clause's own lookup is used.
                guard let candidates = try connection.audiences.candidates(sql.candidates(clause)) else { return "" }
                let count = AudienceRepository.count(
                    app: 1, audience: try sql.compile(condition), devices: 1...1_000_000, candidates: candidates
                )
                return try connection.steps(of: count, engine)
            }
            for index in indexes {
                // Among a single device, PostgreSQL finds an id by those of the app as quickly.
                let isFound = engine == .postgres && index == "devices_by_client" && steps.contains("devices_by_app")
                #expect(isFound || steps.contains(index), "\(clause): \(steps)")
            }
            #expect(!steps.contains(engine.wholeTable), "\(clause): \(steps)")
        }
    }

    @Test(
        "PERF-6: without a rare clause the table is scanned, and no index is used for half of it",
        arguments: Engine.allCases)
    func byWalk(_ engine: Engine) async throws {
        // With one row PostgreSQL considers all plans equal.
        let attributes: [String: AttributeValue] = ["age": 31, "birthday": "1980-01-01T00:00:00Z", "city": "Paris"]
        let people = (0..<200).map { Person(name: "p\($0)", attributes: attributes) }
        let fixture = try await AudienceFixture(engine, schema: Self.schema, people: people, isRecycled: false)
        if engine == .postgres { _ = try await fixture.store.write { try $0.execute("ANALYZE audience_1") } }
        let clauses = Self.indexed.map(\.0).filter { if case .attribute = $0 { true } else { false } } + Self.wide
        for clause in clauses {
            let steps = try await fixture.store.ask { asked in
                let connection = asked.connection
                let audience = try connection.audienceSQL(app: 1).compile(clause)
                let count = AudienceRepository.count(
                    app: 1, audience: audience, devices: 1...50_000, candidates: nil)
                return try connection.steps(of: count, engine, mayWalk: true)
            }
            #expect(!steps.contains("audience_1_a"), "\(clause): \(steps)")
            #expect(steps.contains(engine.walk), "\(clause): \(steps)")
        }
    }

    @Test(
        "PERF-6, FLEET-2: whoever asks for openings looks each up by its key, beside a walk as beside an index",
        arguments: Engine.allCases)
    func openings(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(
            engine, schema: Self.schema, people: [Person(name: "a", attributes: [:])], isRecycled: false)
        let opened = Condition.deviceFact(.lastOpenedAt, .greaterOrEqual("-P30D"))
        for clause in [nil, Condition.tag("vip")] {
            let condition = Condition.all([clause, opened].compactMap(\.self) + Self.wide)
            let (count, steps) = try await fixture.store.ask { asked in
                let connection = asked.connection
                let sql = try connection.audienceSQL(app: 1)
                let count = AudienceRepository.count(
                    app: 1, audience: try sql.compile(condition), devices: 1...1_000_000,
                    candidates: try clause.flatMap { try connection.audiences.candidates(sql.candidates($0)) }
                )
                return (count, try connection.steps(of: count, engine))
            }
            #expect(count.sql.statement.contains("device_openings"))
            let byKey = engine == .sqlite ? "SEARCH o USING INTEGER PRIMARY KEY" : "device_openings_pkey"
            #expect(steps.contains(byKey), "\(steps)")
            #expect(!steps.contains("SCAN t") && !steps.contains("Seq Scan"), "\(steps)")
            #expect(clause == nil || steps.contains("contact_tags_by_tag"), "\(steps)")
        }
        let others = try await fixture.store.read { connection in
            try Self.wide.map { clause in
                AudienceRepository.count(
                    app: 1, audience: try connection.audienceSQL(app: 1).compile(clause), devices: 1...9,
                    candidates: nil
                ).sql.statement
            }
        }
        #expect(!others.contains { $0.contains("device_openings") })
    }

    @Test("EVT-7: a person's events are found by the devices, never by a scan of all", arguments: Engine.allCases)
    func events(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(
            engine, schema: Self.schema, people: [Person(name: "a", attributes: [:])], isRecycled: false)
        let clause = EventClause(name: "purchase", within: try ISODuration("P30D"))
        let steps = try await fixture.store.ask { asked in
            let connection = asked.connection
            let audience = try connection.audienceSQL(app: 1).compile(.event(clause))
            let count = AudienceRepository.count(
                app: 1, audience: audience, devices: 1...50_000, candidates: nil)
            return try connection.steps(of: count, engine)
        }
        switch engine {
        case .sqlite:
            #expect(steps.contains("SEARCH e USING PRIMARY KEY (device_id=?)"), "\(steps)")
            #expect(steps.contains("SEARCH p USING COVERING INDEX audience_1_contact"), "\(steps)")
            #expect(steps.contains("SEARCH z USING COVERING INDEX dormant_devices_by_contact"), "\(steps)")
            #expect(steps.contains("SEARCH f USING PRIMARY KEY"), "\(steps)")
        case .postgres:
            #expect(!steps.contains("Seq Scan on events"), "\(steps)")
            #expect(!steps.contains("Seq Scan on dormant_devices"), "\(steps)")
            #expect(!steps.contains("Seq Scan on former_devices"), "\(steps)")
        }
    }
}

extension Engine {
    /// What a plan says that walks over the audience table.
    fileprivate var wholeTable: String {
        switch self {
        case .sqlite: "SCAN a"
        case .postgres: "Seq Scan on audience_1"
        }
    }

    /// What a plan says that reads a range of devices one after the other: here it is all that PostgreSQL has.
    fileprivate var walk: String {
        switch self {
        case .sqlite: "SEARCH a USING INTEGER PRIMARY KEY"
        case .postgres: wholeTable
        }
    }
}

extension SQLConnection {
    /// The plan of a query, all its steps as one text. What asks a predicate is planned for its arguments, so PostgreSQL
    /// is shown them.
    fileprivate func steps(of query: SQLFragment, _ engine: Engine, mayWalk: Bool = false) throws -> String {
        switch engine {
        case .sqlite:
            return try self.query("EXPLAIN QUERY PLAN \(query.sql)", query.arguments) { $0.text(3) }
                .joined(separator: "\n")
        case .postgres:
            // A connection that asks may read a table as a whole, which is quickest of one with hardly a row.
            try execute(mayWalk ? "SET LOCAL enable_seqscan = on" : "SET LOCAL enable_seqscan = off")
            return try self.query("EXPLAIN \(query.sql)", query.arguments) { $0.text(0) }.joined(separator: "\n")
        }
    }
}
