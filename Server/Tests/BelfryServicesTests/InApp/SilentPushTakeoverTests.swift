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
        let world = try await World()
        try await world.makeFleet(3)
        _ = try await world.publish()
        let mortal = MortalDatabase(world.database, isLastWrite: Self.isLeased)
        await world.silentPushSender("a", database: mortal).runUntilIdle()
        #expect(world.carrier.requests.isEmpty)
        let heir = world.silentPushSender("b")
        world.clock.advance(by: 14.9)
        await heir.runUntilIdle()
        #expect(world.carrier.requests.isEmpty)
        world.clock.advance(by: 0.1)
        await heir.runUntilIdle()
        #expect(world.carrier.requests.count == 3 && world.silentPushes("accepted") == 3)
    }

    @Test("PUSH-7: a worker that dies between a push and its note has it repeated under the same id, and no other")
    func deathBeforeSettling() async throws {
        let world = try await World()
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
            onDeath: { world.carrier.release() }
        )
        world.carrier.hold(after: 2)
        await world.silentPushSender("a", database: mortal).runUntilIdle()
        let first = world.carrier.requests
        #expect(first.count == 5)
        // A reason that comes while nobody knows what arrived gets a push of its own later.
        _ = try await world.publish("Second")
        world.clock.advance(by: 15)
        let heir = world.silentPushSender("b")
        await heir.runUntilIdle()
        let repeated = world.carrier.requests.dropFirst(5)
        #expect(repeated.count == 3)
        for push in repeated {
            #expect(first.contains { $0.token == push.token && $0.apnsID == push.apnsID && $0.body == push.body })
        }
        try await world.wakeDevices(until: World.epoch.addingTimeInterval(3_600), by: heir)
        #expect(world.carrier.requests.count == 13)
        #expect(Set(world.carrier.requests.map(\.apnsID)).count == 10)
    }

    @Test("PUSH-7: on a store that one process has alone, a start ends the leases of a dead one")
    func start() async throws {
        let world = try await World()
        try await world.makeFleet(2)
        _ = try await world.publish()
        let mortal = MortalDatabase(world.database, isLastWrite: Self.isLeased)
        await world.silentPushSender("a", database: mortal).runUntilIdle()
        try await world.database.write { try $0.silentPushes.endLeases() }
        await world.silentPushSender("b").runUntilIdle()
        #expect(world.carrier.requests.count == 2)
    }

    @Test("PUSH-7: two workers share the pushes; every device is woken once")
    func twoWorkers() async throws {
        let world = try await World()
        try await world.makeFleet(2_500)
        _ = try await world.publish()
        await withTaskGroup(of: Void.self) { group in
            for owner in ["a", "b"] { group.addTask { await world.silentPushSender(owner).runUntilIdle() } }
        }
        // What the other one had just begun when one had nothing left.
        await world.silentPushSender("c").runUntilIdle()
        #expect(world.carrier.requests.count == 2_500)
        #expect(Set(world.carrier.requests.map(\.token)).count == 2_500)
    }

    @Test("PUSH-7: leases are prolonged while a push service takes its time")
    func renewal() async throws {
        let world = try await World()
        try await world.makeFleet(3)
        world.carrier.hold()
        _ = try await world.publish()
        let (app, clock) = (world.app.id, world.clock)
        await world.shuttingDown(world.silentPushSender("a")) {
            await world.carrier.received(3)
            for _ in 0..<6 {
                // Both sleep again, the alarm of the loop and the renewal, so the renewal has been written.
                await clock.asleep(atLeast: 2)
                clock.advance(by: 5)
            }
            await clock.asleep(atLeast: 2)
            let due = try? await world.database.write { try $0.silentPushes.due(app: app, now: clock.now, limit: 9) }
            #expect(due?.isEmpty == true)
        } then: {
            world.carrier.release()
        }
        #expect(world.carrier.requests.count == 3 && world.silentPushes("accepted") == 3)
    }

    @Test("PUSH-7: a worker whose leases went elsewhere writes nothing over what the other one has")
    func lostLease() async throws {
        let world = try await World()
        try await world.makeFleet(1)
        world.carrier.hold()
        _ = try await world.publish()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.silentPushSender("a").runUntilIdle() }
            await world.carrier.received(1)
            try await world.database.write { connection in
                _ = try connection.execute("UPDATE silent_pushes SET lease_owner = 'b'")
            }
            world.carrier.release()
            try await group.waitForAll()
        }
        #expect(try await world.silentPush(World.client(1))?.carried == .inApp)
        world.clock.advance(by: 15)
        await world.silentPushSender("b").runUntilIdle()
        #expect(Set(world.carrier.requests.map(\.apnsID)).count == 1 && world.carrier.requests.count == 2)
        #expect(try await world.silentPush(World.client(1))?.carried == [])
    }

    @Test("PUSH-7: an app whose push service does not answer holds up no other app")
    func otherApps() async throws {
        let world = try await World()
        try await world.makeFleet(2_000)
        let other = try await world.apps.create(code: "other", name: "Other").app
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: other)
        let client = try World.client(9_999)
        try await world.database.write { connection in
            var device = try connection.devices.findOrInsert(app: other.id, client: client, now: World.epoch)
            device.pushToken = try PushToken("other", provider: .apns, environment: .production)
            try connection.devices.save(device)
        }
        _ = try await world.publish()
        let id = try await world.campaigns.create(World.news("Theirs"), app: other).id
        _ = try await world.campaigns.launch(id, app: other)
        world.carrier.hold()
        await world.shuttingDown(world.silentPushSender()) {
            // Three rounds of the one, and the one of the other.
            await world.carrier.received(3 * 256 + 1)
        } then: {
            world.carrier.release()
        }
        #expect(world.carrier.requests(for: "other").count == 1)
    }
}
