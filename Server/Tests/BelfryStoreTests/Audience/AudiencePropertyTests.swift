import BelfryServerTestSupport
import BelfryModel
import BelfryStore
import Foundation
import Testing

struct AudiencePropertyTests {
    private static let schema: [String: AttributeType] = [
        "city": .string, "age": .number, "vip": .boolean, "birthday": .date,
    ]
    private static let texts = [
        "Paris", "paris", "Par", "100%", "a_b", "", "31", "31.0", "007", "1e1", "10", "-5", "+5", "5.", ".5", "1.2.3",
        "1e",
        "e1", "nan", "inf", "0x10", "true", "é", " 5",
    ]
    private static let numbers: [Double] = [0, 5, -5, 10, 31, 0.5, 1_000_000]

    @Test("CAMP-3: SQL and memory choose the same people, whatever the predicate", arguments: Engine.allCases, 1...4)
    func sameAudience(_ engine: Engine, seed: UInt64) async throws {
        var dice = SeededGenerator(seed: seed)
        let people = (0..<40).map { Self.person($0, &dice) }
        let fixture = try await AudienceFixture(engine, schema: Self.schema, people: people)
        let reference = ReferenceAudience(schema: Self.schema)
        for _ in 0..<120 {
            let condition = Self.condition(depth: 3, &dice)
            let expected = people.filter { reference.contains($0, condition) }.map(\.name)
            #expect(try await fixture.audience(condition) == expected, "\(condition)")
        }
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
        let store = try TestStore(engine)
        let read = try await store.write { connection in
            let app = try connection.makeApp()
            try connection.makeDevices(1, app: app)
            let expression = connection.dialect.readsAsNumber("locale")
            return try texts.map { text in
                try connection.execute("UPDATE devices SET locale = ?", [.text(text)])
                return try connection.first("SELECT CASE WHEN \(expression) THEN 1 ELSE 0 END FROM devices", []) {
                    $0.flag(0)
                }
            }
        }
        for (text, reads) in zip(texts, read) {
            #expect(reads == (AttributeValue.string(text).numberRead != nil), "'\(text)'")
        }
    }

    private static func person(_ number: Int, _ dice: inout SeededGenerator) -> Person {
        var attributes: [String: AttributeValue] = [:]
        if isLikely(&dice) { attributes["city"] = .string(pick(texts, &dice)) }
        if isLikely(&dice) { attributes["age"] = .number(pick(numbers, &dice)) }
        if isLikely(&dice) { attributes["vip"] = .boolean(Bool.random(using: &dice)) }
        if isLikely(&dice) { attributes["birthday"] = .date(date(&dice)) }
        return Person(
            name: "p\(number)", attributes: isLikely(&dice) ? attributes : nil, known: Bool.random(using: &dice),
            tags: isLikely(&dice) ? [pick(["a", "b"], &dice)] : [],
            system: SystemProperties(
                platform: pick(["ios", "android"], &dice), osVersion: isLikely(&dice) ? pick(texts, &dice) : nil
            )
        )
    }

    private static func condition(depth: Int, _ dice: inout SeededGenerator) -> Condition {
        guard depth > 0, Int.random(in: 0..<5, using: &dice) < 3 else { return leaf(&dice) }
        let parts = (0..<Int.random(in: 1...3, using: &dice)).map { _ in condition(depth: depth - 1, &dice) }
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: return .all(parts)
        case 1: return .any(parts)
        default: return .not(parts[0])
        }
    }

    private static func leaf(_ dice: inout SeededGenerator) -> Condition {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0: .everyone
        case 1: .tag(pick(["a", "b", "c"], &dice))
        case 2: .known(Bool.random(using: &dice))
        case 3: .contactKeys(["p1", "p2", "p\(Int.random(in: 0..<40, using: &dice))"])
        case 4: .device(.platform, comparison(&dice))
        case 5: .device(.osVersion, comparison(&dice))
        case 6: .attribute("birthday", dateComparison(&dice))
        default: .attribute(pick(["city", "age", "vip"], &dice), comparison(&dice))
        }
    }

    private static func comparison(_ dice: inout SeededGenerator) -> Comparison {
        let value = value(&dice)
        switch Int.random(in: 0..<10, using: &dice) {
        case 0: return .notEqual(value)
        case 1: return .less(value)
        case 2: return .lessOrEqual(value)
        case 3: return .greater(value)
        case 4: return .greaterOrEqual(value)
        case 5: return .isIn([value, self.value(&dice), self.value(&dice)])
        case 6: return .contains(pick(texts, &dice))
        case 7: return .startsWith(pick(texts, &dice))
        case 8: return .exists(Bool.random(using: &dice))
        default: return .equal(value)
        }
    }

    private static func dateComparison(_ dice: inout SeededGenerator) -> Comparison {
        let value = AttributeValue.date(date(&dice))
        switch Int.random(in: 0..<5, using: &dice) {
        case 0: return .less(value)
        case 1: return .greaterOrEqual(value)
        case 2: return .isIn([value, .date(date(&dice))])
        case 3: return .exists(false)
        default: return .equal(value)
        }
    }

    private static func value(_ dice: inout SeededGenerator) -> AttributeValue {
        switch Int.random(in: 0..<5, using: &dice) {
        case 0: .number(pick(numbers, &dice))
        case 1: .boolean(Bool.random(using: &dice))
        default: .string(pick(texts, &dice))
        }
    }

    private static func date(_ dice: inout SeededGenerator) -> Date {
        seconds(Double(Int.random(in: 0..<4, using: &dice)) / 1000)
    }

    private static func isLikely(_ dice: inout SeededGenerator) -> Bool {
        Int.random(in: 0..<4, using: &dice) > 0
    }

    private static func pick<Value>(_ values: [Value], _ dice: inout SeededGenerator) -> Value {
        values[Int.random(in: 0..<values.count, using: &dice)]
    }
}
