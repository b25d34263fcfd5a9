import BelfryModel
import Foundation
import Testing

struct ConditionErrorsTests {
    private static let context = ConditionContext(
        schema: ["city": .string, "born": .date], zone: .gmt, now: Date(timeIntervalSince1970: 1_795_262_400)
    )

    private static func event(_ filter: Condition) -> Condition {
        .event(EventClause(name: "purchase", filter: filter))
    }

    private static let table: [(Condition, [String])] = [
        (.attribute("shoe", .exists(true)), ["attribute undefinedAttribute"]),
        (
            .all([.tag("a"), .not(.attribute("shoe", .equal(1))), .any([.attribute("hat", .equal(1))])]),
            ["all[1].not.attribute undefinedAttribute", "all[2].any[0].attribute undefinedAttribute"]
        ),
        (.attribute("born", .less("yesterday")), ["value invalidValue"]),
        (.attribute("born", .equal("2026-02-30")), ["value invalidValue"]),
        (.attribute("born", .greater(5)), ["value invalidValue"]),
        (.attribute("born", .isIn(["2026-01-01", "x", true])), ["value[1] invalidValue", "value[2] invalidValue"]),
        (.attribute("born", .contains("x")), []),
        (.attribute("born", .greater("-P30D")), []),
        (.attribute("born", .greater("+P1W")), []),
        (.attribute("born", .greater("--P30D")), ["value invalidValue"]),
        (.attribute("born", .greater("-P1Y")), ["value invalidValue"]),
        (.attribute("city", .less("yesterday")), []),
        (.deviceFact(.pushOptIn, .equal("yes")), ["value invalidValue"]),
        (.deviceFact(.pushOptIn, .exists(true)), ["op invalidOperator"]),
        (.deviceFact(.pushOptIn, .isIn([true])), ["op invalidOperator"]),
        (.deviceFact(.lastOpenedAt, .contains("2026")), ["op invalidOperator"]),
        (.deviceFact(.lastOpenedAt, .less(7)), ["value invalidValue"]),
        (.deviceFact(.lastOpenedAt, .exists(false)), []),
        (.event(EventClause(name: " ")), ["event invalidName"]),
        (.event(EventClause(name: "a", count: EventCount(.less, -1))), ["count.value outOfRange"]),
        (.event(EventClause(name: "a", count: EventCount(.less, 10_001))), ["count.value outOfRange"]),
        // Any attribute of the event, whatever the app has defined.
        (event(.attribute("shoe", .less("yesterday"))), []),
        (event(.all([.everyone, .tag("a")])), ["where.all[1].tag notOfEvent"]),
        (event(.not(.known(true))), ["where.not.known notOfEvent"]),
        (event(.device(.locale, .exists(true))), ["where.device notOfEvent"]),
        (event(.deviceFact(.pushOptIn, .equal(true))), ["where.device notOfEvent"]),
        (event(.contactKeys([])), ["where.contactKeys notOfEvent"]),
        (event(.deviceIDs([])), ["where.deviceIds notOfEvent"]),
        (.not(event(.any([event(.everyone)]))), ["not.where.any[0].event notOfEvent"]),
        (
            .all([.contactKeys(["a", "\0"]), .tag("\0")]),
            ["all[0].contactKeys[1] invalidCharacter", "all[1].tag invalidCharacter"]
        ),
        (.attribute("city", .isIn(["x", "\0"])), ["value[1] invalidCharacter"]),
        (.all(Array(repeating: .attribute("shoe", .exists(true)), count: 300)), [" tooComplex"]),
    ]

    @Test("ADM-3: every error of a predicate is reported with its place", arguments: table)
    func places(_ condition: Condition, _ expected: [String]) {
        let errors = condition.errors(in: Self.context).map { "\($0.path) \($0.error.code)" }
        #expect(errors == expected)
    }

    @Test("CAMP-3: an undefined attribute is refused, with a list of the defined ones")
    func defined() throws {
        let error = try #require(Condition.attribute("shoe", .exists(true)).errors(in: Self.context).first)
        #expect(error.error.message.contains("'shoe'") && error.error.message.contains("born, city"))
    }
}
