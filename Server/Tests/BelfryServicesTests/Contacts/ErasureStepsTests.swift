import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("The steps of an erasure")
struct ErasureStepsTests {
    /// What an export and an erasure asked of the store.
    private struct Cost: Equatable {
        let asked: [SQLText: Int]
        let written: [SQLText: Int]
        let textBytes: Int
    }

    /// Whether it removes what leads to a contact, or what it has noted, on a cluster: that is one row for each contact, and
    /// all of them are on their way at once.
    private static func isOfEntries(_ sql: SQLText) -> Bool {
        ["DELETE FROM contact_keys ", "DELETE FROM known_words "].contains { sql.statement.hasPrefix($0) }
    }

    /// A service whose process dies after its first write.
    private static func dying(_ world: ServiceWorld, _ environment: ServerEnvironment? = nil) -> ContactService {
        ContactService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }),
            environment: environment ?? world.environment
        )
    }

    /// Gives a contact a fleet of devices: so many that they take two steps.
    private static func makeGuests(_ world: ServiceWorld, areThere: Bool) async throws {
        _ = try await world.makeFleet(120)
        let (app, now) = (world.app.id, world.clock.now)
        try await world.database.write { connection in
            let guest = try connection.contacts.findOrInsert(app: app, key: "guest", known: true, now: now)
            try connection.execute(
                areThere
                    ? "UPDATE devices SET contact_id = ? WHERE app_id = ? AND push_token IS NOT NULL"
                    : """
                    INSERT INTO former_devices (app_id, contact_id, device_id)
                    SELECT app_id, ?, id FROM devices WHERE app_id = ? AND push_token IS NOT NULL
                    """,
                [.integer(guest), .integer(app)]
            )
        }
    }

    @Test(
        "ADM-4, SEC-8: an export and an erasure take as many statements with a hundred merged contacts as with one",
        arguments: Engine.ofEachRun)
    func statements(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        func cost(of key: String, merged: Int, _ first: Int) async throws -> Cost {
            var own = try await ServiceDevice.started(world, first)
            try await own.identify(key)
            var left = try await ServiceDevice.started(world, first + 1)
            try await left.identify(key)
            world.clock.advance(by: 1)
            try await left.linkAnonymously()
            try await world.mergeContacts(merged, into: key)
            let counting = CountingDatabase(world.database)
            let contacts = ContactService(database: counting, environment: world.environment)
            try await contacts.export(key, app: world.app).forEachPart { _ in }
            let receipt = try await contacts.erase(key, app: world.app)
            #expect(receipt.removed.devices == 1 && receipt.endedAt != nil)
            let written = counting.written.filter { sql, _ in !Self.isOfEntries(sql) }
            // On a cluster each key that goes is named once.
            let keys = TestPostgres.isDistributed ? (1...merged).map { ServiceWorld.keyOfPart($0, of: key) } : []
            let bytes = keys.reduce(0) { $0 + $1.utf8.count }
            return Cost(asked: counting.asked, written: written, textBytes: counting.textBytes - bytes)
        }
        let one = try await cost(of: "ann", merged: 1, 1)
        let hundred = try await cost(of: "bob", merged: 100, 3)
        #expect(hundred.asked == one.asked)
        #expect(hundred.written == one.written)
        // The numbers of the merged contacts are told once: when they are removed.
        #expect(hundred.textBytes - one.textBytes < 3_000, "\(one.textBytes), \(hundred.textBytes)")
    }

    @Test("REG-36, SEC-8: what belongs to no device goes in steps, too; a former key continues an interrupted erasure")
    func mergedContacts() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        try await world.mergeContacts(2_500, into: "ann")
        let ann = try #require(try await device.row.contact)
        _ = try await world.database.write { connection in
            try connection.executeEach(
                "INSERT INTO contact_tags (contact_id, tag, device_id) VALUES (?, ?, 1)",
                (1...1_500).map { [.integer(ann), .text("tag\($0)")] }
            )
        }
        let contacts = try await world.rows("contacts")
        let key = ServiceWorld.keyOfPart(1, of: "ann")
        await #expect(throws: MortalDatabase.Dead.self) { try await Self.dying(world).erase(key, app: world.app) }
        #expect(try await world.rows("devices") == 0)
        #expect(try await world.rows("contacts") == contacts - 1_000)
        #expect(try await world.rows("contact_tags") == 500)
        // Without devices it looks like an orphan, and removed as one it would leave an erasure without an end.
        #expect(await errorCode { try await world.contacts.removeOrphan("ann", app: world.app) } == "conflict")
        let receipt = try await world.contacts.erase(key, app: world.app)
        #expect(receipt.removed.devices == 1 && receipt.endedAt != nil)
        for table in ["contacts", "contact_tags", "contact_links"] {
            #expect(try await world.rows(table) == 0, "\(table)")
        }
        #expect(try await world.rows("erasures") == 1)
    }

    @Test("REG-36, SEC-2: a step takes no further device once it has taken long: each may have said much")
    func slowDevices() async throws {
        let world = try await ServiceWorld()
        for number in 1...5 {
            var device = try await ServiceDevice.started(world, number)
            try await device.identify("ann")
        }
        // One is erased whatever time it takes, and then one after each fifth of a second of half a second.
        await #expect(throws: MortalDatabase.Dead.self) {
            try await Self.dying(world, world.slowEnvironment).erase("ann", app: world.app)
        }
        #expect(try await world.rows("devices") == 2)
        let receipt = try await world.contacts.erase("ann", app: world.app)
        #expect(receipt.removed.devices == 5 && receipt.endedAt != nil)
    }

    @Test("REG-36, SEC-8: a step takes no further device once it has removed many events")
    func manyEvents() async throws {
        let world = try await ServiceWorld()
        for number in 1...2 {
            var device = try await ServiceDevice.started(world, number)
            try await device.identify("ann")
            try await world.giveHistory(device.client, events: 10_000)
        }
        await #expect(throws: MortalDatabase.Dead.self) { try await Self.dying(world).erase("ann", app: world.app) }
        #expect(try await world.rows("devices") == 1)
        #expect(try await world.rows("events") == 10_000)
        let receipt = try await world.contacts.erase("ann", app: world.app)
        #expect(receipt.removed.devices == 2 && receipt.removed.events == 20_000)
        #expect(try await world.rows("contacts") == 0)
    }

    @Test(
        "REG-36, ADM-4: nobody comes to a contact while it is erased in steps, so nobody prolongs it",
        arguments: Engine.ofEachRun)
    func arrivals(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        // The newest devices go first, so this one is there after the first step.
        var member = try await ServiceDevice.started(world, 901)
        try await member.identify("guest")
        var newcomer = try await ServiceDevice.started(world, 902)
        _ = try await ServiceDevice.registered(world, 903, key: "bert")
        try await Self.makeGuests(world, areThere: true)
        await #expect(throws: MortalDatabase.Dead.self) { try await Self.dying(world).erase("guest", app: world.app) }

        let caller = newcomer.caller()
        let guest = try ContactKey("guest")
        let error = await errorCode { try await world.links.identify(guest, field: nil, caller: caller) }
        #expect(error == "tooManyRequests")
        try await member.identify("guest")
        _ = try await newcomer.register { $0.contactKey = "guest" }
        try await world.process()
        #expect(try await newcomer.contactKey?.hasPrefix("anonymous:") == true)
        #expect(try await world.rows("registrations", where: "rejected LIKE '%beingErased%'") == 1)
        #expect(
            await errorCode {
                try await world.contacts.rename("guest", to: "other", field: "to", app: world.app)
            } == "conflict"
        )
        for (from, into) in [("bert", "guest"), ("guest", "bert")] {
            #expect(
                await errorCode {
                    try await world.contacts.merge(from, into: into, field: "into", app: world.app)
                } == "conflict"
            )
        }

        let receipt = try await world.contacts.erase("guest", app: world.app)
        #expect(receipt.removed.devices == 121)
        // It has gone, and whoever asks again makes another one.
        try await newcomer.identify("guest")
        #expect(try await newcomer.contactKey == "guest")
        #expect(try await newcomer.row.contact != receipt.contact)
    }

    @Test("REG-36: an erasure that nobody continues lets devices come to the contact again after an hour")
    func interrupted() async throws {
        let world = try await ServiceWorld()
        var newcomer = try await ServiceDevice.started(world, 901)
        try await Self.makeGuests(world, areThere: true)
        await #expect(throws: MortalDatabase.Dead.self) { try await Self.dying(world).erase("guest", app: world.app) }
        let guest = try ContactKey("guest")
        for seconds in [0, 3_599] as [TimeInterval] {
            world.clock.advance(by: seconds)
            let caller = newcomer.caller()
            let error = await errorCode { try await world.links.identify(guest, field: nil, caller: caller) }
            #expect(error == "tooManyRequests")
        }
        world.clock.advance(by: 2)
        try await newcomer.identify("guest")
        #expect(try await newcomer.contactKey == "guest")
        let receipt = try await world.contacts.erase("guest", app: world.app)
        #expect(receipt.removed.devices == 121)
    }

    @Test("REG-36, ID-7: a late event of a person who is being erased is not kept, though others use the device")
    func lateEvents() async throws {
        let world = try await ServiceWorld()
        var former = try await ServiceDevice.started(world, 901)
        try await former.identify("guest")
        let reference = former.contactReference
        world.clock.advance(by: 1)
        try await former.linkAnonymously()
        try await Self.makeGuests(world, areThere: false)
        await #expect(throws: MortalDatabase.Dead.self) { try await Self.dying(world).erase("guest", app: world.app) }
        // The device was among those of the first step: nobody looks at it again.
        var late = try Event.test("of-guest")
        late.contactReference = reference
        try await former.track(late, .test("own"))
        _ = try await world.contacts.erase("guest", app: world.app)
        #expect(try await world.owners().keys.sorted() == ["own"])
        #expect(try await world.rows("events") == 1)
    }
}
