import BelfryModel
import BelfryServerModel
import Foundation
import Testing

struct ConditionLimitsTests {
    /// It defines what the predicates ask, so that only limits are left to refuse.
    private static let context = ConditionContext(
        schema: ["b": .string, "city": .string], zone: .gmt, now: Date(timeIntervalSince1970: 1_795_262_400)
    )

    private static func errors(_ condition: Condition) -> [ValueError] {
        condition.errors(in: context).map(\.error)
    }

    /// What somebody is told who is told of one error alone.
    private static func code(_ condition: Condition) -> String? { errors(condition).first?.code }

    @Test("CAMP-3: a predicate is at most 16 levels deep")
    func depth() {
        var condition = Condition.tag("a")
        for _ in 1..<ConditionLimits.maximumDepth { condition = .not(condition) }
        #expect(Self.errors(condition) == [])
        #expect(Self.code(.any([condition])) == "tooComplex")
    }

    @Test("CAMP-3: a predicate has at most 256 parts, wherever they are")
    func parts() {
        let half = Condition.any(Array(repeating: .tag("a"), count: 126))
        #expect(Self.errors(.all([half, half, .everyone])) == [])
        let error = Self.errors(.all([half, half, .everyone, .everyone])).first
        #expect(error?.code == "tooComplex")
        #expect(error?.message.contains("256") == true)
    }

    @Test("CAMP-3: all lists of a predicate together have at most 10,000 entries")
    func listEntries() {
        let keys = Condition.contactKeys(Array(repeating: "k", count: 4_000))
        let devices = Condition.deviceIDs(Array(repeating: "d", count: 4_000))
        let values = { (count: Int) in Condition.attribute("city", .isIn(Array(repeating: "v", count: count))) }
        #expect(Self.errors(.any([keys, devices, values(2_000)])) == [])
        #expect(Self.code(.any([keys, devices, values(2_001)])) == "tooComplex")
    }

    @Test("CAMP-3: a predicate has at most 10 event clauses, and their conditions count as its parts")
    func eventClauses() {
        let clause = Condition.event(EventClause(name: "a", filter: .attribute("b", .exists(true))))
        #expect(Self.errors(.any(Array(repeating: clause, count: 10))) == [])
        #expect(Self.code(.any(Array(repeating: clause, count: 11))) == "tooComplex")
        let wide = Condition.event(EventClause(name: "a", filter: .all(Array(repeating: .everyone, count: 256))))
        #expect(Self.code(wide) == "tooComplex")
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
        #expect(Self.code(condition) == "invalidCharacter")
    }
}
