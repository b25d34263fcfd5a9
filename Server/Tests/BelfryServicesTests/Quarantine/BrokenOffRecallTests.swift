import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Recalls of placed messages whose process dies meanwhile (MC-16, SEC-8).
struct BrokenOffRecallTests {
    /// Devices whose message lies in its center.
    private static func placed(_ world: ServiceWorld, _ count: Int) async throws -> (CampaignID, [ServiceDevice]) {
        var devices: [ServiceDevice] = []
        for number in 1...count {
            // Contacts and installations, which are numbered from both sides of 0.
            let key = number.isMultiple(of: 2) ? "person\(number)" : nil
            devices.append(try await ServiceDevice.registered(world, number, key: key, token: "token\(number)"))
        }
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        for device in devices { #expect(try await world.inbox(device).count == 1) }
        return (id, devices)
    }

    private static func recaller(
        _ world: ServiceWorld, _ database: any SQLDatabase, _ attempts: WorkAttempts
    ) -> MessageRecaller {
        MessageRecaller(
            recall: MessageRecall(database: database, environment: world.environment), attempts: attempts,
            logger: world.logger
        )
    }

    private static func recalled(_ world: ServiceWorld) async throws -> Int {
        try await world.rows("center_messages", where: "recalled_at IS NOT NULL")
    }

    @Test("MC-16: a recall whose process dies after it has begun goes on in the next one, and nobody asks again")
    func restart() async throws {
        let world = try await ServiceWorld()
        let (id, devices) = try await Self.placed(world, 2)
        let mortal = MortalDatabase(world.database) { try $0.campaigns.isRecalled(id) }
        let campaigns = world.campaigns(over: mortal)
        await #expect(throws: (any Error).self) { try await campaigns.life.recall(id, app: world.app) }
        #expect(try await Self.recalled(world) == 0)
        let next = Self.recaller(world, world.database, world.makeAttempts("next"))
        // Nobody knows yet that the first one is dead.
        try await next.turn()
        #expect(try await Self.recalled(world) == 0)
        world.clock.advance(by: MessageRecall.lease)
        try await next.turn()
        #expect(try await Self.recalled(world) == 2)
        for device in devices { #expect(try await world.inbox(device).isEmpty) }
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("MC-16: a recall goes on behind the pages that are done")
    func pages() async throws {
        let world = try await ServiceWorld()
        let (id, devices) = try await Self.placed(world, 5)
        let app = world.app.id
        try await world.database.write { connection in
            try MessageRecall.note(id, app: app, for: "first", now: ServiceWorld.epoch, in: connection)
        }
        let mortal = MortalDatabase(world.database) { connection in
            try connection.workAttempts.find(.recall(id)).map { $0.reached > .min } ?? false
        }
        let first = MessageRecall(database: mortal, environment: world.environment, pageSize: 2)
        await #expect(throws: MortalDatabase.Dead.self) { try await first.run(id, for: "first") }
        #expect(try await Self.recalled(world) == 2)
        // What the first one has done is not done once more: of this one it would be seen.
        try await world.database.write { connection in
            _ = try connection.execute(
                """
                UPDATE center_messages SET recalled_at = NULL
                WHERE contact_id = (SELECT min(contact_id) FROM center_messages)
                """
            )
        }
        world.clock.advance(by: MessageRecall.lease)
        let second = MessageRecall(database: world.database, environment: world.environment, pageSize: 2)
        let attempts = world.makeAttempts("second")
        var turns = 0
        while try await second.goOn(counting: attempts) { turns += 1 }
        #expect(turns == 2)
        #expect(try await Self.recalled(world) == 4)
        for device in devices { #expect(try await world.inbox(device).isEmpty) }
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("MC-16: a campaign that is recalled once more meanwhile is recalled from the first message on")
    func asked() async throws {
        let world = try await ServiceWorld()
        let (id, devices) = try await Self.placed(world, 2)
        let mortal = MortalDatabase(world.database) { try $0.campaigns.isRecalled(id) }
        let campaigns = world.campaigns(over: mortal)
        await #expect(throws: (any Error).self) { try await campaigns.life.recall(id, app: world.app) }
        _ = try await world.campaigns.life.recall(id, app: world.app)
        for device in devices { #expect(try await world.inbox(device).isEmpty) }
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8, MC-16: a recall that crashes the process is quarantined; a retry begins it again")
    func poison() async throws {
        let world = try await ServiceWorld()
        let (id, devices) = try await Self.placed(world, 2)
        let app = world.app.id
        func crash() async throws {
            try await world.database.write { connection in
                try MessageRecall.note(id, app: app, for: nil, now: ServiceWorld.epoch, in: connection)
            }
            let deaths = try await world.deaths(by: { connection in
                try connection.first("SELECT 1 FROM center_messages WHERE recalled_at IS NOT NULL LIMIT 1", []) {
                    $0.flag(0)
                } ?? false
            }) { database, attempts, _ in
                try await Self.recaller(world, database, attempts).turn()
            }
            #expect(deaths == AttemptRule.maximum)
        }
        try await crash()
        let work = try #require(try await world.quarantined().first)
        #expect(work.name == "recall-\(id)" && work.campaign == id && work.app == world.app.code)
        #expect(world.quarantinedCount("recall") == 1)
        _ = try await world.quarantine.drop(work.name, app: world.app.id)
        try await Self.recaller(world, world.database, world.attempts).turn()
        #expect(try await Self.recalled(world) == 0)
        try await crash()
        _ = try await world.quarantine.retry(work.name, app: world.app.id)
        try await Self.recaller(world, world.database, world.attempts).turn()
        for device in devices { #expect(try await world.inbox(device).isEmpty) }
        #expect(try await world.rows("work_attempts") == 0)
    }
}
