import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct EventAudienceTests {
    private static let day: TimeInterval = 86_400

    private static func purchase(
        _ daysAgo: Double, _ attributes: [String: AttributeValue] = [:]
    ) -> Person.Entry {
        Person.Entry(name: "purchase", at: seconds(-daysAgo * day), attributes: attributes)
    }

    /// Anna bought twice lately, Bert once and long ago, Cleo with two devices, Dora with one she gave away, Emil's
    /// device was another's when it bought, Finn has no contact, Gero did something else.
    private static let people = [
        Person(
            name: "anna", attributes: [:],
            events: [
                purchase(1, ["sku": "A", "amount": 12.5, "at": .date(storeEpoch)]),
                purchase(30, ["sku": "B", "amount": "40"]),
            ]
        ),
        Person(name: "bert", attributes: [:], events: [purchase(31, ["sku": "A"])]),
        Person(name: "cleo", attributes: [:], events: [purchase(2)], eventsOfOtherDevice: [purchase(3)]),
        Person(name: "dora", attributes: [:], eventsOfFormerDevice: [purchase(4), purchase(5)]),
        Person(name: "emil", attributes: [:], eventsOfOthers: [purchase(1), purchase(2)]),
        Person(name: "finn", events: [purchase(1, ["sku": "C"]), purchase(2)]),
        Person(name: "gero", attributes: [:], events: [Person.Entry(name: "open", at: storeEpoch, attributes: [:])]),
    ]

    private static func clause(
        _ count: EventCount = .atLeastOnce, within: String? = nil, where filter: Condition? = nil
    ) -> Condition {
        .event(
            EventClause(
                name: " purchase", count: count, within: within.flatMap { try? ISODuration($0) }, filter: filter
            )
        )
    }

    private static let counts: [(Condition, [String])] = [
        (clause(), ["anna", "bert", "cleo", "dora", "finn"]),
        (clause(EventCount(.greaterOrEqual, 2), within: "P30D"), ["anna", "cleo", "dora", "finn"]),
        (clause(EventCount(.equal, 1)), ["bert"]),
        (clause(EventCount(.equal, 0)), ["emil", "gero"]),
        (clause(EventCount(.less, 1), within: "P30D"), ["bert", "emil", "gero"]),
        (clause(EventCount(.lessOrEqual, 1)), ["bert", "emil", "gero"]),
        (clause(EventCount(.notEqual, 2)), ["bert", "emil", "gero"]),
        (clause(EventCount(.greater, 2)), []),
        (.not(clause()), ["emil", "gero"]),
        (.all([clause(), .known(true)]), ["anna", "bert", "cleo", "dora"]),
    ]

    private static let filters: [(Condition, [String])] = [
        (clause(where: .attribute("sku", .equal("A"))), ["anna", "bert"]),
        (clause(where: .attribute("sku", .isIn(["B", "C"]))), ["anna", "finn"]),
        (clause(where: .attribute("sku", .exists(false))), ["cleo", "dora", "finn"]),
        (clause(where: .not(.attribute("sku", .equal("A")))), ["anna", "cleo", "dora", "finn"]),
        (clause(where: .attribute("amount", .greaterOrEqual(12.5))), ["anna"]),
        (clause(EventCount(.equal, 2), where: .attribute("amount", .less(41))), ["anna"]),
        // One event has to fulfil both.
        (clause(where: .all([.attribute("sku", .equal("A")), .attribute("amount", .greater(20))])), []),
        (clause(where: .attribute("at", .lessOrEqual("2026-11-21T12:00:00Z"))), ["anna"]),
        (clause(where: .attribute("at", .equal("2026-11-21T13:00:00+01:00"))), ["anna"]),
        (clause(where: .attribute("at", .greater("2026-11-21T12:00:00Z"))), []),
        (clause(where: .everyone), ["anna", "bert", "cleo", "dora", "finn"]),
    ]

    @Test("CAMP-3, EVT-7: an audience by events: how often and how recently", arguments: Engine.allCases)
    func histories(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(engine, schema: [:], people: Self.people)
        for (condition, names) in Self.counts + Self.filters {
            let found = try await fixture.audience(condition)
            #expect(found == names, "\(condition)")
        }
    }

    @Test(
        "CAMP-3, EVT-9: an event that a wrong clock dates after its receipt is in no period that began after the receipt",
        arguments: Engine.allCases)
    func wrongClock(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(engine, schema: [:], people: [Person(name: "anna", attributes: [:])])
        let (at, receivedAt) = (seconds(Self.day), seconds(-40 * Self.day))
        try await fixture.store.write { connection in
            let device = try #require(try connection.devices.find(app: 1, client: try client(1)))
            _ = try connection.events.insert(
                try event("a", at: at), device: device.id, app: 1, contact: device.contact, at: at,
                receivedAt: receivedAt
            )
        }
        let expected: [(Condition, [String])] = [
            (Self.clause(), ["anna"]), (Self.clause(within: "P41D"), ["anna"]), (Self.clause(within: "P30D"), []),
        ]
        for (condition, names) in expected {
            let found = try await fixture.audience(condition)
            #expect(found == names, "\(condition)")
        }
    }

    @Test("CAMP-3: opt-in, last open and dates without an offset", arguments: Engine.allCases)
    func states(_ engine: Engine) async throws {
        let people = [
            Person(
                name: "anna", attributes: ["born": .date(seconds(-13 * 3_600))], isOptedIn: true,
                lastOpenedAt: seconds(-29 * Self.day)
            ),
            // Half an hour before midnight in Paris.
            Person(
                name: "bert", attributes: ["born": .date(seconds(-13.5 * 3_600))], lastOpenedAt: seconds(-31 * Self.day)
            ),
            Person(name: "cleo", attributes: [:], isOptedIn: true),
        ]
        let fixture = try await AudienceFixture(engine, schema: ["born": .date], people: people)
        let table: [(Condition, [String])] = [
            (.deviceFact(.pushOptIn, .equal(true)), ["anna", "cleo"]),
            (.deviceFact(.pushOptIn, .notEqual(true)), ["bert"]),
            (.not(.deviceFact(.pushOptIn, .equal(false))), ["anna", "cleo"]),
            (.deviceFact(.lastOpenedAt, .greaterOrEqual("-P30D")), ["anna"]),
            (.deviceFact(.lastOpenedAt, .less("-P30D")), ["bert"]),
            (.deviceFact(.lastOpenedAt, .exists(false)), ["cleo"]),
            (.not(.deviceFact(.lastOpenedAt, .greaterOrEqual("-P30D"))), ["bert", "cleo"]),
            (.attribute("born", .equal("2026-11-21")), ["anna"]),
            (.attribute("born", .equal("2026-11-20")), ["bert"]),
            (.attribute("born", .less("2026-11-21")), ["bert"]),
            (.attribute("born", .lessOrEqual("2026-11-20")), ["bert"]),
            (.attribute("born", .greater("2026-11-20")), ["anna"]),
            (.attribute("born", .notEqual("2026-11-20")), ["anna"]),
            (.attribute("born", .isIn(["2026-11-20", "2026-11-21", "2020-01-01"])), ["anna", "bert"]),
            (.attribute("born", .equal("2026-11-20T23:30")), ["bert"]),
            (.attribute("born", .greater("-PT13H1M")), ["anna"]),
        ]
        for (condition, names) in table {
            let found = try await fixture.audience(condition)
            #expect(found == names, "\(condition)")
        }
    }

    @Test("CAMP-3: a thousand separate days are still one query", arguments: Engine.allCases)
    func manyDays(_ engine: Engine) async throws {
        let people = [Person(name: "anna", attributes: ["born": .date(storeEpoch)])]
        let fixture = try await AudienceFixture(engine, schema: ["born": .date], people: people)
        let days = (1_000..<3_000).map { AttributeValue.string("\($0)-01-01") } + ["2026-11-21"]
        #expect(try await fixture.audience(.attribute("born", .isIn(days))) == ["anna"])
    }
}
