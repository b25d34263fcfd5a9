import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// Names and values that would be a part of a statement, if anything put them into its text.
struct InjectionTests {
    /// `\u{600}` takes the quote behind it along and `\u{301}` joins the quote before it, so neither is a `Character` of
    /// its own, and to double quotes by `Character` leaves both single.
    private static func name(_ query: String) -> String { "x\u{600}'||(\(query))||'\u{301}" }

    @Test("SEC-7: a query in the name of an event's attribute is a name", arguments: Engine.allCases)
    func queriesInNames(_ engine: Engine) async throws {
        // What the name would become, were it a statement: each way of asking finds another attribute, or none.
        let event = Person.Entry(
            name: "e", at: storeEpoch, attributes: ["x\u{600}": "v", "x\u{600}1\u{301}": "w", "x\u{600}0\u{301}": "z"]
        )
        let fixture = try await AudienceFixture(
            engine, schema: [:], people: [Person(name: "anna", attributes: [:], events: [event])]
        )
        func count(_ query: String, _ comparison: Comparison) async throws -> [String] {
            let filter = Condition.attribute(Self.name(query), comparison)
            return try await fixture.audience(.event(EventClause(name: "e", filter: filter)))
        }
        for comparison in [Comparison.exists(true), .equal("w"), .equal("v1\u{301}"), .contains("1"), .less("x")] {
            for query in [
                "SELECT 1", "SELECT 0", "SELECT nullif(1, 1)", "SELECT count(*) FROM apps", "SELECT code FROM apps",
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
            ] {
                #expect(try await count(query, comparison) == [], "\(comparison): \(query)")
            }
        }
    }

    @Test("SEC-7: such a name finds the attribute with that name", arguments: Engine.allCases)
    func hostileNames(_ engine: Engine) async throws {
        // Every seventh: with each delimiter, at other marks.
        let some = Endurance.sample(HostileText.storable, every: 7) + HostileText.injections
        let groups = stride(from: 0, to: some.count, by: 64).map { Array(some[$0..<min($0 + 64, some.count)]) }
        let attributes = groups.map { texts in
            texts.reduce(into: [String: AttributeValue]()) { named, text in
                if named[text] == nil { named[text] = .string(text) }
            }
        }
        let people = [
            Person(
                name: "anna", attributes: [:],
                events: attributes.enumerated().map { Person.Entry(name: "e\($0)", at: storeEpoch, attributes: $1) }
            ),
            Person(
                name: "bert", attributes: [:],
                events: attributes.indices.map { Person.Entry(name: "e\($0)", at: storeEpoch) }
            ),
        ]
        let fixture = try await AudienceFixture(engine, schema: [:], people: people)
        let evaluator = ConditionEvaluator(ConditionContext(schema: [:], zone: .gmt, now: storeEpoch))
        let subjects = try people.enumerated().map { try $0.element.subject($0.offset + 1) }
        for (number, texts) in groups.enumerated() {
            let kept = Set(attributes[number].keys.map { Array($0.utf8) })
            for text in texts {
                let clause = EventClause(name: "e\(number)", filter: .attribute(text, .equal(.string(text))))
                let expected = zip(people, subjects).filter { evaluator.holds(.event(clause), for: $0.1) }.map(\.0.name)
                #expect(try await fixture.audience(.event(clause)) == expected, "\(text.debugDescription)")
                // Where Swift took two spellings for one key, the attribute of the other spelling is there.
                #expect(expected == (kept.contains(Array(text.utf8)) ? ["anna"] : []), "\(text.debugDescription)")
            }
        }
    }

    @Test("SEC-7: text is text in any place of a predicate", arguments: Engine.allCases)
    func hostileValues(_ engine: Engine) async throws {
        let texts = HostileText.injections + ["'\u{301}", "\u{600}'", "\"\u{301}", "\\\u{301}", "?\u{301}", ",\u{301}"]
        var schema: [String: AttributeType] = ["plain": .string]
        for text in texts where (try? AttributeKey(text)) != nil { schema[text] = .string }
        let known = schema
        let people = texts.enumerated().map { index, text in
            var attributes: [String: AttributeValue] = ["plain": .string(text)]
            if known[text] != nil { attributes[text.precomposedStringWithCanonicalMapping] = .string(text) }
            return Person(
                name: "p\(index)", attributes: attributes, tags: [text.precomposedStringWithCanonicalMapping],
                system: SystemProperties(locale: text))
        }
        let fixture = try await AudienceFixture(engine, schema: schema, people: people)
        let evaluator = ConditionEvaluator(ConditionContext(schema: schema, zone: .gmt, now: storeEpoch))
        let subjects = try people.enumerated().map { try $0.element.subject($0.offset + 1) }
        for text in texts {
            let value = AttributeValue.string(text)
            var conditions: [Condition] = [
                .attribute("plain", .equal(value)), .attribute("plain", .isIn([value])),
                .attribute("plain", .contains(text)), .attribute("plain", .startsWith(text)),
                .device(.locale, .equal(value)), .device(.locale, .contains(text)), .tag(text),
                .contactKeys([text]), .deviceIDs([text]), .event(EventClause(name: text)),
            ]
            if known[text] != nil { conditions.append(.attribute(text, .exists(true))) }
            for condition in conditions {
                let expected = zip(people, subjects).filter { evaluator.holds(condition, for: $0.1) }.map(\.0.name)
                #expect(try await fixture.audience(condition) == expected, "\(condition)")
            }
        }
        #expect(try await fixture.store.read { try $0.devices.highestID() } == Int64(people.count))
    }
}
