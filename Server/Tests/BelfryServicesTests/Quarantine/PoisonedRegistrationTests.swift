import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// Registrations that end the process that processes them.
struct PoisonedRegistrationTests {
    /// Devices of which the second ends the process.
    private static func waiting(_ world: ServiceWorld) async throws -> [(device: ServiceDevice, id: String)] {
        var waiting: [(device: ServiceDevice, id: String)] = []
        for number in 1...4 {
            var device = try await ServiceDevice.started(world, number)
            let id = try await device.register().registrationID
            waiting.append((device, id))
        }
        return waiting
    }

    private static func trap(_ world: ServiceWorld, _ client: DeviceID) -> @Sendable (any SQLConnection) throws -> Bool
    {
        let app = world.app.id
        return { try $0.devices.find(app: app, client: client)?.revision == 1 }
    }

    private static func status(_ world: ServiceWorld, _ one: (device: ServiceDevice, id: String)) async throws
        -> ReceiptStatus
    {
        try await world.registrations.receipt(one.id, caller: try one.device.authenticated()).value.status
    }

    /// - Returns: how many processes it ended.
    private static func live(
        _ world: ServiceWorld, _ trap: @escaping @Sendable (any SQLConnection) throws -> Bool,
        startsAlone: Bool = false, after life: (Int) async throws -> Void = { _ in }
    ) async throws -> Int {
        try await world.deaths(by: trap) { database, attempts, number in
            if startsAlone { try await world.database.write { try $0.workAttempts.endLeases() } }
            let processor = world.makeProcessor(database, attempts: attempts)
            do {
                while try await processor.processWaiting() > 0 {}
            } catch {}
            try await life(number)
        }
    }

    @Test(
        "SEC-8, REG-20: a registration that crashes the process is quarantined after three attempts alone",
        arguments: [false, true])
    func quarantine(startsAlone: Bool) async throws {
        let world = try await ServiceWorld()
        let waiting = try await Self.waiting(world)
        var late: (device: ServiceDevice, id: String)?
        let deaths = try await Self.live(world, Self.trap(world, waiting[1].device.client), startsAlone: startsAlone) {
            guard $0 == 1 else { return }
            // One comes behind it.
            var device = try await ServiceDevice.started(world, 9)
            let id = try await device.register().registrationID
            late = (device, id)
        }
        #expect(deaths == 4)
        var states: [ReceiptStatus] = []
        let last = try #require(late)
        for one in waiting + [last] { states.append(try await Self.status(world, one)) }
        #expect(states == [.processed, .partlyRejected, .processed, .processed, .processed])
        let work = try #require(try await world.quarantined().first)
        #expect(try await world.quarantined().count == 1 && work.kind == "registration" && work.attempts == 3)
        #expect(work.app == world.app.code && world.quarantinedCount("registration") == 1)
        #expect(try await world.rows("registration_groups") == 0)

        // Once the cause is mended an operator lets it be tried again.
        _ = try await world.quarantine.retry(work.name, app: world.app.id)
        #expect(try await Self.status(world, waiting[1]) == .received)
        try await world.process()
        #expect(try await Self.status(world, waiting[1]) == .processed)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("SEC-8: a retry that still crashes the process is alone from the beginning, for three attempts")
    func retriedInVain() async throws {
        let world = try await ServiceWorld()
        let waiting = try await Self.waiting(world)
        let trap = Self.trap(world, waiting[1].device.client)
        _ = try await Self.live(world, trap)
        for _ in 1...2 {
            let work = try #require(try await world.quarantined().first)
            _ = try await world.quarantine.retry(work.name, app: nil)
            #expect(try await Self.live(world, trap) == 3)
        }
        // Its device is not barred by it: what it says next counts.
        var device = waiting[1].device
        let next = try await device.register()
        try await world.process()
        #expect(try await Self.status(world, (device, next.registrationID)) == .processed)
        _ = try await world.quarantine.drop(try #require(try await world.quarantined().first).name, app: nil)
        #expect(try await world.quarantined().isEmpty)
        #expect(try await Self.status(world, waiting[1]) == .partlyRejected)
    }

    @Test("SEC-8, WIRE-21: a link applies no registration that may crash the process")
    func notByOthers() async throws {
        let world = try await ServiceWorld()
        let waiting = try await Self.waiting(world)
        let trap = Self.trap(world, waiting[1].device.client)
        // The first process dies with its group.
        var hasDied = false
        _ = try await world.deaths(limit: 1, by: trap) { database, attempts, _ in
            do { _ = try await world.makeProcessor(database, attempts: attempts).processWaiting() } catch {
                hasDied = true
            }
        }
        #expect(hasDied)
        let (rows, groups) = (try await world.rows("work_attempts"), try await world.rows("registration_groups"))
        #expect(rows == 0 && groups == 1)
        // Another one takes the group apart and dies with it once more.
        _ = try await world.deaths(limit: 1, by: trap) { database, attempts, _ in
            let processor = world.makeProcessor(database, attempts: attempts)
            while try await processor.processWaiting() > 0 {}
        }
        #expect(try await world.rows("work_attempts", where: "status = 'open'") > 0)
        var device = waiting[1].device
        try await device.identify("anna")
        #expect(try await Self.status(world, waiting[1]) == .received)
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await world.rows("work_attempts", where: "attempts > 0") == 0)
    }

    @Test(
        "SEC-8: one small write records a group of a thousand registrations",
        .enabled(if: !TestPostgres.isDistributed, TestPostgres.isOfOneServer)
    )
    func cost() async throws {
        let world = try await ServiceWorld()
        for number in 1...120 {
            var device = try await ServiceDevice.started(world, number)
            _ = try await device.register()
        }
        let writes = Countdown(1_000)
        let counted = TrappingDatabase(world.database) { _ in
            _ = writes.next()
            return false
        }
        let processor = world.makeProcessor(counted, groupSize: 50)
        #expect(try await processor.processWaiting() == 50)
        let mark = try await world.database.read { connection in
            try connection.first("SELECT last_id - first_id FROM registration_groups", []) { $0.integer(0) }
        }
        #expect(mark == RegistrationGroupMark.span - 1)
        #expect(try await processor.processWaiting() == 50)
        #expect(try await processor.processWaiting() == 20)
        #expect(try await world.rows("registration_groups") == 0)
        #expect(writes.rest == 1_000 - 4)
    }
}
