import BelfryModel
import BelfryServerTestSupport
@testable import BelfryServices
import BelfryStore
import Foundation
import Testing

/// SEC-2: one device may have said hundreds of megabytes, so a step of an erasure takes a limited number of bytes of it.
struct ErasureRoomTests {
    /// Three of these are as much as a step takes.
    private static let text = String(repeating: "x", count: MoveRoom.maximumBytes / 3)

    /// A service whose process dies after its first write.
    private static func dying(_ world: ServiceWorld) -> ContactService {
        ContactService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }), environment: world.environment
        )
    }

    /// Events of a device, of the contact that it has.
    private static func giveLongEvents(_ count: Int, to device: ServiceDevice) async throws {
        let row = try await device.row
        let text = #"{"k":""# + Self.text + #""}"#
        try await device.world.database.write { connection in
            _ = try connection.executeEach(
                """
                INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, attributes)
                VALUES (?, ?, ?, ?, 'custom', 'e', 0, 0, ?)
                """,
                (1...count).map { number in
                    [
                        .integer(row.id), .text("long\(number)"), .integer(row.app), .optional(row.contact),
                        .text(text),
                    ]
                }
            )
        }
    }

    @Test(
        "REG-36, SEC-2: a step removes a limited number of bytes of a device's events; the device is turned away with the first",
        arguments: Engine.ofEachRun)
    func events(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        try await Self.giveLongEvents(7, to: device)
        for left in [4, 1] {
            await #expect(throws: MortalDatabase.Dead.self) {
                try await Self.dying(world).erase("ann", app: world.app)
            }
            #expect(try await world.rows("events") == left)
            #expect(try await world.rows("devices") == 0)
            let error = await errorCode { [device] in try await device.track(.test("late")) }
            #expect(error == "erased")
        }
        let receipt = try await world.contacts.erase("ann", app: world.app)
        #expect(receipt.removed.devices == 1 && receipt.removed.events == 7 && receipt.endedAt != nil)
        for table in ["events", "former_devices", "contacts"] {
            #expect(try await world.rows(table) == 0, "\(table)")
        }
        #expect(try await world.rows("erasures") == 1)
    }

    @Test(
        "REG-36, SEC-2: a step removes a limited number of bytes of what a device has registered",
        arguments: Engine.ofEachRun)
    func registrations(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        for _ in 0..<5 { try await device.say([:], of: "ann") }
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE registrations SET snapshot = ?", [.text(Self.text)])
        }
        await #expect(throws: MortalDatabase.Dead.self) { try await Self.dying(world).erase("ann", app: world.app) }
        #expect(try await world.rows("registrations") == 2)
        #expect(try await world.rows("devices") == 0)
        let receipt = try await world.contacts.erase("ann", app: world.app)
        #expect(receipt.removed.devices == 1 && receipt.endedAt != nil)
        #expect(try await world.rows("registrations") == 0)
        #expect(try await world.rows("contacts") == 0)
    }

    @Test(
        "REG-36, SEC-9: a contact that is being erased is not removed as an empty one, before what its devices said",
        arguments: Engine.ofEachRun)
    func emptyMeanwhile(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        for _ in 0..<5 { try await device.say([:], of: nil) }
        let row = try await device.row
        let contact = try #require(row.contact)
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE registrations SET snapshot = ?", [.text(Self.text)])
        }
        await #expect(throws: MortalDatabase.Dead.self) {
            try await Self.dying(world).erase(.number(contact), app: world.app)
        }
        world.clock.advance(by: Housekeeping.emptyContactAge + 1)
        await world.housekeeping.tidy()
        #expect(try await world.rows("contacts") == 1)
        #expect(try await world.rows("registrations") > 0)
        let receipt = try await world.contacts.erase(.number(contact), app: world.app)
        #expect(receipt.endedAt != nil)
        for table in ["registrations", "former_devices", "contacts"] {
            #expect(try await world.rows(table) == 0, "\(table)")
        }
    }

    @Test(
        "REG-36, SEC-2: of a device that has left a step removes a limited number of bytes, and others' stay",
        arguments: Engine.ofEachRun)
    func formerDevice(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        try await Self.giveLongEvents(4, to: device)
        world.clock.advance(by: 1)
        try await device.identify("bob")
        try await device.track(.test("of-bob"))
        await #expect(throws: MortalDatabase.Dead.self) { try await Self.dying(world).erase("ann", app: world.app) }
        #expect(try await world.rows("events") == 2)
        let receipt = try await world.contacts.erase("ann", app: world.app)
        #expect(receipt.removed.events == 4 && receipt.removed.devices == 0)
        #expect(try await world.owners() == ["of-bob": "bob"])
    }

    @Test(
        "REG-36, SEC-2: of what waits of a device that has left a step looks through a limited number of bytes",
        arguments: Engine.ofEachRun)
    func waiting(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        world.clock.advance(by: 1)
        try await device.identify("bob")
        // A step looks through two of these.
        let text = String(repeating: "x", count: RegistrationRepository.maximumSnapshotBytes / 2)
        for _ in 0..<5 {
            try await device.register {
                $0.contactKey = "ann"
                $0.attributes = ["bio": .string(text)]
            }
        }
        let named = #"status = 'received' AND snapshot LIKE '%"ann"%'"#
        await #expect(throws: MortalDatabase.Dead.self) { try await Self.dying(world).erase("ann", app: world.app) }
        #expect(try await world.rows("registrations", where: named) == 3)
        let receipt = try await world.contacts.erase("ann", app: world.app)
        #expect(receipt.endedAt != nil)
        #expect(try await world.rows("registrations", where: named) == 0)
        #expect(try await world.rows("registrations", where: "status = 'received'") == 5)
    }

    @Test("REG-36, SEC-2: a step looks through a limited number of events for those of a person who has left")
    func search() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        // Behind all others, in the order of their ids.
        try await device.track(.test("z"))
        world.clock.advance(by: 1)
        try await device.identify("bob")
        let others = 2 * EventMoveRepository.movedAtOnce + 1
        try await world.giveHistory(device.client, events: others)
        await #expect(throws: MortalDatabase.Dead.self) { try await Self.dying(world).erase("ann", app: world.app) }
        #expect(try await world.rows("events") == others + 1)
        let receipt = try await world.contacts.erase("ann", app: world.app)
        #expect(receipt.removed.events == 1 && receipt.endedAt != nil)
        #expect(try await world.rows("events") == others)
    }

    @Test(
        "REG-36, SEC-2: a step removes a limited number of bytes of a person's messages, the contact with the last of them",
        arguments: Engine.ofEachRun)
    func messages(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        let ann = try #require(try await device.row.contact)
        let app = world.app.id
        try await world.database.write { connection in
            _ = try connection.executeEach(
                """
                INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, state, body,
                    rich_html)
                VALUES (?, 'c', 0, ?, ?, '', 'unread', '{}', ?)
                """,
                (1...4 as ClosedRange<Int64>).map { [.integer(ann), .integer($0), .integer(app), .text(Self.text)] }
            )
        }
        await #expect(throws: MortalDatabase.Dead.self) { try await Self.dying(world).erase("ann", app: world.app) }
        #expect(try await world.rows("center_messages") == 1)
        #expect(try await world.rows("devices") == 0)
        let receipt = try await world.contacts.erase("ann", app: world.app)
        #expect(receipt.removed.messages == 4 && receipt.endedAt != nil)
        #expect(try await world.rows("center_messages") == 0)
    }
}
