import BelfryModel
import BelfryServerTestSupport
@testable import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What a device says to its contact is a value, and what the contact makes of it is decided without a database.
struct ContactWordTests {
    private static let now = ServiceWorld.epoch

    private static func contact(_ key: String, in world: ServiceWorld) async throws -> ContactRow {
        let app = world.app.id
        let row = try await world.database.write { connection in
            let id = try connection.contacts.findOrInsert(app: app, key: key, known: true, now: now)
            return try connection.contacts.find(id: id)
        }
        return try #require(row)
    }

    private static func word(
        to contact: ContactRow, attributes: [AttributeKey: AttributeValue] = [:],
        after said: [String: AttributeValue] = [:],
        party: PartyIdentifier? = nil, openedAt: Date? = nil
    ) -> ContactWord {
        ContactWord(
            device: 1, contact: contact.id, arrival: nil, attributes: AttributeChanges(from: said, to: attributes),
            party: party, lastOpenedAt: openedAt, tags: nil, saidAt: now
        )
    }

    @Test("REG-28: a contact that has heard a word has what is new in it, and keeps the rest")
    func news() async throws {
        let world = try await ServiceWorld()
        var contact = try await Self.contact("anna", in: world)
        contact.attributes = ["city": "Rome", "age": 31, "vip": true]
        contact.lastOpenedAt = Self.now
        let (city, age, vip) = (try AttributeKey("city"), try AttributeKey("age"), try AttributeKey("vip"))
        let word = Self.word(
            to: contact, attributes: [city: "Paris", age: 32, vip: ""], after: ["city": "Paris"],
            openedAt: Self.now.addingTimeInterval(-1)
        )
        var expected = contact
        expected.attributes = ["city": "Rome", "age": 32]
        #expect(word.applied(to: contact) == expected)
        let later = Self.word(to: contact, openedAt: Self.now.addingTimeInterval(1))
        #expect(later.applied(to: contact).lastOpenedAt == Self.now.addingTimeInterval(1))
        #expect(Self.word(to: contact).applied(to: contact) == contact)
    }

    @Test("ID-9: a party identifier describes a contact, but none that it names")
    func party() async throws {
        let world = try await ServiceWorld()
        let (first, second) = (
            PartyIdentifier(type: "crm", name: "main", number: "1"),
            PartyIdentifier(type: "crm", name: "main", number: "2")
        )
        var described = try await Self.contact("anna", in: world)
        described.party = first
        #expect(Self.word(to: described, party: second).applied(to: described).party == second)
        #expect(Self.word(to: described).applied(to: described).party == first)
        var named = try await Self.contact("party:crm:main:1", in: world)
        named.party = first
        #expect(Self.word(to: named, party: second).applied(to: named).party == first)
    }

    @Test(
        "FLEET-5, ID-8: a device that comes to a contact changes only what lies beside devices; the contacts hear of it later",
        arguments: Engine.allCases)
    func parts(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let device = try await ServiceDevice.started(world, 1)
        let (row, known) = (try await device.row, try await Self.contact("anna", in: world))
        let former = try #require(row.contact)
        let counting = CountingDatabase(world.database)
        let arrival = try await counting.write { connection in
            var changed = row
            let arrival = try ContactChange(connection: connection, now: Self.now).give(
                known.id, to: &changed, by: .linked
            )
            try connection.devices.save(changed)
            return arrival
        }
        let changed = Set(counting.written.keys.compactMap(Self.table(changedBy:)))
        #expect(changed.contains("contact_links") && changed.contains("devices"))
        for table in changed {
            let place = try #require(Distribution.place(of: table), "\(table)")
            guard case .distributed(by: .device, column: _) = place else {
                Issue.record("\(table)")
                continue
            }
        }
        let told = try #require(arrival)
        #expect(told.left?.contact == former && told.left?.history?.isWhole == true)
        let before = try await world.database.read { try $0.contacts.surviving(former) }
        #expect(before == former)
        let after = try await world.database.write { connection in
            try ContactArriving(connection: connection, now: Self.now).apply(told)
            return try connection.contacts.surviving(former)
        }
        #expect(after == known.id)
    }

    private static func table(changedBy sql: SQLText) -> String? {
        let words = sql.statement.split(whereSeparator: \.isWhitespace)
        guard let verb = words.first, ["INSERT", "UPDATE", "DELETE"].contains(verb) else { return nil }
        return words.dropFirst(verb == "UPDATE" ? 1 : 2).first.map(String.init)
    }
}
