import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct AudiencePropertyTests {
    @Test(
        "CAMP-3: SQL and memory select the same people, for any predicate",
        arguments: Engine.allCases, Endurance.seeds(8, brief: 2)
    )
    func sameAudience(_ engine: Engine, seed: UInt64) async throws {
        var dice = AudienceDice(seed: seed)
        let people = (0..<40).map { dice.person($0) }
        let fixture = try await AudienceFixture(engine, schema: AudienceDice.schema, people: people)
        let subjects = try people.enumerated().map { try $0.element.subject($0.offset + 1) }
        let evaluator = ConditionEvaluator(
            ConditionContext(
                schema: AudienceDice.schema, zone: try #require(TimeZone(identifier: "Europe/Paris")), now: storeEpoch
            )
        )
        var chosen = 0
        for _ in 0..<300 {
            let condition = dice.condition(depth: 3)
            let expected = zip(people, subjects).filter { evaluator.holds(condition, for: $0.1) }.map(\.0.name)
            let found = try await fixture.audience(condition)
            #expect(found == expected, "\(condition)")
            chosen += expected.count
        }
        // Predicates that chose nobody, or everybody, would show nothing.
        #expect((1_000...11_000).contains(chosen))
    }

    @Test("CAMP-3: both sides agree on what reads as a number", arguments: Engine.allCases, 1...2)
    func readsAsNumber(_ engine: Engine, seed: UInt64) async throws {
        var dice = SeededGenerator(seed: seed)
        let characters = Array("0123456789.eE+-")
        let texts =
            (0..<600).map { _ in
                String(
                    (0...Int.random(in: 0...6, using: &dice)).map { _ in characters.randomElement(using: &dice) ?? "0" }
                )
            } + ["1e99", "1e100", String(repeating: "1", count: 64), String(repeating: "1", count: 65), "", " 1", "1 "]
        let store = try TestStore(engine, isRecycled: true)
        let read = try await store.write { connection in
            let app = try connection.makeApp()
            try connection.makeDevices(1, app: app)
            let expression = connection.dialect.readsAsNumber("locale")
            return try texts.map { text in
                try connection.execute("UPDATE devices SET locale = ?", [.text(text)])
                return try connection.first("SELECT CASE WHEN \(expression.sql) THEN 1 ELSE 0 END FROM devices", []) {
                    $0.flag(0)
                }
            }
        }
        for (text, reads) in zip(texts, read) {
            #expect(reads == (AttributeValue.string(text).numberRead != nil), "'\(text)'")
        }
    }
}
