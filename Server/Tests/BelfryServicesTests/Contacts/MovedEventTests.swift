import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Synchronization
import Testing

/// SEC-9: what a device sends for a contact while its events of that contact are on their way to another one.
struct MovedEventTests {
    /// More than go along at once; their ids begin with `h`.
    private static let events = EventMoveRepository.movedAtOnce + 1_500

    /// A phone with a long history under an anonymous contact that another device shares, whose person has just logged
    /// in; and the reference of the anonymous contact.
    private static func loggedIn(_ world: ServiceWorld) async throws -> (phone: ServiceDevice, reference: String) {
        var phone = try await ServiceDevice.started(world, 1)
        let other = try await ServiceDevice.started(world, 2)
        let (shared, number) = (try await phone.row.contact, try await other.row.id)
        try await world.database.write { connection in
            guard var row = try connection.devices.find(id: number) else { return }
            row.contact = shared
            try connection.devices.save(row)
        }
        try await world.giveHistory(phone.client, events: events)
        let reference = try #require(phone.contactReference)
        try await phone.identify("anna")
        return (phone, reference)
    }

    private static func track(_ id: String, of reference: String, on phone: ServiceDevice) async throws {
        var event = try Event.test(id)
        event.contactReference = reference
        try await phone.track(event)
    }

    private static func events(of key: String, _ world: ServiceWorld) async throws -> Int {
        let contact = try await world.directory.contact(key, app: world.app).contact.id
        return try await world.rows("events", where: "contact_id = \(contact)")
    }

    @Test(
        "SEC-9, ID-8: what comes late for a contact whose events are on their way goes along, whatever its id",
        arguments: Engine.ofEachRun)
    func late(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let (phone, reference) = try await Self.loggedIn(world)
        #expect(try await world.rows("event_moves") == 1)
        // Before and behind all others, in the order of the ids.
        for id in ["a", "z"] { try await Self.track(id, of: reference, on: phone) }
        #expect(try await Self.events(of: "anna", world) == EventMoveRepository.movedAtOnce + 2)
        try await world.followContacts()
        #expect(try await Self.events(of: "anna", world) == Self.events + 2)
        #expect(try await world.rows("events") == Self.events + 2)
    }

    @Test("SEC-9, ID-8: a login looks once through what it moves, and the rest is not looked through anew")
    func once() async throws {
        let world = try await ServiceWorld()
        var phone = try await ServiceDevice.started(world, 1)
        try await world.giveHistory(phone.client, events: Self.events)
        try await phone.identify("anna")
        #expect(try await world.rows("event_moves", where: "after_event <> ''") == 1)
        try await world.followContacts()
        #expect(try await Self.events(of: "anna", world) == Self.events)
    }

    @Test(
        "SEC-9, REG-36: what comes late for a contact is not kept if the person to whom its events went is being erased"
    )
    func erased() async throws {
        let world = try await ServiceWorld()
        let (loggedIn, reference) = try await Self.loggedIn(world)
        var phone = loggedIn
        try await phone.identify("bert")
        let dying = ContactService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }), environment: world.environment
        )
        await #expect(throws: MortalDatabase.Dead.self) { try await dying.erase("anna", app: world.app) }
        let before = try await world.rows("events")
        try await Self.track("a", of: reference, on: phone)
        #expect(try await world.rows("events") == before)
    }

    @Test("FLEET-5, REG-36: on a distributed database an upload holds the person to whom its late events go")
    func held() async throws {
        let world = try await ServiceWorld(.postgres, isRecycled: false)
        let (loggedIn, reference) = try await Self.loggedIn(world)
        var phone = loggedIn
        try await phone.identify("bert")
        let entered = try await world.enterDistributed()
        defer { try? entered.close() }
        let held = Mutex<[Int64]>([])
        let watched = MortalDatabase(
            entered.database,
            isLastWrite: { connection in
                let count = try connection.first(
                    """
                    SELECT count(*) FROM pg_locks
                    WHERE locktype = 'advisory' AND objsubid = 1 AND pid = pg_backend_pid()
                    """,
                    []
                ) { $0.integer(0) }
                held.withLock { $0.append(count ?? 0) }
                return false
            }
        )
        let intake = EventIngestion(
            database: watched, keys: world.keys, environment: world.environment, metrics: world.metrics
        )
        var event = try Event.test("a")
        event.contactReference = reference
        _ = try await intake.store([event], caller: phone.authenticated())
        // The anonymous contact, and Anna.
        let locks = held.withLock { $0.last }
        #expect(locks == 2)
    }

    @Test("SEC-9, ADM-5: events from a time in which the device was back with the contact go along with the next move")
    func back() async throws {
        let world = try await ServiceWorld()
        var phone = try await ServiceDevice.started(world, 1)
        try await phone.identify("ann")
        var other = try await ServiceDevice.started(world, 2)
        try await other.identify("anna")
        try await world.giveHistory(phone.client, events: Self.events)
        let (number, ann) = (try await phone.row.id, try #require(try await phone.row.contact))
        let anna = try #require(try await other.row.contact)
        try await world.database.write { try $0.eventMoves.begin(of: number, from: ann, to: anna) }
        try await phone.track(.test("a"))
        #expect(try await Self.events(of: "anna", world) == EventMoveRepository.movedAtOnce)
        try await world.database.write { try $0.eventMoves.begin(of: number, from: ann, to: anna) }
        try await world.followContacts()
        #expect(try await Self.events(of: "anna", world) == Self.events + 1)
    }
}
