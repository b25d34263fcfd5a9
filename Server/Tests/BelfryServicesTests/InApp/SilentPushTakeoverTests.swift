import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct SilentPushTakeoverTests {
    private static func isLeased(_ connection: any SQLConnection) throws -> Bool {
        try connection.first("SELECT count(*) FROM silent_pushes WHERE lease_owner = 'a'", []) { $0.flag(0) } ?? false
    }

    @Test("PUSH-7: a worker that dies with its leases, before it sent anything, loses no push")
    func deathAfterClaim() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        _ = try await world.publish()
        let mortal = MortalDatabase(world.database, isLastWrite: Self.isLeased)
        await world.silentPushSender("a", database: mortal).runUntilIdle()
        #expect(world.transport.requests.isEmpty)
        let heir = world.silentPushSender("b")
        world.clock.advance(by: 14.9)
        await heir.runUntilIdle()
        #expect(world.transport.requests.isEmpty)
        world.clock.advance(by: 0.1)
        await heir.runUntilIdle()
        #expect(world.transport.requests.count == 3 && world.silentPushes("accepted") == 3)
    }

    @Test("PUSH-7: if a worker dies between a push and its record, it is repeated under the same id")
    func deathBeforeSettling() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(5)
        _ = try await world.publish()
        let mortal = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                let settled = try connection.first("SELECT count(*) FROM silent_pushes WHERE due_at IS NULL", []) {
                    $0.integer(0)
                }
                return settled == 2
            },
            onDeath: { world.transport.release() }
        )
        world.transport.hold(after: 2)
        await world.silentPushSender("a", database: mortal).runUntilIdle()
        let first = world.transport.requests
        #expect(first.count == 5)
        // A reason that comes while nobody knows what arrived gets a push of its own later.
        _ = try await world.publish("Second")
        world.clock.advance(by: 15)
        let heir = world.silentPushSender("b")
        await heir.runUntilIdle()
        let repeated = world.transport.requests.dropFirst(5)
        #expect(repeated.count == 3)
        for push in repeated {
            #expect(first.contains { $0.token == push.token && $0.apnsID == push.apnsID && $0.body == push.body })
        }
        try await world.wakeDevices(until: ServiceWorld.epoch.addingTimeInterval(3_600), by: heir)
        #expect(world.transport.requests.count == 13)
        #expect(Set(world.transport.requests.map(\.apnsID)).count == 10)
    }

    @Test("PUSH-7: on a store with one process, a start ends the leases of a dead one")
    func start() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        _ = try await world.publish()
        let mortal = MortalDatabase(world.database, isLastWrite: Self.isLeased)
        await world.silentPushSender("a", database: mortal).runUntilIdle()
        try await world.database.write { try $0.silentPushes.endLeases() }
        await world.silentPushSender("b").runUntilIdle()
        #expect(world.transport.requests.count == 2)
    }

    @Test("PUSH-7: two workers share the pushes; every device is woken once")
    func twoWorkers() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2_500)
        _ = try await world.publish()
        await withTaskGroup(of: Void.self) { group in
            for owner in ["a", "b"] { group.addTask { await world.silentPushSender(owner).runUntilIdle() } }
        }
        // What the other one had just begun when one had nothing left.
        await world.silentPushSender("c").runUntilIdle()
        #expect(world.transport.requests.count == 2_500)
        #expect(Set(world.transport.requests.map(\.token)).count == 2_500)
    }

    @Test("PUSH-7: leases are renewed while a push service is slow")
    func renewal() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        world.transport.hold()
        _ = try await world.publish()
        let (app, clock) = (world.app.id, world.clock)
        await world.shuttingDown(world.silentPushSender("a")) {
            await world.transport.received(3)
            for _ in 0..<6 {
                // Both sleep again, the alarm of the loop and the renewal, so the renewal has been written.
                await clock.asleep(atLeast: 2)
                clock.advance(by: 5)
            }
            await clock.asleep(atLeast: 2)
            let due = try? await world.database.write { try $0.silentPushes.due(app: app, now: clock.now, limit: 9) }
            #expect(due?.isEmpty == true)
        } then: {
            world.transport.release()
        }
        #expect(world.transport.requests.count == 3 && world.silentPushes("accepted") == 3)
    }

    @Test("PUSH-7: a worker that lost its leases does not overwrite the other one's results")
    func lostLease() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.hold()
        _ = try await world.publish()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.silentPushSender("a").runUntilIdle() }
            await world.transport.received(1)
            try await world.database.write { connection in
                _ = try connection.execute("UPDATE silent_pushes SET lease_owner = 'b'")
            }
            world.transport.release()
            try await group.waitForAll()
        }
        #expect(try await world.silentPush(ServiceWorld.client(1))?.carried == .inApp)
        world.clock.advance(by: 15)
        await world.silentPushSender("b").runUntilIdle()
        #expect(Set(world.transport.requests.map(\.apnsID)).count == 1 && world.transport.requests.count == 2)
        #expect(try await world.silentPush(ServiceWorld.client(1))?.carried == [])
    }

    @Test("PUSH-7: an app whose push service does not respond delays no other app")
    func otherApps() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2_000)
        let other = try await world.apps.create(code: "other", name: "Other").app
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: other)
        let client = try ServiceWorld.client(9_999)
        try await world.database.write { connection in
            var device = try connection.devices.findOrInsert(app: other.id, client: client, now: ServiceWorld.epoch)
            device.pushToken = try PushToken("other", provider: .apns, environment: .production)
            try connection.devices.save(device)
        }
        _ = try await world.publish()
        let id = try await world.campaigns.drafts.create(ServiceWorld.news("Theirs"), app: other).id
        _ = try await world.campaigns.life.launch(id, app: other)
        world.transport.hold()
        await world.shuttingDown(world.silentPushSender()) {
            // Three rounds of the one, and the one of the other.
            await world.transport.received(3 * 256 + 1)
        } then: {
            world.transport.release()
        }
        #expect(world.transport.requests(for: "other").count == 1)
    }
}
