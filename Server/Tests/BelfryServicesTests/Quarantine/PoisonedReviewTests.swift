import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Reviews of attributes that end the process, fail, or meet a damaged row (REG-25).
struct PoisonedReviewTests {
    /// One device for each contact, whose city is not defined yet.
    private static func world(_ keys: [String]) async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        for (number, key) in keys.enumerated() {
            var device = try await ServiceDevice.started(world, number + 1)
            try await device.say(["city": "Paris"], of: key)
        }
        return world
    }

    /// Defines the attribute in both apps, the other one behind the first.
    private static func define(_ world: ServiceWorld) async throws -> AppRecord {
        let other = try await world.apps.create(code: "other", name: "Other").app
        for app in [world.app, other] { try await world.apps.defineAttribute("city", type: .string, app: app) }
        return other
    }

    /// Whether somebody has got a value by the review.
    private static func hasValues(_ key: String) -> @Sendable (any SQLConnection) throws -> Bool {
        return { connection in
            try connection.first(
                "SELECT count(*) FROM contacts WHERE contact_key = ? AND attributes <> '{}'", [.text(key)]
            ) { $0.integer(0) > 0 } ?? false
        }
    }

    private static func deaths(_ world: ServiceWorld, by key: String) async throws -> Int {
        try await world.deaths(by: hasValues(key)) { database, attempts, _ in
            try await world.makeReviewer(database, attempts: attempts).reviewAll()
        }
    }

    private static func isReviewed(_ world: ServiceWorld, _ app: AppRecord) async throws -> Bool {
        try await world.database.read { try $0.attributeReviews.find(app: app.id) == nil }
    }

    @Test("SEC-8, REG-25: a review that crashes the process is quarantined after three attempts; other apps' go on")
    func quarantine() async throws {
        let world = try await Self.world(["anna"])
        let other = try await Self.define(world)
        #expect(try await Self.deaths(world, by: "anna") == 3)
        #expect(try await Self.isReviewed(world, other))
        #expect(try await Self.isReviewed(world, world.app) == false)
        let work = try #require(try await world.quarantined().first)
        #expect(work.name == "attributeReview-\(world.app.id)" && work.attempts == 3 && work.app == world.app.code)
        #expect(world.quarantinedCount("attributeReview") == 1)
        // Another definition does not bring it back, and is reviewed with it.
        try await world.define("shoe")
        #expect(try await Self.isReviewed(world, world.app) == false)
        _ = try await world.quarantine.retry(work.name, app: world.app.id)
        try await world.reviewAttributes()
        #expect(try await Self.isReviewed(world, world.app))
        #expect(try await world.attributes(of: "anna") == ["city": "Paris"])
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8, REG-25: dropped it goes on behind the page where it stands")
    func dropped() async throws {
        let count = Int(AttributeReviewer.registrations) + 10
        let world = try await Self.world((1...count).map { "person \($0)" })
        _ = try await Self.define(world)
        let last = "person \(count)"
        #expect(try await Self.deaths(world, by: last) == 3)
        let work = try #require(try await world.quarantined().first)
        _ = try await world.quarantine.drop(work.name, app: nil)
        // What ended the process is not looked at any more.
        #expect(try await Self.deaths(world, by: last) == 0)
        #expect(try await Self.isReviewed(world, world.app))
        #expect(try await world.attributes(of: "person 1") == ["city": "Paris"])
        #expect(try await world.attributes(of: last).isEmpty)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8, REG-25: each page that was reviewed resets the count")
    func progress() async throws {
        let pages = 5
        let world = try await ServiceWorld()
        let (first, size) = (world.app.id, AttributeReviewer.contacts)
        // As many numbers of contacts as the pages have.
        try await world.database.write { connection in
            let last = try connection.contacts.highestID()
            for number in 1...(Int64(pages) * size) where number > last {
                _ = try connection.contacts.findOrInsert(
                    app: first, key: "person \(number)", known: true, now: ServiceWorld.epoch)
            }
            try connection.attributeReviews.begin(app: first, removes: true)
        }
        for number in 1..<pages {
            // One more page is reviewed, and then the process ends.
            let goal = Int64(number) * size
            let mortal = MortalDatabase(
                world.database, isLastWrite: { try $0.attributeReviews.find(app: first)?.contactsAfter == goal }
            )
            let attempts = world.makeAttempts("\(number)", over: mortal)
            try await world.makeReviewer(mortal, attempts: attempts).reviewAll()
            world.clock.advance(by: AttemptRule.lease)
        }
        let reached = try await world.database.read { try $0.attributeReviews.find(app: first)?.contactsAfter }
        #expect(reached == Int64(pages - 1) * size)
        try await world.reviewAttributes()
        #expect(try await Self.isReviewed(world, world.app))
        #expect(try await world.quarantined().isEmpty)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8, REG-25: a review that fails three times is quarantined, and rests meanwhile: the next app's follows")
    func failing() async throws {
        struct Riddle: Error {}
        let world = try await Self.world(["anna"])
        let other = try await Self.define(world)
        let hasValues = Self.hasValues("anna")
        let faulty = FaultyDatabase(world.database) { connection in
            if try hasValues(connection) { throw Riddle() }
        }
        let reviewer = world.makeReviewer(faulty, attempts: world.makeAttempts("a", over: faulty))
        try await reviewer.reviewAll()
        #expect(try await Self.isReviewed(world, other) == false)
        try await reviewer.reviewAll()
        #expect(try await Self.isReviewed(world, other))
        for _ in 1...AttemptRule.maximum {
            world.clock.advance(by: AttributeReviewer.restAfterFailure)
            try await reviewer.reviewAll()
        }
        #expect(faulty.count == AttemptRule.maximum)
        let work = try #require(try await world.quarantined().first)
        #expect(work.name == "attributeReview-\(world.app.id)" && work.reason.contains("Riddle"))
        let logged = world.log.entries.filter { "\($0.message)".contains("attributes cannot be reviewed") }
        #expect(logged.count == AttemptRule.maximum, "and not once a second for ever")
    }

    @Test("SEC-8, REG-25: a damaged database sets no review aside, however often it fails")
    func damaged() async throws {
        let world = try await Self.world(["anna"])
        let other = try await Self.define(world)
        let hasValues = Self.hasValues("anna")
        let faulty = FaultyDatabase(world.database) { connection in
            if try hasValues(connection) { throw StoreError.damaged(reason: "malformed") }
        }
        // Each as if another process looked.
        for number in 1...(2 * AttemptRule.maximum) {
            let reviewer = world.makeReviewer(faulty, attempts: world.makeAttempts("\(number)", over: faulty))
            for _ in 1...2 { try await reviewer.reviewAll() }
            world.clock.advance(by: WorkAttempts.restAtDamage)
        }
        #expect(faulty.count == 2 * AttemptRule.maximum)
        #expect(try await Self.isReviewed(world, other))
        #expect(try await world.quarantined().isEmpty)
        try await world.reviewAttributes()
        #expect(try await world.attributes(of: "anna") == ["city": "Paris"])
    }

    @Test(
        "SEC-8, REG-25: a contact whose row is damaged is left out and told of by its number; all others are reviewed")
    func damagedContact() async throws {
        let world = try await Self.world(["anna", "bert"])
        try await world.define("city")
        try await world.define("shoe")
        let (app, whole) = (world.app.id, try await world.attributes(of: "bert"))
        #expect(whole == ["city": "Paris"])
        let found = try await world.database.read { try $0.contacts.number(app: app, key: "anna") }
        let anna = try #require(found)
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE contacts SET attributes = 'none' WHERE contact_key = 'anna'")
        }
        // Of the contacts, and then of what their devices had said.
        _ = try await world.apps.removeAttribute("city", app: world.app)
        try await world.reviewAttributes()
        #expect(try await world.attributes(of: "bert").isEmpty)
        #expect(Self.leftOut(world, "contacts") == ["\(anna)"])
        try await world.define("city")
        #expect(try await world.attributes(of: "bert") == whole)
        #expect(Self.leftOut(world, "registrations").count == 1)
        #expect(try await Self.isReviewed(world, world.app))
        #expect(try await world.rows("work_attempts") == 0)
        let stored = try await world.rows("contacts", where: "attributes = 'none'")
        #expect(stored == 1, "it stays as it is")
    }

    @Test("SEC-8, REG-25: a registration whose row is damaged is left out and told of by its number")
    func damagedRegistration() async throws {
        let world = try await Self.world(["anna", "bert"])
        let newest = try await world.database.read { connection in
            try connection.first("SELECT max(id) FROM registrations", []) { $0.integer(0) }
        }
        let bad = try #require(newest)
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE registrations SET rejected = 'none' WHERE id = ?", [.integer(bad)])
        }
        try await world.define("city")
        #expect(try await world.attributes(of: "anna") == ["city": "Paris"])
        #expect(try await world.rows("contacts", where: "contact_key = 'bert' AND attributes = '{}'") == 1)
        #expect(Self.leftOut(world, "registrations") == ["\(bad)"])
        #expect(try await Self.isReviewed(world, world.app))
    }

    /// The numbers of rows of this kind that the log says were left out.
    private static func leftOut(_ world: ServiceWorld, _ kind: String) -> [String] {
        world.log.entries.filter { "\($0.message)".contains("left out of a review") }
            .compactMap { $0.metadata[kind].map { "\($0)" } }
    }
}
