import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct AudienceSQLTests {
    private static let birthday = Date(timeIntervalSince1970: 643_939_200)

    /// Anna has everything, Bert other values, Cleo is anonymous and has little, Dora's device has no contact.
    private static let people = [
        Person(
            name: "anna",
            attributes: [
                "city": "Paris", "age": 31, "vip": true, "birthday": .date(birthday), "zip": "00750", "score": "1.5e1",
            ],
            tags: ["sports", "news"],
            system: SystemProperties(timeZone: "Europe/Paris", locale: "fr_FR", platform: "ios", osVersion: "17.4.1")
        ),
        Person(
            name: "bert",
            attributes: [
                "city": "100% Oslo_", "age": 9, "vip": false, "birthday": .date(birthday.addingTimeInterval(0.001)),
                "score": "high",
            ],
            tags: ["sports"],
            system: SystemProperties(locale: "nb_NO", platform: "android", osVersion: "17.4")
        ),
        Person(name: "cleo", attributes: ["city": "paris"], known: false, system: SystemProperties(platform: "ios")),
        Person(name: "dora", attributes: nil),
    ]

    private static let schema: [String: AttributeType] = [
        "city": .string, "age": .number, "vip": .boolean, "birthday": .date, "zip": .string, "score": .string,
        "empty": .string,
    ]

    private static let everyone = ["anna", "bert", "cleo", "dora"]

    private static let logic: [(Condition, [String])] = [
        (.everyone, everyone),
        (.not(.everyone), []),
        (.all([]), everyone),
        (.any([]), []),
        (.all([.tag("sports"), .tag("news")]), ["anna"]),
        (.any([.tag("news"), .attribute("age", .less(10))]), ["anna", "bert"]),
        (.not(.tag("sports")), ["cleo", "dora"]),
        (.not(.not(.tag("sports"))), ["anna", "bert"]),
        (.tag("Sports"), []),
        (.known(true), ["anna", "bert"]),
        (.known(false), ["cleo", "dora"]),
        (.contactKeys(["anna", "cleo", "nobody"]), ["anna", "cleo"]),
        (.contactKeys([]), []),
        (.not(.contactKeys(["anna"])), ["bert", "cleo", "dora"]),
        (.deviceIDs(["00000000-0000-4000-8000-000000000004"]), ["dora"]),
    ]

    private static let missing: [(Condition, [String])] = [
        (.attribute("age", .notEqual(31)), ["bert"]),
        (.not(.attribute("age", .equal(31))), ["bert", "cleo", "dora"]),
        (.attribute("age", .exists(true)), ["anna", "bert"]),
        (.attribute("age", .exists(false)), ["cleo", "dora"]),
        (.attribute("empty", .notEqual("x")), []),
        (.attribute("empty", .isIn(["x", 1])), []),
        (.attribute("zip", .contains("7")), ["anna"]),
        (.not(.attribute("zip", .startsWith("0"))), ["bert", "cleo", "dora"]),
        (.device(.osVersion, .exists(false)), ["cleo", "dora"]),
        (.not(.device(.locale, .equal("fr_FR"))), ["bert", "cleo", "dora"]),
    ]

    private static let numbers: [(Condition, [String])] = [
        // As texts, "9" would come after "31".
        (.attribute("age", .less(10)), ["bert"]),
        (.attribute("age", .greaterOrEqual(31)), ["anna"]),
        (.attribute("age", .equal("31")), ["anna"]),
        (.attribute("age", .equal("31.0")), ["anna"]),
        (.attribute("age", .isIn([9, "31"])), ["anna", "bert"]),
        (.attribute("age", .isIn(["nine"])), []),
        // A text that reads as a number is compared as one with a number, and with what reads as one.
        (.attribute("zip", .equal(750)), ["anna"]),
        (.attribute("zip", .greater("749.5")), ["anna"]),
        (.attribute("score", .equal(15)), ["anna"]),
        (.attribute("score", .isIn(["15"])), ["anna"]),
        // "high" is not a number, so it is compared as text.
        (.attribute("score", .greater(9)), ["anna", "bert"]),
        (.attribute("score", .equal("high")), ["bert"]),
        // 17.4.1 is not a number: 17.4 is another version.
        (.device(.osVersion, .equal("17.4")), ["bert"]),
        (.device(.osVersion, .equal(17.4)), ["bert"]),
        (.device(.osVersion, .startsWith("17.4")), ["anna", "bert"]),
        (.attribute("city", .equal("nan")), []),
        (.attribute("age", .less("inf")), ["anna", "bert"]),
    ]

    private static let texts: [(Condition, [String])] = [
        (.attribute("city", .equal("Paris")), ["anna"]),
        (.attribute("city", .isIn(["Paris", "paris"])), ["anna", "cleo"]),
        (.attribute("city", .greater("Q")), ["cleo"]),
        (.attribute("city", .contains("aris")), ["anna", "cleo"]),
        (.attribute("city", .contains("P")), ["anna"]),
        (.attribute("city", .contains("%")), ["bert"]),
        (.attribute("city", .contains("_")), ["bert"]),
        (.attribute("city", .contains("P%s")), []),
        (.attribute("city", .contains("")), ["anna", "bert", "cleo"]),
        (.attribute("city", .startsWith("100%")), ["bert"]),
        (.attribute("city", .startsWith("1_0")), []),
        (.attribute("city", .startsWith("pa")), ["cleo"]),
        (.attribute("city", .startsWith("")), ["anna", "bert", "cleo"]),
        (.attribute("vip", .equal(true)), ["anna"]),
        (.attribute("vip", .equal(false)), ["bert"]),
        (.attribute("vip", .equal("true")), ["anna"]),
        (.device(.platform, .isIn(["android", "web"])), ["bert"]),
        (.device(.timeZone, .contains("/")), ["anna"]),
    ]

    private static let dates: [(Condition, [String])] = [
        (.attribute("birthday", .equal("1990-05-29T00:00:00Z")), ["anna"]),
        (.attribute("birthday", .equal("1990-05-29T02:00:00+02:00")), ["anna"]),
        (.attribute("birthday", .greater("1990-05-29T00:00:00.000Z")), ["bert"]),
        (.attribute("birthday", .lessOrEqual("1990-05-29T00:00:00.001Z")), ["anna", "bert"]),
        (.attribute("birthday", .notEqual(.date(birthday))), ["bert"]),
        (.attribute("birthday", .isIn([.date(birthday), "2000-01-01T00:00:00Z"])), ["anna"]),
        (.attribute("birthday", .startsWith("1990-05")), ["anna", "bert"]),
    ]

    @Test("CAMP-3: predicates select the right devices", arguments: Engine.allCases)
    func audiences(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(engine, schema: Self.schema, people: Self.people)
        for (condition, names) in Self.logic + Self.missing + Self.numbers + Self.texts + Self.dates {
            #expect(try await fixture.audience(condition) == names, "\(condition)")
        }
    }

    @Test(
        "CAMP-3: values from before a change of type mislead no comparison", arguments: Engine.allCases)
    func changedType(_ engine: Engine) async throws {
        let people = [
            Person(name: "text", attributes: ["age": "abc"]), Person(name: "digits", attributes: ["age": "5"]),
            Person(name: "flag", attributes: ["age": true]), Person(name: "number", attributes: ["age": 5]),
        ]
        let fixture = try await AudienceFixture(engine, schema: ["age": .number], people: people)
        #expect(try await fixture.audience(.attribute("age", .equal(0))) == [])
        #expect(try await fixture.audience(.attribute("age", .equal(5))) == ["digits", "number"])
        #expect(try await fixture.audience(.attribute("age", .less(6))) == ["digits", "number"])
    }

    @Test("CAMP-3: large numbers and fractions keep their precision", arguments: Engine.allCases)
    func precision(_ engine: Engine) async throws {
        let values: [Double] = [0.1 + 0.2, 0.3, 9_007_199_254_740_991, 1e21, -1e-9]
        let people = values.map { Person(name: "\($0)", attributes: ["n": .number($0)]) }
        let fixture = try await AudienceFixture(engine, schema: ["n": .number], people: people)
        for value in values {
            #expect(try await fixture.audience(.attribute("n", .equal(.number(value)))) == ["\(value)"])
        }
    }

    @Test("CAMP-3: lists of thousands of entries are one query", arguments: Engine.allCases)
    func longLists(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(engine, schema: Self.schema, people: Self.people)
        let keys = (0..<9_000).map { "nobody-\($0)" } + ["bert"]
        #expect(try await fixture.audience(.contactKeys(keys)) == ["bert"])
        let values = (0..<9_000).map { AttributeValue.number(Double($0) + 40) } + [31]
        #expect(try await fixture.audience(.attribute("age", .isIn(values))) == ["anna"])
    }

    @Test("CAMP-3: the largest predicate that is allowed still runs", arguments: Engine.allCases)
    func largest(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(engine, schema: Self.schema, people: Self.people)
        let parts = Array(repeating: Condition.attribute("age", .greater(18)), count: 255)
        #expect(try await fixture.audience(.any(parts)) == ["anna"])
        #expect(try await fixture.audience(.all(parts)) == ["anna"])
        var deep = Condition.any(Array(repeating: .attribute("city", .contains("aris")), count: 240))
        for _ in 0..<14 { deep = .not(deep) }
        #expect(try await fixture.audience(deep) == ["anna", "cleo"])
        // Engines bound how deep an expression nests; the worst comes last in its list.
        var nested = Condition.attribute("age", .isIn([31, "x"]))
        for level in 0..<15 {
            nested = level.isMultiple(of: 2) ? .all([.everyone, nested]) : .any([.any([]), nested])
        }
        #expect(try await fixture.audience(nested) == ["anna"])
    }
}
