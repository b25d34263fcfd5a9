import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Synchronization
import Testing

/// SEC-9: what one address may make much of holds the writer for a limited time, and the rest follows.
struct ContactFollowerTests {
    private static let events = EventMoveRepository.movedAtOnce + 1_500

    /// What an engine meets wherever it looks, until it is mended.
    private final class Damage: Sendable {
        private struct Found: Error {}

        let isMended = Mutex(false)

        func meet() throws {
            guard isMended.withLock({ $0 }) else { throw Found() }
        }
    }

    /// A phone with a long anonymous history whose person has just logged in.
    private static func loggedIn(_ world: ServiceWorld) async throws -> ServiceDevice {
        var phone = try await ServiceDevice.started(world, 1)
        try await world.giveHistory(phone.client, events: events)
        try await phone.identify("anna")
        return phone
    }

    @Test("SEC-9, ID-8: a login looks through a limited number of events; the others go along in the background")
    func login() async throws {
        let world = try await ServiceWorld()
        _ = try await Self.loggedIn(world)
        #expect(try await world.events(of: "anna") == EventMoveRepository.movedAtOnce)
        try await world.followContacts()
        #expect(try await world.events(of: "anna") == Self.events)
    }

    @Test("SEC-9, SEC-2, ID-8: a login moves a limited number of bytes of events, however few they are")
    func longEvents() async throws {
        let world = try await ServiceWorld()
        var phone = try await ServiceDevice.started(world, 1)
        try await world.giveHistory(phone.client, events: 200)
        let text = #"{"k":""# + String(repeating: "x", count: 60 << 10) + #""}"#
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE events SET attributes = ?", [.text(text)])
        }
        try await phone.identify("anna")
        let atOnce = (MoveRoom.maximumBytes + text.utf8.count - 1) / text.utf8.count
        #expect(atOnce < 200)
        #expect(try await world.events(of: "anna") == atOnce)
        try await world.followContacts()
        #expect(try await world.events(of: "anna") == 200)
    }

    @Test("SEC-9, ID-7: events on their way stay that person's when somebody else logs in meanwhile")
    func nextPerson() async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.loggedIn(world)
        try await phone.identify("bert")
        try await world.followContacts()
        #expect(try await world.events(of: "anna") == Self.events)
        #expect(try await world.events(of: "bert") == 0)
    }

    @Test("SEC-9, ID-8: whoever logs in and out again and again keeps nobody else's events waiting")
    func manyLogins() async throws {
        let world = try await ServiceWorld()
        var busy = try await ServiceDevice.started(world, 2)
        try await world.giveHistory(busy.client, events: Self.events)
        // More than a turn has pages.
        for _ in 0..<30 {
            try await busy.identify("bert")
            try await busy.linkAnonymously()
        }
        #expect(try await world.rows("event_moves") == 30)
        _ = try await Self.loggedIn(world)
        #expect(try await world.events(of: "anna") == EventMoveRepository.movedAtOnce)
        let follower = world.makeFollower()
        var place = ContactFollower.Place()
        try await follower.turn(from: &place)
        #expect(try await world.events(of: "anna") == Self.events)
        try await world.followContacts()
        #expect(try await world.events(of: "bert") == Self.events)
    }

    @Test("REG-36: an erasure removes what is on its way to the person", arguments: [false, true])
    func erasure(hasLeft: Bool) async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.loggedIn(world)
        if hasLeft { try await phone.identify("bert") }
        let receipt = try await world.contacts.erase("anna", app: world.app)
        #expect(receipt.removed.events == Self.events)
        #expect(try await world.rows("events") == 0)
        #expect(try await world.rows("event_moves") == 0)
    }

    @Test("REG-36, ID-8: an erasure of a shared anonymous contact leaves what a login has claimed of it")
    func erasureOfSource() async throws {
        let world = try await ServiceWorld()
        var phone = try await ServiceDevice.started(world, 1)
        let other = try await ServiceDevice.started(world, 2)
        let (shared, number) = (try await phone.row.contact, try await other.row.id)
        try await world.database.write { connection in
            guard var row = try connection.devices.find(id: number) else { return }
            row.contact = shared
            try connection.devices.save(row)
        }
        let common = try #require(try await phone.contactKey)
        try await world.giveHistory(phone.client, events: Self.events)
        try await phone.identify("anna")
        #expect(try await world.events(of: "anna") == EventMoveRepository.movedAtOnce)
        let removed = try await world.contacts.erase(common, app: world.app).removed
        #expect(removed.devices == 1 && removed.events == 0)
        try await world.followContacts()
        #expect(try await world.events(of: "anna") == Self.events)
    }

    @Test("SEC-8, SEC-9: a contact that cannot be read holds no events up")
    func unreadable() async throws {
        let world = try await ServiceWorld()
        _ = try await Self.loggedIn(world)
        try await world.makeUnreadableFollowing()
        let follower = world.makeFollower()
        var place = ContactFollower.Place()
        for _ in 0..<2 { try await follower.turn(from: &place) }
        #expect(try await world.events(of: "anna") == Self.events)
        #expect(try await world.rows("contact_followings") == 1, "it is tried again")
    }

    @Test("SEC-8: a contact that cannot be read is told of once, and rests ever longer until it can be followed")
    func rests() async throws {
        let world = try await ServiceWorld()
        try await world.makeUnreadableFollowing()
        let follower = world.makeFollower()
        var place = ContactFollower.Place()
        // It fails at once and after a minute, and rests for two minutes then.
        for _ in 0..<120 {
            try await follower.turn(from: &place)
            world.clock.advance(by: 1)
        }
        #expect(world.log.entries.filter { "\($0.message)".contains("cannot be followed") }.count == 1)
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE contacts SET attributes = '{}' WHERE contact_key = 'bert'")
        }
        try await follower.turn(from: &place)
        #expect(try await world.rows("contact_followings") == 1, "it rests")
        world.clock.advance(by: 60)
        try await follower.turn(from: &place)
        #expect(try await world.rows("contact_followings") == 0)
        #expect(world.log.entries.filter { "\($0.message)".contains("can be followed again") }.count == 1)
    }

    @Test("SEC-8: a database that fails is told of once and counts against nobody; all goes on once it works again")
    func brokenDatabase() async throws {
        let world = try await ServiceWorld()
        _ = try await Self.loggedIn(world)
        try await world.makeFollowing(of: "bert", number: 3)
        let damage = Damage()
        let faulty = FaultyDatabase(world.database) { _ in try damage.meet() }
        let follower = world.makeFollower(faulty)
        var place = ContactFollower.Place()
        for _ in 0..<120 {
            try await follower.turn(from: &place)
            world.clock.advance(by: 1)
        }
        func logged(_ words: String) -> Int { world.log.entries.filter { "\($0.message)".contains(words) }.count }
        #expect(logged("cannot be followed") == 1 && faulty.count > 120)
        damage.isMended.withLock { $0 = true }
        try await follower.turn(from: &place)
        #expect(try await world.rows("contact_followings") == 0)
        #expect(try await world.events(of: "anna") == Self.events)
        #expect(logged("followed again") == 0)
        world.clock.advance(by: 5)
        try await follower.turn(from: &place)
        #expect(logged("followed again") == 1)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-9, ADM-5: events on their way go on to the contact that their person became a part of")
    func merged() async throws {
        let world = try await ServiceWorld()
        _ = try await Self.loggedIn(world)
        let other = try await ServiceDevice.registered(world, 2, key: "ann")
        _ = try await world.contacts.merge("anna", into: "ann", field: "into", app: world.app)
        try await world.followContacts()
        #expect(try await world.events(of: "ann") == Self.events)
        #expect(try await other.contactKey == "ann")
    }

    @Test("SEC-9, CAMP-3: audiences find the last of very many devices by their contact's values")
    func audience() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let count = AudienceRepository.maximumRows + 1
        var phone = try ServiceDevice(world, 1)
        for number in 1...count {
            phone = try await ServiceDevice.started(world, number)
            try await phone.identify("anna")
        }
        try await phone.tell(["city": "Oslo"])
        let audience = Condition.attribute("city", .equal("Oslo"))
        #expect(try await world.campaigns.audiences.count(audience, app: world.app) == 0)
        try await world.followContacts()
        // A count is shared for a while.
        world.clock.advance(by: 60)
        #expect(try await world.campaigns.audiences.count(audience, app: world.app) == count)
        try await world.expectExactAudience()
    }

    @Test("SEC-9, REG-24: a device is looked through for events up to a limit; with more there is no orphan")
    func orphans() async throws {
        let world = try await ServiceWorld()
        for (number, key) in ["few", "many"].enumerated() {
            var device = try await ServiceDevice.started(world, number + 1)
            for name in [key, "elsewhere"] { try await device.identify(name) }
            try await world.giveHistory(device.client, events: OrphanedContactRepository.maximumEvents + number)
        }
        #expect(try await world.contactKeys(orphaned: true) == ["few"])
        do {
            _ = try await world.contacts.removeOrphan("many", app: world.app)
            Issue.record("it was removed")
        } catch ServiceError.conflict(_, let message) {
            #expect(message.contains("erasure"), "\(message)")
        }
        _ = try await world.contacts.removeOrphan("few", app: world.app)
        _ = try await world.contacts.erase("many", app: world.app)
        #expect(try await world.contactKeys() == ["elsewhere"])
    }
}

extension ServiceWorld {
    /// A device's contact, whose row cannot be read, is to be followed.
    fileprivate func makeUnreadableFollowing() async throws {
        try await makeFollowing(of: "bert", number: 2)
        try await database.write { connection in
            _ = try connection.execute("UPDATE contacts SET attributes = 'none' WHERE contact_key = 'bert'")
        }
    }

    /// Until nothing is behind.
    func followContacts() async throws {
        let follower = makeFollower()
        var place = ContactFollower.Place()
        for _ in 0..<9 { try await follower.turn(from: &place) }
        #expect(try await rows("contact_followings") == 0)
        #expect(try await rows("event_moves") == 0)
        #expect(try await rows("work_attempts") == 0)
    }

    fileprivate func events(of key: String) async throws -> Int {
        let contact = try await directory.contact(key, app: app).contact.id
        return try await rows("events", where: "contact_id = \(contact)")
    }
}
