import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// REL-6: a worker dies while its clock is a day ahead. The clocks of the others are right.
struct LeaseWatchTests {
    private static let day: TimeInterval = 86_400

    /// The watch of a process that lives on.
    private struct Watch {
        let watch: LeaseWatch
        var sightings = LeaseSightings()

        init(_ world: ServiceWorld, over database: (any SQLDatabase)? = nil, clock: ClockWatch = ClockWatch()) {
            watch = LeaseWatch(
                database: database ?? world.database, environment: world.environment, clocks: [clock],
                logger: world.logger
            )
        }

        mutating func look(_ times: Int = 1) async {
            for _ in 0..<times { await watch.look(&sightings) }
        }
    }

    private static func hasLease(
        _ work: LeasedWork, of owner: String
    ) -> @Sendable (any SQLConnection) throws -> Bool {
        { connection in
            try connection.leases.ending(after: .distantPast, limit: 9).contains { lease in
                lease.work == work && lease.owner == owner
            }
        }
    }

    @Test("REL-6, PUSH-5: what a dead worker holds by a clock a day ahead is sent after the time of a lease")
    func batches() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        // It has seen its clock before, which was never set back.
        let clock = ClockWatch()
        let heir = CampaignDispatcher(
            owner: "b", pipeline: world.pipeline(over: nil, transport: nil, attempts: nil), work: AsyncSignal(),
            clock: clock
        )
        await heir.runUntilIdle()
        world.clock.advance(by: Self.day)
        let id = try await world.launch()
        let mortal = MortalDatabase(world.database, isLastWrite: Self.hasLease(.batch, of: "a"))
        await world.dispatcher("a", database: mortal).runUntilIdle()
        world.clock.advance(by: -Self.day)
        var watch = Watch(world, clock: clock)
        await watch.look(LeaseSightings.patience)
        await heir.runUntilIdle()
        #expect(world.transport.requests.isEmpty, "its holder may renew it still")
        await watch.look()
        await heir.runUntilIdle()
        #expect(try await world.counts(id).accepted == 3)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("REL-6, PUSH-7: a silent push that a dead worker holds by a clock a day ahead does not wait for that day")
    func silentPushes() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        world.clock.advance(by: Self.day)
        _ = try await world.publish()
        let mortal = MortalDatabase(world.database, isLastWrite: Self.hasLease(.silentPush, of: "a"))
        await world.silentPushSender("a", database: mortal).runUntilIdle()
        world.clock.advance(by: -Self.day)
        let heir = world.silentPushSender("b")
        await heir.runUntilIdle()
        #expect(world.transport.requests.isEmpty)
        var watch = Watch(world)
        await watch.look(LeaseSightings.patience + 1)
        await heir.runUntilIdle()
        #expect(world.transport.requests.count == 2)
    }

    @Test("REL-6, CON-12: a rehearsal whose worker died by a clock a day ahead is begun anew")
    func rehearsals() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.draft(ServiceWorld.draft())
        world.clock.advance(by: Self.day)
        let started = try await world.rehearsals.start(id, app: world.app)
        let mortal = MortalDatabase(world.database, isLastWrite: Self.hasLease(.rehearsal, of: "dead"))
        await world.rehearser("dead", over: mortal).runUntilIdle()
        world.clock.advance(by: -Self.day)
        await world.rehearser().runUntilIdle()
        #expect(try await world.rehearsals.find(started.id, of: id, app: world.app).status == .running)
        var watch = Watch(world)
        await watch.look(LeaseSightings.patience + 1)
        await world.rehearser().runUntilIdle()
        #expect(try await world.rehearsals.find(started.id, of: id, app: world.app).status == .done)
    }

    @Test("REL-6, SEC-8: registrations amid which a process died by a clock a day ahead are taken apart")
    func registrations() async throws {
        let world = try await ServiceWorld()
        world.clock.advance(by: Self.day)
        var device = try await ServiceDevice.started(world, 1)
        _ = try await device.register()
        let mortal = MortalDatabase(world.database, isLastWrite: Self.hasLease(.registrationGroup, of: "dead"))
        let attempts = world.makeAttempts("dead", over: mortal)
        await #expect(throws: MortalDatabase.Dead.self) {
            _ = try await world.makeProcessor(mortal, attempts: attempts).processWaiting()
        }
        world.clock.advance(by: -Self.day)
        #expect(try await world.rows("registration_groups") == 1)
        var watch = Watch(world)
        await watch.look(LeaseSightings.patience + 1)
        // Whoever comes takes the group apart: what was in it is worked on alone.
        try await world.process()
        #expect(try await world.rows("registration_groups") == 0)
        #expect(try await world.rows("registrations", where: "status = 'processed'") == 1)
    }

    @Test("REL-6, PUSH-5: whoever is alive keeps what it holds, though its clock is ahead or the others' are behind")
    func alive() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(3)
        world.transport.hold()
        let id = try await world.launch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let dispatcher = world.dispatcher("a")
            group.addTask { await dispatcher.runUntilIdle() }
            await world.transport.received(3)
            var watch = Watch(world)
            for second in 0..<8 {
                // Each of them, as it regularly does; the clock is the one's and then the other's.
                world.clock.advance(by: Self.day + Double(second) * LeaseTerm.renewal)
                #expect(await dispatcher.renewLeases())
                world.clock.advance(by: -Self.day - Double(second) * LeaseTerm.renewal)
                await watch.look()
            }
            let found = try await world.database.read { connection in
                try connection.leases.ending(after: .distantPast, limit: 9)
            }
            #expect(found.map(\.owner) == ["a"])
            world.transport.release()
            try await group.waitForAll()
        }
        #expect(try await world.counts(id).accepted == 3 && world.transport.requests.count == 3)
    }

    @Test("REL-6: a look that fails counts for nobody: holders could not renew either")
    func databaseAway() async throws {
        struct Away: Error {}
        let world = try await ServiceWorld()
        let (owner, far) = ("dead", world.clock.now.addingTimeInterval(Self.day))
        try await world.database.write { try $0.registrationGroups.begin(1...9, owner: owner, until: far) }
        var watch = Watch(world)
        await watch.look(LeaseSightings.patience)
        let away = FaultyDatabase(world.database) { _ in throw Away() }
        await Watch(world, over: away).watch.look(&watch.sightings)
        await watch.look(LeaseSightings.patience)
        #expect(try await world.rows("registration_groups", where: "lease_until > 0") == 1)
        await watch.look()
        #expect(try await world.rows("registration_groups", where: "lease_until > 0") == 0)
        let warnings = world.log.entries.filter { "\($0.message)".contains("a wrong clock had made too long") }
        #expect(warnings.count == 1)
    }

    @Test("REL-6, PUSH-5: a lease is given up when it stood for the time of one, and counted anew when it was renewed")
    func sightings() {
        let until = ServiceWorld.epoch
        let dead = StoredLease(.rehearsal, number: 1, owner: "a", until: until)
        var sightings = LeaseSightings()
        for look in 0..<LeaseSightings.patience {
            let renewed = StoredLease(
                .rehearsal, number: 2, owner: "b", until: until.addingTimeInterval(Double(look))
            )
            let abandoned = sightings.abandoned(among: [dead, renewed])
            #expect(abandoned.isEmpty)
        }
        let abandoned = sightings.abandoned(among: [dead])
        #expect(abandoned == [dead])
        // It was away meanwhile: given back, and lent again.
        let none = sightings.abandoned(among: [])
        let again = sightings.abandoned(among: [dead])
        #expect(none.isEmpty && again.isEmpty)
    }
}
