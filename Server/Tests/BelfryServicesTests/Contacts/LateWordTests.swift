import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Late reports about an erased person from a device that others use now.
struct LateWordTests {
    @Test("REG-36, ID-7: events of an erased person on a shared phone are accepted, and not kept")
    func events() async throws {
        let world = try await ServiceWorld()
        var phone = try await ServiceDevice.started(world, 1)
        var references = [phone.contactReference]
        try await phone.identify("anna")
        references.append(phone.contactReference)
        world.clock.advance(by: 1)
        try await phone.identify("bob")
        _ = try await world.contacts.erase("anna", app: world.app)
        for (number, reference) in references.enumerated() {
            var late = try Event.test("of-anna-\(number)")
            late.contactReference = reference
            try await phone.track(late, .test("of-bob-\(number)"))
        }
        #expect(try await world.owners() == ["of-bob-0": "bob", "of-bob-1": "bob"])
        #expect(try await world.rows("events") == 2)
    }

    @Test("REG-36: a waiting registration keeps its device values, and loses those of the erased person")
    func waitingRegistration() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var phone = try await ServiceDevice.started(world, 1)
        try await phone.identify("anna")
        for key in ["anna", nil] {
            _ = try await phone.register {
                $0.contactKey = key
                $0.partyIdentifier = PartyIdentifier(type: "email", name: "primary", number: "anna@example.com")
                $0.attributes = ["city": "anna's town"]
                $0.tags = ["anna's tag"]
                $0.pushToken = "token1"
            }
        }
        world.clock.advance(by: 1)
        try await phone.identify("bob")
        _ = try await phone.register { $0.attributes = ["city": "Oslo"] }
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await world.rows("registrations", where: "snapshot LIKE '%anna%'") == 0)
        try await world.process()
        let profile = try await world.profile(phone)
        #expect(profile.contact?.key == "bob" && profile.contact?.attributes == ["city": "Oslo"])
        #expect(profile.device.pushToken?.value == "token1" && profile.device.revision == 3)
        #expect(try await world.contactKeys() == ["bob"])
    }

    @Test("REG-36: a registration that waits under the erased person's key says nothing of them any more")
    func waitingUnderTheirKey() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var phone = try await ServiceDevice.started(world, 1)
        try await phone.identify("anna")
        world.clock.advance(by: 1)
        try await phone.identify("bob")
        _ = try await phone.register {
            $0.contactKey = "anna"
            $0.attributes = ["city": "anna's town"]
            $0.tags = ["anna's tag"]
            $0.pushToken = "token1"
        }
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await world.rows("registrations", where: "status = 'received'") == 1)
        #expect(try await world.rows("registrations", where: "snapshot LIKE '%anna%'") == 0)
        try await world.process()
        let profile = try await world.profile(phone)
        #expect(profile.contact?.key == "bob" && profile.contact?.attributes == [:])
        #expect(profile.device.pushToken?.value == "token1")
        #expect(try await world.contactKeys() == ["bob"])
    }
}
