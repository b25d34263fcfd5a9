import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Contacts into which very many have gone, and which become a part of another one (ADM-5).
@Suite("The parts of a merged contact")
struct MergedPartsTests {
    @Test(
        "ADM-5, SEC-8: what belongs to no device goes along in steps, too; an interrupted merge goes on",
        arguments: Engine.ofEachRun)
    func steps(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("guest")
        var other = try await ServiceDevice.started(world, 2)
        try await other.identify("anna")
        let (guest, anna) = (try #require(try await device.row.contact), try #require(try await other.row.contact))
        try await world.mergeContacts(2_500, into: "guest")
        try await world.database.write { connection in
            // Of devices that are gone.
            _ = try connection.executeEach(
                "INSERT INTO contact_tags (contact_id, tag, device_id) VALUES (?, ?, 1000)",
                (1...1_500).map { [.integer(guest), .text("tag\($0)")] }
            )
            _ = try connection.executeEach(
                "INSERT INTO rich_confirmations (contact_id, campaign_id, device_id, confirmed_at) VALUES (?, 1, ?, 0)",
                (1...1_500).map { [.integer(guest), .integer($0)] }
            )
        }
        let parts = try await world.rows("contacts", where: "merged_into = \(guest)")
        let own = try await world.rows("contacts", where: "merged_into = \(anna)")
        let dying = ContactService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }), environment: world.environment
        )
        await #expect(throws: MortalDatabase.Dead.self) {
            try await dying.merge("guest", into: "anna", field: "into", app: world.app)
        }
        #expect(try await world.rows("contacts", where: "merged_into = \(anna)") == own + 1_000)
        #expect(try await world.rows("contact_tags", where: "contact_id = \(anna)") == 1_000)
        #expect(try await world.rows("rich_confirmations") == 500)
        #expect(try await world.directory.contact("guest", app: world.app).contact.id == guest)
        _ = try await world.contacts.merge("guest", into: "anna", field: "into", app: world.app)
        // The merged one is a part itself.
        #expect(try await world.rows("contacts", where: "merged_into = \(anna)") == own + parts + 1)
        #expect(try await world.rows("contacts", where: "merged_into = \(guest)") == 0)
        #expect(try await world.rows("contact_tags", where: "contact_id = \(anna)") == 1_500)
        #expect(try await world.rows("contact_tags", where: "contact_id = \(guest)") == 0)
        #expect(try await world.rows("rich_confirmations") == 0)
        #expect(try await world.directory.contact("guest", app: world.app).contact.id == anna)
    }

    @Test(
        "ADM-5, SEC-2: a device's message of a merged contact is found, however many others went into the present one",
        arguments: Engine.ofEachRun)
    func messages(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        // More than are looked through, and all before the one that is looked for.
        try await world.mergeContacts(1_500, into: "anna")
        var ann = try await ServiceDevice.started(world, 1)
        try await ann.identify("ann")
        _ = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let inbox = InboxService(database: world.database, keys: world.keys, environment: world.environment)
        let own = try #require(try await inbox.newest(for: ann.authenticated()).value.first)
        _ = try await world.contacts.merge("ann", into: "anna", field: "into", app: world.app)
        let present = try #require(try await inbox.newest(for: ann.authenticated()).value.first)
        #expect(present.id != own.id)
        _ = try await inbox.setState(.deleted, of: own.id.text, reference: nil, for: ann.authenticated())
        #expect(try await inbox.newest(for: ann.authenticated()).value == [])
    }

    @Test(
        "ADM-5, MC-14: the other contact's devices are understood by the id that a merged one's message had, too",
        arguments: Engine.ofEachRun)
    func otherDevices(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var ann = try await ServiceDevice.started(world, 1)
        try await ann.identify("ann")
        var anna = try await ServiceDevice.started(world, 2)
        try await anna.identify("anna")
        _ = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let inbox = InboxService(database: world.database, keys: world.keys, environment: world.environment)
        let former = try #require(try await inbox.newest(for: ann.authenticated()).value.first)
        _ = try await world.contacts.merge("ann", into: "anna", field: "into", app: world.app)
        // This device has never had the contact that the id was made for.
        _ = try await inbox.setState(.deleted, of: former.id.text, reference: nil, for: anna.authenticated())
        #expect(try await inbox.newest(for: anna.authenticated()).value == [])
    }
}
