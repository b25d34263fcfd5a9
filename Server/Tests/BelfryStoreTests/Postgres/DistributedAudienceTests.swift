import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// FLEET-5: on a distributed database an audience is found by lists of contacts, where one server joins devices with their
/// contacts. The stand-in shows that both find the same.
struct DistributedAudienceTests {
    /// What may be asked about an audience.
    private struct Answers: Hashable, Sendable {
        let members: [AudienceMember]
        /// Of a range.
        let some: [AudienceMember]
        let count: Int
        /// By an index; nil if none is worth it.
        let byIndex: Int?
        /// Those of the first devices that belong to it, each asked for alone.
        let alone: [Int64]
        let contacts: [Int64]
        let overlaps: [Int: Int]
        let zones: [String?: Int]
        let recipients: [String]
    }

    private static func answers(
        of condition: Condition, _ other: Condition, in database: any SQLDatabase
    ) async throws -> Answers {
        try await database.ask(.counting(app: 1)) { asked in
            let sql = try asked.connection.audienceSQL(app: 1)
            let audience = try sql.compile(condition)
            let overlapping = try sql.compile(other)
            let candidates = try asked.candidates(sql.candidates(condition))
            let recipients = try asked.recipients(
                after: 0, app: 1, audience: audience, values: [.contactKey, .party(.name), .attribute("city")],
                limit: 20
            )
            return Answers(
                members: try asked.slice(app: 1, audience: audience, devices: 0...Int64.max, limit: .max).members,
                some: try asked.slice(app: 1, audience: audience, devices: 3...25, limit: 7).members,
                count: try asked.count(app: 1, audience: audience),
                byIndex: try candidates.map { try asked.count(app: 1, audience: audience, candidates: $0) },
                alone: try (1...6 as ClosedRange<Int64>).filter { device in
                    try asked.holds(device, app: 1, audience: audience, share: 1)
                },
                contacts: try asked.contacts(
                    app: 1, audience: audience, candidates: candidates, before: .max, limit: 50
                ),
                overlaps: try asked.overlaps(app: 1, audiences: [audience, overlapping]),
                zones: try asked.zones(app: 1, audience: audience),
                recipients: recipients.map { "\($0.device) \($0.values)" }
            )
        }
    }

    private static func fixture(seed: UInt64) async throws -> (fixture: AudienceFixture, dice: AudienceDice) {
        var dice = AudienceDice(seed: seed)
        let people = (0..<30).map { dice.person($0) }
        let fixture = try await AudienceFixture(
            .postgres, schema: AudienceDice.schema, people: people, isRecycled: false
        )
        try await fixture.store.write { connection in
            // One person's second device is dormant.
            let second = try connection.first(
                "SELECT max(id) FROM devices WHERE contact_id IS NOT NULL AND id > ?", [.integer(Int64(people.count))]
            ) { $0.optionalInteger(0) }
            if let device = second ?? nil { try connection.dormantDevices.take([device], app: 1) }
            try CitusStandIn.install(connection)
            try CitusStandIn.placeDevices(connection)
        }
        return (fixture, dice)
    }

    @Test(
        "FLEET-5, CAMP-3: a distributed database finds the same audience by lists, for any predicate",
        arguments: Endurance.seeds(8, brief: 2)
    )
    func sameAudience(seed: UInt64) async throws {
        let made = try await Self.fixture(seed: seed)
        let store = made.fixture.store
        var dice = made.dice
        let entered = try store.another()
        defer { try? entered.close() }
        var chosen = 0
        for _ in 0..<150 {
            let (condition, other) = (dice.condition(depth: 3), dice.condition(depth: 1))
            let expected = try await Self.answers(of: condition, other, in: store.database)
            let found = try await Self.answers(of: condition, other, in: entered.database)
            #expect(found == expected, "\(condition)")
            chosen += expected.members.count
        }
        // Predicates that chose nobody would show nothing.
        #expect(chosen > 500)
    }

    private static let everything: Condition = .all([
        .not(.tag("c")), .not(.party(.number, .equal("31"))),
        .event(EventClause(name: "purchase", count: EventCount(.lessOrEqual, 99))),
    ])

    @Test("FLEET-5, PERF-6: on one server an audience is asked for as before, and no device's contact on its own")
    func plain() async throws {
        let log = StatementLog()
        let plain = try TestStore(.postgres, statements: log)
        try await plain.write { connection in
            _ = try connection.makeApp()
            try connection.attributes.define(try AttributeKey("city"), type: .string, app: 1, now: storeEpoch)
            try connection.makeDevices(3, app: 1)
        }
        _ = try await Self.answers(of: Self.everything, .tag("a"), in: plain.database)
        let asked = log.statements.filter { $0.contains("audience_1 a") }
        let joined = asked.filter { statement in
            statement.contains("EXISTS (SELECT 1 FROM contact_tags t WHERE t.contact_id = a.contact_id AND t.tag = ?)")
        }
        let listed = log.statements.filter { $0.contains("SELECT t.contact_id FROM") || $0.contains("AS person,") }
        let alone = log.statements.filter { $0.hasPrefix("SELECT contact_id FROM audience_") }
        #expect(!asked.isEmpty && !joined.isEmpty && listed.isEmpty && alone.isEmpty)

        let store = try await Self.fixture(seed: 1).fixture.store
        let other = StatementLog()
        let entered = try Engine.postgres.open(at: store.place, statements: other)
        defer { try? entered.close() }
        _ = try await Self.answers(of: Self.everything, .tag("a"), in: entered.database)
        let correlated = other.statements.filter { statement in
            statement.contains("= a.contact_id") || statement.contains("s.person")
                || statement.contains("CROSS JOIN audience_1 p")
        }
        let contact = other.statements.filter { $0 == "SELECT contact_id FROM audience_1 WHERE device_id = ?" }
        #expect(correlated.isEmpty && contact.count == 1)
    }
}
