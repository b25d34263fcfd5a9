import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct PartyMatchingTests {
    private static let anna = PartyIdentifier(type: "crm", name: "primary", number: "5f0c-anna")
    private static let bert = PartyIdentifier(type: "crm", name: "primary", number: "91d2-bert")

    private static func register(_ device: inout TestDevice, _ party: PartyIdentifier, key: String? = nil) async throws
    {
        _ = try await device.register {
            $0.partyIdentifier = party
            $0.contactKey = key
        }
        try await device.world.process()
    }

    private static func contact(_ device: TestDevice) async throws -> ContactRow {
        try #require(try await device.world.profile(device).contact)
    }

    @Test("ID-9, REG-22: devices with one party identifier are one contact's, and what they did before goes along")
    func oneContact() async throws {
        let world = try await World()
        var first = try await TestDevice.started(world, 1)
        try await Self.register(&first, Self.anna)
        var second = try await TestDevice.registered(world, 2)
        try await second.track(.test("before"))
        try await Self.register(&second, Self.anna)
        let contact = try await Self.contact(first)
        #expect(contact.party == Self.anna && !contact.known)
        #expect(try await Self.contact(second).id == contact.id)
        // The device still states the reference of the contact that it was linked to.
        try await second.track(.test("after"))
        #expect(try await world.rows("events", where: "contact_id = \(contact.id)") == 2)
        var third = try await TestDevice.started(world, 3)
        try await Self.register(&third, Self.bert)
        #expect(try await Self.contact(third).id != contact.id)
    }

    @Test("ID-9: a party identifier leads to the known contact that has it, and never away from one")
    func known() async throws {
        let world = try await World()
        var first = try await TestDevice.started(world, 1)
        try await Self.register(&first, Self.anna, key: "anna")
        var second = try await TestDevice.started(world, 2)
        try await Self.register(&second, Self.anna)
        #expect(try await second.contactKey == "anna")
        var other = try await TestDevice.started(world, 3)
        try await Self.register(&other, Self.anna, key: "bert")
        try await Self.register(&other, Self.anna)
        #expect(try await other.contactKey == "bert")
    }

    @Test("ID-9, ID-8: when the person becomes known, all that went into the contact goes on with it")
    func becomesKnown() async throws {
        let world = try await World()
        var first = try await TestDevice.started(world, 1)
        try await Self.register(&first, Self.anna)
        var second = try await TestDevice.started(world, 2)
        try await Self.register(&second, Self.anna)
        let late = second
        try await first.identify("anna")
        #expect(try await Self.contact(second).key != "anna", "it has said nothing yet")
        try await Self.register(&first, Self.anna)
        try await Self.register(&second, Self.anna)
        #expect(try await second.contactKey == "anna")
        try await late.track(.test("late"))
        let anna = try await Self.contact(first)
        #expect(anna.key == "anna" && anna.party == Self.anna)
        #expect(try await world.rows("events", where: "contact_id = \(anna.id)") == 1)
        #expect(try await world.contactKeys() == ["anna"])
    }

    @Test("ID-9: another party identifier on an anonymous contact changes it and moves nobody")
    func another() async throws {
        let world = try await World()
        var first = try await TestDevice.started(world, 1)
        try await Self.register(&first, Self.anna)
        var second = try await TestDevice.started(world, 2)
        try await Self.register(&second, Self.bert)
        let before = try await Self.contact(second).id
        try await Self.register(&second, Self.anna)
        let contact = try await Self.contact(second)
        #expect(contact.id == before && contact.party == Self.anna)
    }

    @Test("ID-4, ID-9: after a logout nothing that was said before leads back")
    func logout() async throws {
        let world = try await World()
        var first = try await TestDevice.started(world, 1)
        try await Self.register(&first, Self.anna, key: "anna")
        var second = try await TestDevice.started(world, 2)
        _ = try await second.register { $0.partyIdentifier = Self.anna }
        world.clock.advance(by: 1)
        try await second.linkAnonymously()
        try await world.process()
        #expect(try await second.contactKey?.hasPrefix("anonymous:") == true)
    }

    @Test("ID-3, ID-9: where a stated key makes nobody a contact, a stated party identifier does not either")
    func notStated() async throws {
        var (verified, fielded) = (AppSettings(), AppSettings())
        verified.identity = .verified
        fielded.contactFields = ["email"]
        for settings in [verified, fielded] {
            let world = try await World()
            var first = try await TestDevice.started(world, 1)
            try await Self.register(&first, Self.anna)
            try await world.save(settings)
            var second = try await TestDevice.started(world, 2)
            try await Self.register(&second, Self.anna)
            #expect(try await Self.contact(second).id != Self.contact(first).id)
            #expect(try await Self.contact(second).party == Self.anna, "it is kept all the same")
        }
    }
}
