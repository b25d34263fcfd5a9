import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Contacts whose devices, or whose events, end the process that has them follow (SEC-9).
struct PoisonedFollowingTests {
    /// A page more than a login looks through.
    private static let events = EventMoveRepository.movedAtOnce + 1

    /// Until the process ends, or nothing is left that may be begun.
    private static func deaths(
        _ world: ServiceWorld, by trap: @escaping @Sendable (any SQLConnection) throws -> Bool
    ) async throws -> Int {
        try await world.deaths(by: trap) { database, attempts, _ in
            let follower = world.makeFollower(database, attempts: attempts)
            var place = ContactFollower.Place()
            try await follower.turn(from: &place)
        }
    }

    /// Whether somebody's devices have followed.
    private static func hasFollowed(_ contact: Int64) -> @Sendable (any SQLConnection) throws -> Bool {
        return { connection in
            try connection.first(
                "SELECT count(*) FROM contact_followings WHERE contact_id = ?", [.integer(contact)]
            ) { $0.integer(0) == 0 } ?? false
        }
    }

    /// Whether nothing is on its way any more.
    private static let hasMoved: @Sendable (any SQLConnection) throws -> Bool = { connection in
        try connection.first("SELECT count(*) FROM event_moves", []) { $0.integer(0) == 0 } ?? false
    }

    /// Two contacts whose devices are to follow.
    private static func followings(_ world: ServiceWorld) async throws -> Int64 {
        for (number, key) in ["anna", "bert"].enumerated() {
            try await world.makeFollowing(of: key, number: number + 1)
        }
        let app = world.app.id
        let found = try await world.database.read { try $0.contacts.number(app: app, key: "anna") }
        return try #require(found)
    }

    @Test("SEC-8, SEC-9: a contact that crashes the process is quarantined after three attempts; others are followed")
    func contacts() async throws {
        let world = try await ServiceWorld()
        let bad = try await Self.followings(world)
        #expect(try await Self.deaths(world, by: Self.hasFollowed(bad)) == 3)
        #expect(try await world.rows("contact_followings") == 1)
        let work = try #require(try await world.quarantined().first)
        #expect(work.name == "contactFollowing-\(bad)" && work.attempts == 3 && work.app == world.app.code)
        #expect(world.quarantinedCount("contactFollowing") == 1)
        // Nobody looks for it again and again.
        #expect(try await Self.deaths(world, by: Self.hasFollowed(bad)) == 0)
        #expect(try await world.rows("contact_followings") == 1)
        _ = try await world.quarantine.retry(work.name, app: nil)
        var place = ContactFollower.Place()
        try await world.makeFollower().turn(from: &place)
        #expect(try await world.rows("contact_followings") == 0)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test(
        "SEC-8, SEC-9: a contact that is dropped is not followed; its erasure ends the quarantine",
        arguments: [false, true])
    func ended(isErased: Bool) async throws {
        let world = try await ServiceWorld()
        let bad = try await Self.followings(world)
        #expect(try await Self.deaths(world, by: Self.hasFollowed(bad)) == 3)
        if isErased {
            _ = try await world.contacts.erase("anna", app: world.app)
        } else {
            _ = try await world.quarantine.drop("contactFollowing-\(bad)", app: nil)
        }
        var place = ContactFollower.Place()
        try await world.makeFollower().turn(from: &place)
        #expect(try await world.rows("contact_followings") == 0)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8, SEC-9: a contact whose row is damaged is quarantined after three attempts; others are followed")
    func damagedRow() async throws {
        let world = try await ServiceWorld()
        let bad = try await Self.followings(world)
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE contacts SET attributes = 'none' WHERE contact_key = 'anna'")
        }
        let follower = world.makeFollower()
        var place = ContactFollower.Place()
        for _ in 0..<600 {
            try await follower.turn(from: &place)
            world.clock.advance(by: 1)
        }
        #expect(try await world.rows("contact_followings") == 1)
        let work = try #require(try await world.quarantined().first)
        #expect(work.name == "contactFollowing-\(bad)" && work.attempts == 3)
        #expect(work.reason.contains("cannot be read"))
        let logged = world.log.entries.filter { "\($0.message)".contains("cannot be followed") }
        #expect(logged.count == 1)
    }

    @Test("SEC-8, SEC-9: a database that is unable for the moment sets no contact aside, whichever process tries next")
    func unable() async throws {
        let world = try await ServiceWorld()
        let hasFollowed = Self.hasFollowed(try await Self.followings(world))
        let faulty = FaultyDatabase(world.database) { connection in
            if try hasFollowed(connection) { throw StoreError.tryAgain(reason: "could not serialize access") }
        }
        for number in 1...(2 * AttemptRule.maximum) {
            let follower = world.makeFollower(faulty, attempts: world.makeAttempts("\(number)", over: faulty))
            var place = ContactFollower.Place()
            try await follower.turn(from: &place)
        }
        // Each of them tried: none waited for the lease of the one before.
        #expect(faulty.count == 2 * AttemptRule.maximum)
        #expect(try await world.quarantined().isEmpty)
        var place = ContactFollower.Place()
        try await world.makeFollower().turn(from: &place)
        #expect(try await world.rows("contact_followings") == 0)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test(
        "SEC-8, SEC-9: events on their way that crash the process are quarantined, and wait for a retry or an erasure")
    func events() async throws {
        let world = try await ServiceWorld()
        var phone = try await ServiceDevice.started(world, 1)
        try await world.giveHistory(phone.client, events: Self.events)
        try await phone.identify("anna")
        #expect(try await world.rows("event_moves") == 1)
        #expect(try await Self.deaths(world, by: Self.hasMoved) == 3)
        let work = try #require(try await world.quarantined().first)
        #expect(work.kind == "eventMove" && work.attempts == 3 && work.app == world.app.code)
        #expect(work.name == "eventMove-\(work.subject.number)-\(work.subject.part)")
        await #expect(throws: ServiceError.self) { try await world.quarantine.drop(work.name, app: nil) }
        #expect(try await world.rows("event_moves") == 1)
        _ = try await world.quarantine.retry(work.name, app: nil)
        #expect(try await Self.deaths(world, by: Self.hasMoved) == 3)
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await world.rows("event_moves") == 0)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test(
        "SEC-8, REG-25: what is quarantined on its way keeps no value back, and none that no longer counted comes back")
    func review() async throws {
        let world = try await ServiceWorld()
        var phone = try await ServiceDevice.started(world, 1)
        try await phone.say(["city": "Rome", "shoe": "38"], of: nil)
        try await phone.say(["city": "Paris"], of: nil)
        try await world.giveHistory(phone.client, events: Self.events)
        let former = try #require(try await phone.row.contact)
        try await phone.identify("anna")
        // As if the older registration had been too much for the login.
        try await world.database.write { connection in
            _ = try connection.execute(
                "UPDATE registrations SET contact_id = ? WHERE id = (SELECT min(id) FROM registrations)",
                [.integer(former)]
            )
        }
        #expect(try await Self.deaths(world, by: Self.hasMoved) == 3)
        let work = try #require(try await world.quarantined().first)
        for name in ["city", "shoe"] { try await world.define(name) }
        #expect(try await world.attributes(of: "anna") == ["city": "Paris"])
        _ = try await world.quarantine.retry(work.name, app: nil)
        var place = ContactFollower.Place()
        try await world.makeFollower().turn(from: &place)
        #expect(try await world.rows("event_moves") == 0)
        #expect(try await world.rows("registrations", where: "contact_id = \(former)") == 0)
        // Nor afterwards.
        try await world.define("hat")
        #expect(try await world.attributes(of: "anna") == ["city": "Paris"])
    }
}
