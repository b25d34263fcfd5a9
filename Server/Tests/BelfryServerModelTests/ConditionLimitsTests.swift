import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Testing

struct ConditionLimitsTests {
    @Test("CAMP-3: a predicate is at most 16 levels deep")
    func depth() {
        var condition = Condition.tag("a")
        for _ in 1..<ConditionLimits.maximumDepth { condition = .not(condition) }
        #expect(throws: Never.self) { try condition.checkLimits() }
        let deeper = Condition.any([condition])
        #expect(valueErrorCode { try deeper.checkLimits() } == "tooComplex")
    }

    @Test("CAMP-3: a predicate has at most 256 parts, wherever they are")
    func parts() {
        let half = Condition.any(Array(repeating: .tag("a"), count: 126))
        #expect(throws: Never.self) { try Condition.all([half, half, .everyone]).checkLimits() }
        let tooMany = Condition.all([half, half, .everyone, .everyone])
        let error = #expect(throws: ValueError.self) { try tooMany.checkLimits() }
        #expect(error?.code == "tooComplex")
        #expect(error?.message.contains("256") == true)
    }

    @Test("CAMP-3: all lists of a predicate together have at most 10,000 entries")
    func listEntries() {
        let keys = Condition.contactKeys(Array(repeating: "k", count: 4_000))
        let devices = Condition.deviceIDs(Array(repeating: "d", count: 4_000))
        let values = { (count: Int) in Condition.attribute("city", .isIn(Array(repeating: "v", count: count))) }
        #expect(throws: Never.self) { try Condition.any([keys, devices, values(2_000)]).checkLimits() }
        let tooMany = Condition.any([keys, devices, values(2_001)])
        #expect(valueErrorCode { try tooMany.checkLimits() } == "tooComplex")
    }

    @Test("CAMP-3: a predicate has at most 10 event clauses, and their conditions count as its parts")
    func eventClauses() {
        let clause = Condition.event(EventClause(name: "a", filter: .attribute("b", .exists(true))))
        #expect(throws: Never.self) { try Condition.any(Array(repeating: clause, count: 10)).checkLimits() }
        #expect(valueErrorCode { try Condition.any(Array(repeating: clause, count: 11)).checkLimits() } == "tooComplex")
        let wide = Condition.event(EventClause(name: "a", filter: .all(Array(repeating: .everyone, count: 256))))
        #expect(valueErrorCode { try wide.checkLimits() } == "tooComplex")
    }

    @Test(
        "CAMP-3: a text with the null character, which no database stores, is refused",
        arguments: [
            .tag("a\0"), .contactKeys(["anna", "anna\0"]), .deviceIDs(["\0"]), .attribute("a\0", .exists(true)),
            .attribute("a", .equal("x\0")), .attribute("a", .isIn(["x", "x\0"])), .attribute("a", .contains("\0")),
            .device(.locale, .startsWith("\0")), .not(.all([.tag("\0")])),
            .event(EventClause(name: "a\0")),
            .event(EventClause(name: "a", filter: .attribute("b", .equal("\0")))),
        ] as [Condition]
    )
    func nullCharacter(_ condition: Condition) {
        #expect(valueErrorCode { try condition.checkLimits() } == "invalidCharacter")
    }
}
