import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Steps of the upkeep that get on, though the processes that do them are ended.
struct UpkeepProgressTests {
    /// One more than what makes no progress survives.
    private static let kills = AttemptRule.maximum + 1
    /// Devices between two notes of the walk over events, and the highest of all.
    private static let noted = Int64(WalkPace.pages * Housekeeping.devices)
    private static let highest = Int64(kills + 1) * noted

    /// - Parameter device: whose number the only event has, which is too old.
    private static func makeWorld(eventOf device: Int64) async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        let phone = try await ServiceDevice.started(world, 1)
        try await phone.track(.test("e1"))
        let (app, number) = (world.app, try await phone.row.id)
        try await world.database.write { connection in
            var settings = app.settings
            settings.eventRetentionDays = 1
            try connection.apps.save(settings: settings, of: app.id)
            try connection.renumber(.devices, from: number, to: Self.highest)
            try connection.renumber(.eventsOfDevice, from: number, to: device)
        }
        world.clock.advance(by: 2 * 86_400)
        return world
    }

    private static func tidy(_ world: ServiceWorld, _ database: any SQLDatabase, _ attempts: WorkAttempts) async {
        await Housekeeping(
            database: database, environment: world.environment, attempts: attempts, logger: world.logger
        ).tidy()
    }

    @Test("SEC-8: kills during a long scan quarantine nothing, and the next one continues from there")
    func longWalk() async throws {
        let world = try await Self.makeWorld(eventOf: Self.highest)
        for number in 1...Self.kills {
            let goal = Int64(number) * Self.noted
            let mortal = MortalDatabase(world.database) { connection in
                try connection.workAttempts.find(.upkeep(.events))?.reached == goal
            }
            await Self.tidy(world, mortal, world.makeAttempts("\(number)", over: mortal))
            let known = try await world.database.read { try $0.workAttempts.find(.upkeep(.events)) }
            #expect(known?.reached == goal && known?.attempts == 1)
            world.clock.advance(by: Housekeeping.lease)
        }
        #expect(try await world.quarantined().isEmpty)
        // What lies behind the walk is looked at by the next one.
        try await world.database.write { try $0.renumber(.eventsOfDevice, from: Self.highest, to: 1) }
        await world.housekeeping.tidy()
        #expect(try await world.rows("events") == 1)
        #expect(try await world.rows("work_attempts") == 0)
        await world.housekeeping.tidy()
        #expect(try await world.rows("events") == 0)
    }

    @Test("SEC-8: a crash deep in a table leads to quarantine all the same")
    func poison() async throws {
        let world = try await Self.makeWorld(eventOf: Self.highest - 10)
        let deaths = try await world.deaths(by: { connection in
            try connection.first("SELECT count(*) FROM events", []) { $0.integer(0) == 0 } ?? false
        }) { database, attempts, _ in
            world.clock.advance(by: Housekeeping.lease)
            await Self.tidy(world, database, attempts)
        }
        #expect(deaths == AttemptRule.maximum)
        #expect(try await world.quarantined().map(\.name) == ["upkeep-events"])
        #expect(try await world.rows("events") == 1)
    }

    @Test("SEC-8, SEC-9: removed empty contacts reset the count")
    func contacts() async throws {
        let world = try await ServiceWorld()
        let (app, count) = (world.app.id, (Self.kills + 1) * Housekeeping.contacts)
        try await world.database.write { connection in
            for number in 1...count {
                _ = try connection.contacts.findOrInsert(
                    app: app, key: "anonymous \(number)", known: false, now: ServiceWorld.epoch
                )
            }
        }
        world.clock.advance(by: Housekeeping.emptyContactAge + 1)
        for number in 1...Self.kills {
            let left = count - number * Housekeeping.contacts
            let mortal = MortalDatabase(world.database) { connection in
                try connection.first("SELECT count(*) FROM contacts", []) { Int($0.integer(0)) == left } ?? false
            }
            await Self.tidy(world, mortal, world.makeAttempts("\(number)", over: mortal))
            #expect(try await world.rows("contacts") == left)
            world.clock.advance(by: Housekeeping.lease)
        }
        #expect(try await world.quarantined().isEmpty)
        await world.housekeeping.tidy()
        #expect(try await world.rows("contacts") == 0)
    }

    @Test("SEC-8: a daily step that another process holds is checked again in the next round")
    func owed() async throws {
        let world = try await ServiceWorld()
        let begun = try await world.makeAttempts("dead").begin(.upkeep(.silentPushes), lease: Housekeeping.lease)
        #expect(begun)
        let left = await world.housekeeping.tidy()
        #expect(left == [.silentPushes])
        world.clock.advance(by: Housekeeping.lease)
        let still = await world.housekeeping.tidy(daily: false, and: left)
        #expect(still.isEmpty)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8: a scan saves its position after 256 pages, or after 5 s if they are slow")
    func pace() {
        var pace = WalkPace(at: ServiceWorld.epoch)
        let quick = (1...600).filter { _ in pace.isToBeNoted(at: ServiceWorld.epoch) }
        #expect(quick == [256, 512])
        let slow = (1...12).filter { pace.isToBeNoted(at: ServiceWorld.epoch.addingTimeInterval(TimeInterval($0))) }
        #expect(slow == [5, 10])
    }
}
