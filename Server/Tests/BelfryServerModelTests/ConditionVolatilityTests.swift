import BelfryModel
import BelfryServerModel
import Testing

struct ConditionVolatilityTests {
    private static let table: [(Condition, Bool)] = [
        (.everyone, false), (.tag("a"), false), (.known(true), false), (.contactKeys(["a"]), false),
        (.deviceIDs(["a"]), false), (.device(.platform, .equal("ios")), false),
        (.deviceFact(.pushOptIn, .equal(true)), false), (.attribute("city", .equal("Paris")), false),
        (.attribute("born", .less("2026-01-01")), false), (.attribute("age", .greater(30)), false),
        (.attribute("city", .equal("P")), false), (.attribute("city", .equal("-Paris")), false),
        (.attribute("city", .contains("-P30D")), false), (.attribute("city", .exists(true)), false),
        (.event(EventClause(name: "purchase")), true),
        (.deviceFact(.lastOpenedAt, .less("2026-01-01")), true), (.deviceFact(.lastOpenedAt, .exists(false)), true),
        (.attribute("born", .greater("+P1W")), true),
        (.attribute("born", .greater("P7D")), true), (.attribute("born", .isIn(["2026-01-01", "-P1D"])), true),
    ]

    @Test(
        "PERF-7: an audience changes by itself if it depends on events or openings, or counts from now",
        arguments: table)
    func leaves(_ condition: Condition, _ isVolatile: Bool) {
        #expect(condition.isVolatile == isVolatile)
        #expect(Condition.not(condition).isVolatile == isVolatile)
        #expect(Condition.all([.everyone, .any([.tag("a"), condition])]).isVolatile == isVolatile)
    }
}
