import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct SilentPushStoryTests {
    @Test("IAM-2, PUSH-7: publishing wakes the opted-in devices of the audience, and nobody else")
    func whoIsWoken() async throws {
        let world = try await ServiceWorld()
        try await world.apps.putFCMCredentials(TestKeys.fcm(), app: world.app)
        _ = try await world.apps.putWebPushCredentials(TestKeys.webPush(), app: world.app)
        try await ServiceDevice.started(world, 1).putToken("token1")
        try await ServiceDevice.started(world, 2).putToken("token2", provider: .fcm)
        try await ServiceDevice.started(world, 3).putToken(TestKeys.subscription(), provider: .webpush)
        _ = try await world.optedOutDevice(4)
        _ = try await ServiceDevice.started(world, 5)
        try await ServiceDevice.started(world, 6).putToken("token6")
        let id = try await world.publish(audience: .not(.deviceIDs([ServiceWorld.client(6).rawValue])))
        await world.silentPushSender().runUntilIdle()

        #expect(Set(world.transport.requests.map(\.token)) == ["token1", "token2"])
        let push = try #require(world.transport.requests(for: "token1").first)
        #expect(push.fields["apns-push-type"] == "background" && push.fields["apns-priority"] == "5")
        #expect(push.payloadKeys == ["aps": ["content-available"], "belfry": ["sid", "to", "sync"]])
        #expect(push.sync == ["inApp"] && push.apnsID != nil)
        // The ledger waits for the devices themselves, those that cannot be woken among them.
        let counts = try await world.counts(id)
        #expect(counts.audience == 5 && counts.pending == 5)
        #expect(try await world.campaign(id).status == .active)
        #expect(world.silentPushes("accepted") == 2)
    }

    @Test("PUSH-7: the first silent push goes at once; reasons within 20 minutes share the next one")
    func coalesced() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let times = Dates()
        world.transport.onRequest { [clock = world.clock] _ in times.append(clock.now) }
        let sender = world.silentPushSender()
        for minute in 0..<10 {
            _ = try await world.publish("Number \(minute)")
            try await world.wakeDevices(
                until: ServiceWorld.epoch.addingTimeInterval(Double(minute + 1) * 60), by: sender)
        }
        try await world.wakeDevices(until: ServiceWorld.epoch.addingTimeInterval(7_200), by: sender)
        #expect(times.all == [ServiceWorld.epoch, ServiceWorld.epoch.addingTimeInterval(1_200)])
        #expect(Set(world.transport.requests.map(\.apnsID)).count == 2)
        // After that the budget has room again.
        _ = try await world.publish("Later")
        await sender.runUntilIdle()
        #expect(times.all.last == ServiceWorld.epoch.addingTimeInterval(7_200))
    }

    @Test("IAM-2: an edit wakes the devices again, and those that join the audience with it")
    func edit() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let first = Condition.deviceIDs([try ServiceWorld.client(1).rawValue])
        let id = try await world.publish(audience: first)
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        try await world.download(id, ServiceWorld.client(1))
        #expect(world.transport.requests.map(\.token) == ["token1"])
        world.clock.advance(by: 3_600)
        _ = try await world.campaigns.drafts.update(id, with: ServiceWorld.news("Newer"), app: world.app)
        await sender.runUntilIdle()
        #expect(world.transport.requests.map(\.token).sorted() == ["token1", "token1", "token2"])
        // What was downloaded is accepted, whatever was edited since.
        let counts = try await world.counts(id)
        #expect(counts.audience == 2 && counts.accepted == 1 && counts.pending == 1)
    }

    @Test("IAM-10: a recall wakes the devices with the message, and ends the others as cancelled")
    func recall() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.publish()
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        try await world.download(id, ServiceWorld.client(2))
        world.clock.advance(by: 3_600)
        _ = try await world.campaigns.life.recall(id, app: world.app)
        await sender.runUntilIdle()
        #expect(world.transport.requests.dropFirst(3).map(\.token) == ["token2"])
        let counts = try await world.counts(id)
        #expect(counts.accepted == 1 && counts.cancelled == 2 && counts.total == counts.audience)
    }

    @Test("CAMP-2: a paused campaign wakes nobody until it resumes")
    func pause() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let id = try await world.publish()
        _ = try await world.campaigns.life.pause(id, app: world.app)
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        #expect(world.transport.requests.isEmpty)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        await sender.runUntilIdle()
        #expect(world.transport.requests.count == 2)
        #expect(try await world.counts(id).pending == 2)
    }

    @Test("PUSH-7: a device that opts out between the reason and the push is not woken")
    func optedOutMeanwhile() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        let sender = world.silentPushSender()
        _ = try await world.publish("First")
        await sender.runUntilIdle()
        _ = try await world.publish("Second")
        await sender.runUntilIdle()
        try await device.register {
            $0.pushToken = "token1"
            $0.pushEnabled = false
        }
        try await world.process()
        try await world.wakeDevices(until: ServiceWorld.epoch.addingTimeInterval(1_200), by: sender)
        #expect(world.transport.requests.count == 1 && world.silentPushes("optedOut") == 1)
        #expect(try await world.silentPush(device.client)?.dueAt == nil)
    }

    @Test("PUSH-7: a running worker notices a publication at once, and finishes current work on shutdown")
    func running() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        world.transport.hold()
        let bell = AsyncSignal()
        let campaigns = CampaignServices(
            database: world.database, environment: world.environment,
            tests: TestDelivery(accounts: world.accounts, transport: world.transport, keys: world.keys),
            work: AsyncSignal(),
            inAppWork: bell
        )
        await world.shuttingDown(world.silentPushSender(work: bell)) {
            // Nothing to do: it sleeps.
            await world.clock.asleep(atLeast: 2)
            guard let id = try? await campaigns.drafts.create(ServiceWorld.news(), app: world.app).id else { return }
            _ = try? await campaigns.life.launch(id, app: world.app)
            await world.transport.received(3)
        } then: {
            world.transport.release()
        }
        #expect(world.transport.requests.count == 3 && world.silentPushes("accepted") == 3)
        #expect(try await world.silentPush(ServiceWorld.client(1))?.carried == [])
    }
}
