import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// SEC-9: anonymous contacts that nothing is known of do not stay for good.
@Suite("Empty contacts")
struct EmptyContactTests {
    @Test("SEC-9: an empty anonymous contact is removed with its installation; one with a history stays")
    func withItsInstallation() async throws {
        let world = try await ServiceWorld()
        let empty = try await ServiceDevice.started(world, 1)
        let full = try await ServiceDevice.started(world, 2)
        try await full.track(.test("e1"))
        let key = try #require(try await full.contactKey)
        for device in [empty, full] { try await world.links.revoke(device.client.rawValue, app: world.app) }
        #expect(try await world.contactKeys() == [key])
        #expect(try await world.owners() == ["e1": key])
    }

    @Test("SEC-9, ID-4: a contact after a logout stays for 90 days, because events may still arrive")
    func housekeeping() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var phone = try await ServiceDevice.started(world, 1)
        func leave() async throws -> String {
            let key = try #require(try await phone.contactKey)
            let caller = phone.caller()
            phone.keep(try await world.links.linkAnonymously(caller, isFresh: true))
            return key
        }
        let empty = try await leave()
        let queued = phone.contactReference
        let late = try await leave()
        try await phone.tell(["city": "Oslo"])
        let described = try await leave()
        try await phone.tell([:], tags: ["news"])
        let tagged = try await leave()
        try await phone.track(.test("e1"))
        let active = try await leave()
        let present = try #require(try await phone.contactKey)
        await world.housekeeping.tidy()
        #expect(Set(try await world.contactKeys()) == [empty, late, described, tagged, active, present])
        var event = try Event.test("late")
        event.contactReference = queued
        try await phone.track(event)
        #expect(try await world.owners()["late"] == late)
        world.clock.advance(by: 91 * 86_400)
        await world.housekeeping.tidy()
        #expect(Set(try await world.contactKeys()) == [late, described, tagged, active, present])
        #expect(try await world.rows("former_devices") == 4)
    }

    @Test("SEC-8, SEC-9: of a device with very many events nobody looks through all of them: what it has left stays")
    func manyEvents() async throws {
        let world = try await ServiceWorld()
        var left: [String] = []
        for (number, events) in [0, 1].enumerated() {
            var phone = try await ServiceDevice.started(world, number + 1)
            left.append(try #require(try await phone.contactKey))
            let caller = phone.caller()
            phone.keep(try await world.links.linkAnonymously(caller, isFresh: true))
            try await world.giveHistory(phone.client, events: OrphanedContactRepository.maximumEvents + events)
        }
        world.clock.advance(by: 91 * 86_400)
        await world.housekeeping.tidy()
        let keys = try await world.contactKeys()
        #expect(!keys.contains(left[0]) && keys.contains(left[1]))
    }
}
