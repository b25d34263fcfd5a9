import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What becomes of the messages in the inbox of an installation whose contact a new one takes over.
extension ReinstallationTests {
    @Test("REG-23, MC-15: the inbox of the former installation goes along")
    func inbox() async throws {
        let world = try await ServiceWorld()
        let old = try await ServiceDevice.registered(world, 1, token: "token1")
        _ = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        #expect(try await world.inbox(old).count == 1)
        world.clock.advance(by: 60)
        var new = try await ServiceDevice.started(world, 2)
        try await new.putToken("token1")
        let nonce = try #require(try await nonce(world))
        #expect(try await world.inbox(new).isEmpty)
        new.keep(try await world.links.takeBack(nonce, caller: new.caller()))
        #expect(try await world.inbox(new).count == 1)
        #expect(try await world.inbox(old).isEmpty)
    }

    @Test("REG-23, REG-24: a contact of which nobody has said anything goes along as well, and is not removed as empty")
    func blankContact() async throws {
        let world = try await ServiceWorld()
        let old = try await ServiceDevice.registered(world, 1, token: "token1")
        let contact = try #require(try await old.row.contact)
        world.clock.advance(by: 60)
        var new = try await ServiceDevice.started(world, 2)
        try await new.putToken("token1")
        let nonce = try #require(try await nonce(world))
        new.keep(try await world.links.takeBack(nonce, caller: new.caller()))
        #expect(try await new.row.contact == contact)
        #expect(try await world.rows("contacts", where: "id = \(contact)") == 1)
    }

    /// Five messages in an installation's inbox, of which a transaction takes three.
    private func giveLongMessages(to device: Int64, _ world: ServiceWorld) async throws {
        let (app, text) = (world.app.id, String(repeating: "x", count: MoveRoom.maximumBytes / 3))
        try await world.database.write { connection in
            _ = try connection.executeEach(
                """
                INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, state, body,
                    rich_html)
                VALUES (?, 'c', 0, ?, ?, '', 'unread', '{}', ?)
                """,
                (1...5 as ClosedRange<Int64>).map { [.integer(-device), .integer($0), .integer(app), .text(text)] }
            )
        }
    }

    private func messages(of device: Int64, _ world: ServiceWorld) async throws -> Int {
        try await world.rows("center_messages", where: "contact_id = -\(device)")
    }

    /// An installation with a long inbox, and a new one that has just taken its contact over.
    private func takenOver(_ world: ServiceWorld) async throws -> (old: Int64, new: ServiceDevice) {
        var (old, new) = try await reinstalled(world)
        let former = try await old.row.id
        try await giveLongMessages(to: former, world)
        let nonce = try #require(try await nonce(world))
        new.keep(try await world.links.takeBack(nonce, caller: new.caller()))
        return (former, new)
    }

    @Test(
        "REG-23, MC-15, SEC-9: of a long inbox a limited number of bytes goes along at once, the rest in the background"
    )
    func longInbox() async throws {
        let world = try await ServiceWorld()
        let (former, new) = try await takenOver(world)
        let present = try await new.row.id
        #expect(try await messages(of: present, world) == 3)
        #expect(try await messages(of: former, world) == 2)
        // The newest first.
        #expect(
            try await world.rows("center_messages", where: "contact_id = -\(present) AND campaign_id > 2") == 3
        )
        try await world.followContacts()
        #expect(try await messages(of: present, world) == 5)
        #expect(try await world.rows("center_messages") == 5)
    }

    /// One more installation that has taken the contact over.
    private func follower(_ number: Int, _ world: ServiceWorld) async throws -> ServiceDevice {
        world.clock.advance(by: 3_600)
        var device = try await ServiceDevice.started(world, number)
        try await device.putToken("token1")
        let nonce = try #require(try await nonce(world))
        device.keep(try await world.links.takeBack(nonce, caller: device.caller()))
        return device
    }

    @Test(
        "REG-23, MC-15, SEC-9: the rest of an inbox goes on to the installations that follow meanwhile",
        arguments: [3...3, 3...5])
    func inboxOfFollowers(_ numbers: ClosedRange<Int>) async throws {
        let world = try await ServiceWorld()
        let (former, second) = try await takenOver(world)
        let contact = try await second.row.contact
        var last = second
        for number in numbers {
            last = try await follower(number, world)
            // The first installation is not looked through meanwhile.
            #expect(try await messages(of: former, world) == 2)
        }
        let present = try await last.row.id
        #expect(try await last.row.contact == contact)
        try await world.followContacts()
        #expect(try await messages(of: present, world) == 5)
        #expect(try await world.rows("center_messages") == 5)
    }

    @Test("REG-23, SEC-10: what a new user of an ended row was sent does not go to the heir of the installation before")
    func inboxOfNewUser() async throws {
        let world = try await ServiceWorld()
        let (former, new) = try await takenOver(world)
        let heir = try await new.row.id
        // As a program of the version before may do.
        try await world.database.write { connection in
            guard var row = try connection.devices.find(id: former) else { return }
            row.contact = try connection.contacts.findOrInsert(
                app: row.app, key: "bert", known: true, now: ServiceWorld.epoch
            )
            try connection.devices.save(row)
        }
        try await world.links.revoke(ServiceDevice(world, 1).client.rawValue, app: world.app)
        try await world.followContacts()
        #expect(try await messages(of: former, world) == 0)
        #expect(try await messages(of: heir, world) == 3)
    }

    @Test("REG-23, SEC-10: the rest of an inbox goes to nobody once the installation that took it over is revoked")
    func inboxOfRevoked() async throws {
        let world = try await ServiceWorld()
        let (former, new) = try await takenOver(world)
        try await world.links.revoke(new.client.rawValue, app: world.app)
        #expect(try await messages(of: former, world) == 2)
        try await world.followContacts()
        #expect(try await world.rows("center_messages") == 0)
    }

    @Test("REG-23, SEC-10: a revocation of the installation that was taken over takes no message from its heir")
    func revokedTwice() async throws {
        let world = try await ServiceWorld()
        let (former, new) = try await takenOver(world)
        try await world.links.revoke(ServiceDevice(world, 1).client.rawValue, app: world.app)
        try await world.followContacts()
        #expect(try await messages(of: former, world) == 0)
        #expect(try await messages(of: new.row.id, world) == 5)
    }

    @Test("MC-15, SEC-9: what was made from somebody else's values does not go along")
    func foreignInbox() async throws {
        let world = try await ServiceWorld()
        let (former, new) = try await takenOver(world)
        try await world.database.write { connection in
            _ = try connection.execute(
                "UPDATE center_messages SET made_from = 99 WHERE contact_id = ? AND campaign_id = 1",
                [.integer(-former)]
            )
        }
        try await world.followContacts()
        #expect(try await messages(of: new.row.id, world) == 4)
        #expect(try await world.rows("center_messages") == 4)
    }

    @Test(
        "REG-23, SEC-10: what is left in the inbox of an earlier installation that was revoked meanwhile goes to nobody"
    )
    func revokedMeanwhile() async throws {
        let world = try await ServiceWorld()
        var (old, new) = try await reinstalled(world)
        let nonce = try #require(try await nonce(world))
        let key = try await old.contactKey
        let (former, present) = try await (old.row.id, new.row.id)
        try await giveLongMessages(to: former, world)
        try await world.links.revoke(old.client.rawValue, app: world.app)
        #expect(try await world.rows("center_messages", where: "contact_id = -\(former)") == 2)
        new.keep(try await world.links.takeBack(nonce, caller: new.caller()))
        #expect(try await new.contactKey == key)
        #expect(try await world.rows("center_messages", where: "contact_id = -\(present)") == 0)
        try await world.followContacts()
        #expect(try await world.rows("center_messages") == 0)
    }
}
