import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Synchronization
import Testing

/// FLEET-5: on a distributed database a registration is applied in steps, each a transaction. The stand-in shows it, and a
/// cluster.
struct RegistrationStepsTests {
    /// Anna has a device. An anonymous device and one of Bob's have registered as hers, and nothing has been done of it.
    private struct Story {
        let world: ServiceWorld
        let newcomer: ServiceDevice
        /// Bob's.
        let other: ServiceDevice

        init() async throws {
            world = try await ServiceWorld(.postgres, isRecycled: false)
            for name in ["city", "age"] {
                try await world.apps.defineAttribute(name, type: .string, app: world.app)
            }
            var own = try await ServiceDevice.started(world, 1)
            try await own.identify("anna")
            _ = try await own.register {
                $0.attributes = ["city": "Rome"]
                $0.tags = ["a"]
            }
            var newcomer = try await ServiceDevice.started(world, 2)
            _ = try await newcomer.register {
                $0.attributes = ["city": "Paris", "age": "31"]
                $0.tags = ["b", "c"]
            }
            var other = try await ServiceDevice.started(world, 3)
            try await other.identify("bob")
            _ = try await other.register { $0.attributes = ["age": "40"] }
            try await world.process()
            world.clock.advance(by: 1)
            _ = try await newcomer.register {
                $0.contactKey = "anna"
                $0.attributes = ["city": "Paris", "age": "32"]
                $0.tags = ["c"]
            }
            _ = try await other.register {
                $0.contactKey = "anna"
                $0.attributes = ["age": "41", "city": ""]
                $0.lastOpenedAt = Timestamp.text(ServiceWorld.epoch)
            }
            self.newcomer = newcomer
            self.other = other
        }

        /// Has a process end behind some writes.
        func end(behind writes: Int, over database: any SQLDatabase) async throws {
            let countdown = Countdown(writes)
            let dying = TrappingDatabase(database) { _ in !countdown.next() }
            do {
                let processor = self.processor("first", over: dying)
                while try await processor.processWaiting() > 0 {}
            } catch _ where dying.hasEnded {
                // It went as it was.
            }
            #expect(dying.hasEnded)
        }

        func processor(_ name: String, over database: any SQLDatabase) -> RegistrationProcessor {
            world.makeProcessor(database, attempts: world.makeAttempts(name, over: database))
        }

        /// What is in the tables, but for the times of changes.
        func rows() async throws -> [String] {
            let tables = [
                "audience_\(world.app.id)", "badges", "contact_links", "contact_openings", "contact_tags", "contacts",
                "device_openings", "devices", "event_moves", "former_devices", "registrations", "rich_confirmations",
            ]
            return try await world.database.read { connection in
                try tables.flatMap { table in
                    let sql = "SELECT (to_jsonb(t) - 'updated_at' - 'processed_at')::text FROM \(table) t ORDER BY 1"
                    return try connection.query(SQLText(ofTest: sql), []) { "\(table) \($0.text(0))" }
                }
            }
        }

        func words() async throws -> Int64? { try await count("SELECT count(*) FROM contact_words") }

        func count(_ sql: SQLText) async throws -> Int64? {
            try await world.database.read { try $0.first(sql, []) { $0.integer(0) } }
        }
    }

    /// What comes of the story in one go: on one server, or on a cluster by steps that nobody breaks off.
    private static func rows() async throws -> [String] {
        let story = try await Story()
        try await story.world.process()
        return try await story.rows()
    }

    /// The mark of the group, and the four steps of two registrations.
    @Test(
        "FLEET-5, REG-20: a process that ends behind any step leaves what another one brings to the same end",
        arguments: 1...9)
    func ended(write: Int) async throws {
        let story = try await Story()
        let entered = try await story.world.enterDistributed()
        defer { try? entered.close() }
        try await story.end(behind: write - 1, over: entered.database)
        story.world.clock.advance(by: 60)
        let processor = story.processor("second", over: entered.database)
        while try await processor.processWaiting() > 0 {}
        let (found, expected) = (try await story.rows(), try await Self.rows())
        #expect(found == expected)
        #expect(try await story.words() == 0)
    }

    /// What another process waits for, on its own thread, before it ends.
    private final class Release: Sendable {
        private let isGiven = Mutex(false)

        func give() { isGiven.withLock { $0 = true } }

        func wait() {
            while !isGiven.withLock({ $0 }) { sched_yield() }
        }
    }

    @Test(
        """
        FLEET-5, REG-20, REG-21: of a device of which another process has a registration no later one is applied before \
        it, so none is superseded
        """
    )
    func order() async throws {
        let story = try await Story()
        var newcomer = story.newcomer
        _ = try await newcomer.register {
            $0.contactKey = "anna"
            $0.attributes = ["city": "Oslo"]
        }
        let entered = try await story.world.enterDistributed()
        defer { try? entered.close() }
        let other = try story.world.store.another()
        defer { try? other.close() }
        let (begun, announcement) = AsyncStream<Void>.makeStream()
        let release = Release()
        async let claimed = other.database.write { connection -> Bool in
            defer { announcement.finish() }
            let waiting = try connection.registrations.waitingSnapshots(limit: 9, maximumBytes: 1 << 20)
            let first = try #require(waiting.first)
            let row = try connection.registrations.claimWaiting(first.key)
            announcement.finish()
            release.wait()
            return row != nil && waiting.count == 3
        }
        for await _ in begun {}
        let processor = story.processor("second", over: entered.database)
        let count = try? await processor.processWaiting()
        let waiting = try? await story.world.rows("registrations", where: "status = 'received'")
        release.give()
        let isClaimed = try await claimed
        // That of the other device alone.
        #expect(isClaimed && count == 1 && waiting == 2)
        while try await processor.processWaiting() > 0 {}
        #expect(try await story.world.rows("registrations", where: "status = 'received'") == 0)
        #expect(try await story.world.rows("registrations", where: "status = 'superseded'") == 0)
    }

    @Test("FLEET-5, REG-20: a login comes after what the device has said to its contact, also if half of it was done")
    func login() async throws {
        let story = try await Story()
        let entered = try await story.world.enterDistributed()
        defer { try? entered.close() }
        // The mark and the first step.
        try await story.end(behind: 2, over: entered.database)
        #expect(try await story.words() == 1)
        let world = story.world
        var newcomer = story.newcomer
        let links = LinkService(database: entered.database, keys: world.keys, environment: world.environment)
        newcomer.keep(try await links.identify(try ContactKey("carol"), field: nil, caller: newcomer.caller()))
        #expect(try await story.words() == 0)
        let anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.attributes["age"] == "32" && anna.contact.attributes["city"] == "Rome")
        #expect(anna.tags == ["a", "c"])
        #expect(try await newcomer.contactKey == "carol")
    }

    @Test("FLEET-5: each step holds the contact that the device has left, and the one to which it has come")
    func held() async throws {
        let story = try await Story()
        let entered = try await story.world.enterDistributed()
        defer { try? entered.close() }
        let locks = Mutex<[Int64?]>([])
        let watched = TrappingDatabase(entered.database) { connection in
            let count = try connection.first(
                """
                SELECT count(*) FROM pg_locks
                WHERE locktype = 'advisory' AND objsubid = 1 AND pid = pg_backend_pid()
                """,
                []
            ) { $0.integer(0) }
            locks.withLock { $0.append(count) }
            return false
        }
        let processor = story.processor("first", over: watched)
        while try await processor.processWaiting() > 0 {}
        let held = locks.withLock { Array($0.prefix(9)) }
        // The mark, and the four steps of two registrations.
        #expect(held == [0, 2, 2, 2, 2, 2, 2, 2, 2])
    }

    /// The mark, the four steps of the newcomer, and the first of Bob's device.
    private static let leavingBob = 6

    @Test("FLEET-5, REG-36: an erasure finds what a device has sent that has just left the person, and has not said so")
    func erasure() async throws {
        let story = try await Story()
        try await story.other.track(.test("e1", .sessionStart))
        let entered = try await story.world.enterDistributed()
        defer { try? entered.close() }
        try await story.end(behind: Self.leavingBob, over: entered.database)
        #expect(try await story.words() == 1)
        #expect(try await story.count("SELECT count(*) FROM events") == 1)
        let contacts = ContactService(database: entered.database, environment: story.world.environment)
        _ = try await contacts.erase("bob", app: story.world.app)
        #expect(try await story.words() == 0)
        #expect(try await story.count("SELECT count(*) FROM events") == 0)
        #expect(try await story.other.contactKey == "anna")
    }

    @Test("FLEET-5, REG-36: a revoked device has said before whom it has left")
    func revocation() async throws {
        let story = try await Story()
        let entered = try await story.world.enterDistributed()
        defer { try? entered.close() }
        try await story.end(behind: Self.leavingBob, over: entered.database)
        let world = story.world
        let links = LinkService(database: entered.database, keys: world.keys, environment: world.environment)
        try await links.revoke(story.other.client.rawValue, app: world.app)
        #expect(try await story.words() == 0)
        let left = try await story.count(
            "SELECT count(*) FROM former_devices f JOIN contacts c ON c.id = f.contact_id WHERE c.contact_key = 'bob'"
        )
        #expect(left == 1)
    }

    @Test("FLEET-5, ADM-5: an anonymous contact that has gone into another one is not named anew")
    func rename() async throws {
        let story = try await Story()
        let former = try await story.newcomer.row.contact
        let row = try await story.world.database.read { try former.flatMap($0.contacts.find(id:)) }
        let key = try #require(row?.key)
        let entered = try await story.world.enterDistributed()
        defer { try? entered.close() }
        // The mark and the first step.
        try await story.end(behind: 2, over: entered.database)
        let contacts = ContactService(database: entered.database, environment: story.world.environment)
        await #expect(throws: ServiceError.self) {
            _ = try await contacts.rename(key, to: "carol", field: "key", app: story.world.app)
        }
        #expect(try await story.count("SELECT count(*) FROM contacts WHERE contact_key = 'carol'") == 0)
    }
}
