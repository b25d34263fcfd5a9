import BelfryModel
import BelfryServerModel
import Testing

struct AudienceEntrancesTests {
    private static func event(_ name: String, _ op: EventCount.Operator) -> Condition {
        .event(EventClause(name: name, count: EventCount(op, 2)))
    }

    private static let table: [(Condition, AudienceChanges, Set<String>)] = [
        (.everyone, .identity, []),
        (.known(true), .identity, []),
        (.contactKeys(["a"]), .identity, []),
        (.tag("a"), [.identity, .tags], []),
        (.not(.tag("a")), [.identity, .tags], []),
        (.device(.platform, .equal("ios")), [.identity, .device], []),
        (.deviceFact(.pushOptIn, .equal(true)), [.identity, .device], []),
        // An app that is opened fetches by itself.
        (.deviceFact(.lastOpenedAt, .less("-P30D")), .identity, []),
        (.all([.attribute("a", .equal("b")), .tag("c")]), [.identity, .attributes, .tags], []),
        (event(" buy ", .greaterOrEqual), [.identity, .events], ["buy"]),
        // One event more brings nobody in.
        (event("buy", .less), .identity, []),
        (.not(event("buy", .less)), [.identity, .events], ["buy"]),
        (.not(event("buy", .greater)), .identity, []),
        (.not(.not(event("buy", .greater))), [.identity, .events], ["buy"]),
        (.any([event("buy", .equal), event("sell", .notEqual)]), [.identity, .events], ["buy", "sell"]),
    ]

    @Test("IAM-15: how an audience can be entered is read from it, so that other changes are not looked at")
    func entrances() {
        for (audience, changes, events) in Self.table {
            let entrances = AudienceEntrances(to: audience)
            #expect(entrances.changes == changes && entrances.events == events, "\(audience)")
        }
        let all = Self.table.reduce(AudienceEntrances.none) { $0.union(AudienceEntrances(to: $1.0)) }
        #expect(all.changes == .all && all.events == ["buy", "sell"])
        #expect(AudienceEntrances.none.changes.isEmpty)
    }
}
