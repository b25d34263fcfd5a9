import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct SnapshotBoundsTests {
    @Test("REG-22: the last app open is never after its receipt, whatever a fast clock says")
    func lastOpened() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "anna")
        _ = try await device.register { $0.lastOpenedAt = "2036-01-01T00:00:00Z" }
        try await world.process()
        var profile = try await world.profile(device)
        #expect(
            profile.device.lastOpenedAt == ServiceWorld.epoch && profile.contact?.lastOpenedAt == ServiceWorld.epoch)
        world.clock.advance(by: 3_600)
        let opened = world.clock.now
        _ = try await device.register { $0.lastOpenedAt = Timestamp.text(opened) }
        try await world.process()
        profile = try await world.profile(device)
        #expect(profile.device.lastOpenedAt == opened && profile.contact?.lastOpenedAt == opened)
    }

    @Test("REG-9, REG-11: two spellings of a letter are one contact key and one tag")
    func spellings() throws {
        let (composed, decomposed) = ("ren\u{e9}", "rene\u{301}")
        #expect(try ContactKey(decomposed).rawValue.utf8.elementsEqual(composed.utf8))
        #expect(try Tag(decomposed).rawValue.utf8.elementsEqual(composed.utf8))
    }

    @Test("CAMP-3, ADM-2: an audience and an operator find a tag and a contact key in either spelling")
    func foundInEitherSpelling() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        _ = try await device.register {
            $0.contactKey = "rene\u{301}"
            $0.tags = ["rene\u{301}"]
        }
        try await world.process()
        for spelling in ["ren\u{e9}", "rene\u{301}"] {
            for audience in [Condition.tag(spelling), .contactKeys([spelling])] {
                let id = try await world.launch(audience: audience)
                while try await world.planner.planNext() {}
                #expect(try await world.counts(id).audience == 1)
            }
            #expect(try await world.directory.contact(spelling, app: world.app).devices.count == 1)
        }
    }

    @Test("ID-3: another spelling of the proven key in a snapshot creates no unproven contact")
    func provenSpelling() async throws {
        let world = try await ServiceWorld()
        let provider = try TestIdentityProvider()
        var settings = AppSettings()
        settings.identity = .verified
        settings.openID = try provider.settings()
        try await world.save(settings)
        var device = try await ServiceDevice.started(world, 1)
        try await device.prove("ren\u{e9}", by: provider, settings: settings)
        let proven = try await world.profile(device).contact?.id
        world.clock.advance(by: 1)
        _ = try await device.register { $0.contactKey = "rene\u{301}" }
        try await world.process()
        #expect(try await world.profile(device).contact?.id == proven)
        #expect(try await world.rows("contacts", where: "known = 1") == 1)
    }
}
