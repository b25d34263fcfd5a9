import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Silent pushes and steps of the upkeep that end the process.
struct PoisonedUpkeepTests {
    @Test("SEC-8, PUSH-7: a silent push that crashes the process is quarantined, and the others are sent")
    func silentPushes() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(4)
        _ = try await world.publish()
        let trap: @Sendable (any SQLConnection) throws -> Bool = { connection in
            try connection.first(
                "SELECT count(*) FROM silent_pushes WHERE sent_at IS NOT NULL AND due_at IS NULL AND device_id = 2", []
            ) { $0.flag(0) } ?? false
        }
        func live() async throws -> Int {
            try await world.deaths(by: trap) { database, attempts, number in
                await world.silentPushSender("\(number)", database: database, attempts: attempts).runUntilIdle()
            }
        }
        #expect(try await live() == 4)
        #expect(try await world.rows("silent_pushes", where: "due_at IS NULL AND sent_at IS NOT NULL") == 3)
        let work = try #require(try await world.quarantined().first)
        #expect(work.name == "silentPush-2" && work.attempts == 3 && work.app == world.app.code)
        #expect(world.quarantinedCount("silentPush") == 1)
        let due = try await world.database.read { try $0.silentPushes.nextDue() }
        #expect(due.isEmpty, "Nobody looks for it again and again.")
        // A new reason does not bring it back.
        world.clock.advance(by: 3_600)
        _ = try await world.publish("Second")
        #expect(try await live() == 0)

        _ = try await world.quarantine.retry(work.name, app: nil)
        await world.silentPushSender().runUntilIdle()
        #expect(try await world.silentPush(ServiceWorld.client(2))?.sentAt != nil)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8, PUSH-7: a silent push that is dropped is no longer due; another reason wakes the device again")
    func droppedPush() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        _ = try await world.publish()
        _ = try await world.deaths(by: { connection in
            try connection.first("SELECT count(*) FROM silent_pushes WHERE sent_at IS NOT NULL AND due_at IS NULL", [])
            { $0.flag(0) }
                ?? false
        }) { database, attempts, number in
            await world.silentPushSender("\(number)", database: database, attempts: attempts).runUntilIdle()
        }
        _ = try await world.quarantine.drop("silentPush-1", app: world.app.id)
        #expect(try await world.silentPush(ServiceWorld.client(1))?.dueAt == nil)
        let before = world.transport.requests.count
        await world.silentPushSender().runUntilIdle()
        #expect(world.transport.requests.count == before)
        world.clock.advance(by: 3_600)
        _ = try await world.publish("Second")
        await world.silentPushSender().runUntilIdle()
        #expect(world.transport.requests.count == before + 1)
    }

    private static func fill(_ world: ServiceWorld, _ count: Int) async throws {
        try await world.database.write { connection in
            for _ in 0..<count {
                try connection.audit.append(
                    AuditEntry(at: ServiceWorld.epoch, actor: "root", app: nil, action: "read", target: nil)
                )
            }
        }
        world.clock.advance(by: Housekeeping.auditAge + 1)
    }

    private static func upkeep(_ world: ServiceWorld, _ database: any SQLDatabase, _ attempts: WorkAttempts)
        -> Housekeeping
    {
        Housekeeping(
            database: database, environment: world.environment, attempts: attempts, logger: world.logger
        )
    }

    @Test("SEC-8: an upkeep step that crashes the process is quarantined, and the other steps continue")
    func steps() async throws {
        let world = try await ServiceWorld()
        try await Self.fill(world, 10)
        let deaths = try await world.deaths(by: { connection in
            try connection.first("SELECT count(*) FROM audit_log WHERE at = ?", [.date(ServiceWorld.epoch)]) {
                $0.integer(0) < 10
            } ?? false
        }) { database, attempts, _ in
            // A store that one process has alone, as it starts.
            try await world.database.write { try $0.workAttempts.endLeases() }
            await Self.upkeep(world, database, attempts).tidy()
        }
        #expect(deaths == 3)
        #expect(try await world.quarantined().map(\.name) == ["upkeep-auditLog"])
        #expect(try await world.rows("work_attempts", where: "status = 'open'") == 0)
        await #expect(throws: ServiceError.self) { try await world.quarantine.drop("upkeep-auditLog", app: nil) }
        _ = try await world.quarantine.retry("upkeep-auditLog", app: nil)
        await world.housekeeping.tidy()
        #expect(try await world.rows("audit_log", where: "at = \(ServiceWorld.epoch.milliseconds)") == 0)
    }

    @Test("SEC-8: rows that the upkeep has removed reset the count")
    func progress() async throws {
        let world = try await ServiceWorld()
        try await Self.fill(world, 6 * Housekeeping.batch)
        for number in 1...5 {
            let left = (6 - number) * Housekeeping.batch
            let mortal = MortalDatabase(world.database) { connection in
                try connection.first("SELECT count(*) FROM audit_log WHERE at = ?", [.date(ServiceWorld.epoch)]) {
                    Int($0.integer(0)) == left
                } ?? false
            }
            try await world.database.write { try $0.workAttempts.endLeases() }
            await Self.upkeep(world, mortal, world.makeAttempts("\(number)", over: mortal)).tidy()
        }
        #expect(
            try await world.rows("audit_log", where: "at = \(ServiceWorld.epoch.milliseconds)") == Housekeeping.batch)
        #expect(try await world.quarantined().isEmpty)
    }

    @Test("SEC-8: processes that share a database do not count each other's upkeep")
    func shared() async throws {
        let world = try await ServiceWorld()
        for number in 1...6 {
            let attempts = world.makeAttempts("\(number)")
            #expect(try await attempts.begin(.upkeep(.events), lease: Housekeeping.lease) == (number == 1))
        }
        #expect(try await world.quarantined().isEmpty)
    }
}
