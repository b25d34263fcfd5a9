import BelfryModel
import Testing

struct InAppTriggerErrorsTests {
    private static func filtered(_ filter: Condition) -> InAppTrigger {
        InAppTrigger(event: "purchase", filter: filter)
    }

    private static let table: [(InAppTrigger, [String])] = [
        (InAppTrigger(event: "session:start"), []),
        (InAppTrigger(event: " purchase ", occurrence: 10_000), []),
        (InAppTrigger(event: " "), ["event invalidName"]),
        (InAppTrigger(event: "", occurrence: 0), ["event invalidName", "occurrence outOfRange"]),
        (InAppTrigger(event: "a", occurrence: -1), ["occurrence outOfRange"]),
        (InAppTrigger(event: "a", occurrence: 10_001), ["occurrence outOfRange"]),
        // Any attribute of the event, and what the device knows of itself.
        (
            filtered(
                .all([.everyone, .not(.attribute("sku", .equal("42"))), .any([.device(.appVersion, .less("2"))])])),
            []
        ),
        (filtered(.deviceFact(.pushOptIn, .equal(true))), []),
        (filtered(.deviceFact(.pushOptIn, .equal(1))), ["where.value invalidValue"]),
        (filtered(.any([.deviceFact(.pushOptIn, .exists(true))])), ["where.any[0].op invalidOperator"]),
        // Facts that only the server knows.
        (filtered(.deviceFact(.lastOpenedAt, .exists(true))), ["where.device notOfTrigger"]),
        (filtered(.tag("sports")), ["where.tag notOfTrigger"]),
        (
            filtered(.all([.known(true), .not(.contactKeys(["a"])), .deviceIDs(["b"])])),
            [
                "where.all[0].known notOfTrigger", "where.all[1].not.contactKeys notOfTrigger",
                "where.all[2].deviceIds notOfTrigger",
            ]
        ),
        (filtered(.event(EventClause(name: "purchase"))), ["where.event notOfTrigger"]),
        (filtered(.attribute("a", .equal("\0"))), ["where.value invalidCharacter"]),
        (filtered(.all(Array(repeating: .everyone, count: 300))), ["where tooComplex"]),
        (filtered((0..<20).reduce(.tag("a")) { inner, _ in .not(inner) }), ["where tooComplex"]),
    ]

    @Test("IAM-5, ADM-3: a trigger that a device cannot evaluate is refused, errors with their place", arguments: table)
    func places(_ trigger: InAppTrigger, _ expected: [String]) {
        #expect(trigger.errors.map { "\($0.path) \($0.error.code)" } == expected)
    }
}
