import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryStore

/// Lists as long as a predicate may have them, and what engines bound: how many arguments a statement has, and how long
/// it is.
struct ListLimitTests {
    /// What SQLite takes where nobody has built it otherwise; PostgreSQL takes twice as many.
    private static let mostArguments = 32_766
    private static let longestStatement = 1_000_000
    private static let most = ConditionLimits.maximumListLength

    private static let people = [
        Person(
            name: "anna", attributes: ["city": "City 9999", "age": 31, "score": 0.5, "born": .date(storeEpoch)],
            lastOpenedAt: storeEpoch,
            events: [Person.Entry(name: "e", at: storeEpoch, attributes: ["sku": "City 9999", "n": 7])]
        ),
        Person(name: "bert", attributes: ["city": "Paris", "age": -1, "score": 0.25]),
        Person(name: "cleo"),
    ]
    private static let schema: [String: AttributeType] = [
        "city": .string, "age": .number, "score": .number, "born": .date,
    ]

    /// `n` of the longest lists.
    private static func list(_ value: (Int) -> AttributeValue) -> [AttributeValue] { (0..<most).map(value) }

    /// As many comparisons of events as there may be, and the longest list of fractions.
    private static let longest: Condition = {
        let single = (0..<9).map { Condition.attribute("n", .equal(.number(Double($0)))) }
        let many = (0..<230).map { Condition.attribute("n", .notEqual(.number(Double($0) + 0.5))) }
        let events = (single + [.any(many)]).map { Condition.event(EventClause(name: "e", filter: $0)) }
        return .any(events + [.attribute("score", .isIn(list { .number(Double($0) + 0.125) }))])
    }()

    private static let cases: [(Condition, [String])] = [
        (.attribute("city", .isIn(list { .string("City \($0)") })), ["anna"]),
        (.attribute("age", .isIn(list { .number(Double($0)) })), ["anna"]),
        (.attribute("age", .isIn(list { .string("\($0).0") })), ["anna"]),
        (.attribute("score", .isIn(list { .number(Double($0) + 0.5) })), ["anna"]),
        (.attribute("score", .isIn(list { .number($0 % 2 == 0 ? Double($0) : Double($0) / 4) })), ["bert"]),
        (.attribute("city", .isIn(list { $0 % 2 == 0 ? .string("City \($0 + 1)") : .number(Double($0)) })), ["anna"]),
        (.not(.attribute("city", .isIn(list { .string("City \($0)") }))), ["bert", "cleo"]),
        (.attribute("born", .isIn(list { .date(storeEpoch.addingTimeInterval(Double(-$0))) })), ["anna"]),
        // Every second day, so that none touches another.
        (
            .attribute(
                "born", .isIn(list { .string(CivilDates.day(of: storeEpoch, before: 2 * $0)) })
            ), ["anna"]
        ),
        (
            .deviceFact(
                .lastOpenedAt, .isIn(list { .string(CivilDates.day(of: storeEpoch, before: 2 * $0)) })
            ), ["anna"]
        ),
        (.contactKeys((0..<most - 1).map { "k\($0)" } + ["bert"]), ["bert"]),
        (.event(EventClause(name: "e", filter: .attribute("sku", .isIn(list { .string("City \($0)") })))), ["anna"]),
        (.event(EventClause(name: "e", filter: .attribute("n", .isIn(list { .string("\($0)") })))), ["anna"]),
        (
            .event(
                EventClause(
                    name: "e",
                    filter: .attribute("sku", .isIn(list { .date(storeEpoch.addingTimeInterval(Double($0))) }))
                )
            ), []
        ),
        (longest, ["anna"]),
    ]

    @Test("SEC-7, CAMP-3: a list of any allowed length works", arguments: Engine.allCases)
    func longestLists(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(engine, schema: Self.schema, people: Self.people)
        let ids = (0..<Self.most - 1).map { "00000000-0000-4000-9000-\(100_000_000_000 + $0)" }
        var cases = Self.cases
        cases.append((.deviceIDs(ids + [try client(2).rawValue]), ["bert"]))
        for (condition, names) in cases {
            let found = try await fixture.audience(condition)
            #expect(found == names, "\(String(describing: condition).prefix(200))")
            let (sql, candidates) = try await fixture.store.ask { asked in
                let sql = try asked.connection.audienceSQL(app: 1)
                return (
                    try sql.compile(condition), try asked.candidates(sql.candidates(condition))
                )
            }
            let count = AudienceRepository.count(
                app: 1, audience: sql, devices: 0...Int64.max, candidates: candidates
            )
            #expect(
                count.arguments.count <= Self.mostArguments && count.sql.statement.utf8.count <= Self.longestStatement)
        }
    }

    @Test(
        "SEC-8: days that touch no other are one argument where they are many, and find the same people",
        arguments: Engine.allCases, [500, 501])
    func days(_ engine: Engine, _ count: Int) async throws {
        let fixture = try await AudienceFixture(engine, schema: Self.schema, people: Self.people)
        let days = (0..<count).map { AttributeValue.string(CivilDates.day(of: storeEpoch, before: 2 * $0)) }
        let condition = Condition.attribute("born", .isIn(days))
        let arguments = try await fixture.store.ask { asked in
            let audience = try asked.connection.audienceSQL(app: 1).compile(condition)
            return AudienceRepository.count(app: 1, audience: audience, devices: 0...Int64.max, candidates: nil)
                .arguments.count
        }
        #expect((arguments < 10) == (count > 500), "\(arguments)")
        #expect(try await fixture.audience(condition) == ["anna"])
        // Whoever has no such date is in neither.
        #expect(
            try await fixture.audience(.not(condition)) == fixture.audience(.not(.attribute("born", .isIn([days[0]])))))
    }

    @Test("CAMP-3: one entry more is refused before the engine sees it", arguments: Engine.allCases)
    func longer(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(engine, schema: Self.schema, people: [])
        let texts = (0...Self.most).map { "k\($0)" }
        for condition in [
            Condition.contactKeys(texts), .deviceIDs(texts), .attribute("city", .isIn(texts.map { .string($0) })),
            .any([.contactKeys(Array(texts.prefix(6_000))), .deviceIDs(Array(texts.prefix(6_000)))]),
        ] {
            let error = await #expect(throws: ValueError.self) { try await fixture.audience(condition) }
            #expect(error?.code == "tooComplex")
        }
    }

    @Test("SEC-7: lists find the same people as many single comparisons, to the last bit", arguments: Engine.allCases)
    func exactLists(_ engine: Engine) async throws {
        var dice = SeededGenerator(seed: 7)
        let numbers = (0..<60).map { (_: Int) -> Double in
            let bits = Double(bitPattern: dice.next())
            return bits.isFinite && abs(bits) < 1e300 && abs(bits) > 1e-300 ? bits : Double(dice.next() % 1_000) / 7
        }
        let edges: [Double] = [0, -0.0, 9_007_199_254_740_992, -9_007_199_254_740_992, 1e15, 1e16, 1e21, 0.1, 0.3]
        let texts = Array(HostileText.storable.filter { $0.utf8.count < 200 }.prefix(300))
        let scored: [Person] = (numbers + edges).enumerated().map { index, number in
            Person(name: "n\(index)", attributes: ["score": .number(number)])
        }
        let named: [Person] = texts.enumerated().map { index, text in
            Person(name: "t\(index)", attributes: ["city": .string(text)])
        }
        let people = scored + named
        let fixture = try await AudienceFixture(engine, schema: Self.schema, people: people)
        let filler = (0..<20).map { AttributeValue.number(Double($0) * 1e6 + 0.75) }
        let all = filler + (numbers + edges).map(AttributeValue.number)
        #expect(try await fixture.audience(.attribute("score", .isIn(all))).count == numbers.count + edges.count)
        let values = texts.map(AttributeValue.string)
        #expect(try await fixture.audience(.attribute("city", .isIn(values))).count == texts.count)
        // Every other one, so that a neighbour's spelling does not stand for it.
        let evaluator = ConditionEvaluator(ConditionContext(schema: Self.schema, zone: .gmt, now: storeEpoch))
        let some = Condition.attribute("city", .isIn(stride(from: 0, to: values.count, by: 2).map { values[$0] }))
        let subjects = try people.enumerated().map { try $0.element.subject($0.offset + 1) }
        let expected = zip(people, subjects).filter { evaluator.holds(some, for: $0.1) }.map(\.0.name)
        #expect(try await fixture.audience(some) == expected && expected.count < texts.count)
    }
}

private enum CivilDates {
    /// `2026-11-21`, so many days before a moment, in UTC.
    static func day(of moment: Date, before days: Int) -> String {
        String(Timestamp.text(moment.addingTimeInterval(Double(-days) * 86_400)).prefix(10))
    }
}
