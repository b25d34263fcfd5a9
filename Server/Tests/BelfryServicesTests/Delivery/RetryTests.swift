import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct RetryTests {
    @Test("CAMP-5: when a push service takes long to answer, whoever is left is looked at anew before anything is sent")
    func slowService() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(300)
        world.transport.hold()
        let end = world.clock.now.addingTimeInterval(30)
        let id = try await world.launch(schedule: CampaignSchedule(expiresAt: end))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher("a").runUntilIdle() }
            await world.transport.received(256)
            world.clock.advance(by: 30)
            world.transport.release()
        }
        let counts = try await world.counts(id)
        #expect(counts.accepted == 256 && counts.suppressed == 44)
        #expect(world.transport.requests.count == 256)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("PUSH-5: a retry comes first within a second, then doubling, and always with the same ids")
    func schedule() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .tooMany, .serverError, .silence, .serverError, .accepted)
        let times = TimeLog(world)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        // With a jitter of one half: three quarters of 1, 2, 4 and 8 seconds.
        #expect(times.pauses == [0.75, 1.5, 3, 6])
        let requests = world.transport.requests
        #expect(Set(requests.map(\.apnsID)) == [MessageID.make(campaign: id, device: try ServiceWorld.client(1)).text])
        #expect(Set(requests.map(\.collapseID)).count == 1)
        #expect(Set(requests.map(\.body)).count == 1)
        let row = try await world.delivery(id, ServiceWorld.client(1))
        #expect(row?.state == .accepted && row?.attempts == 5)
    }

    @Test("PUSH-5: a late first send is retried for as long as any other")
    func lateFirstAttempt() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .serverError, .tooMany, .accepted)
        let id = try await world.launch()
        // No worker runs for longer than a send is retried.
        world.clock.advance(by: 25 * 3_600)
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
    }

    @Test(
        "LED-1: a send that may not be retried ends without a response, and says why", arguments: [true, false])
    func abandoned(_ optsOut: Bool) async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.answer("token1", .silence)
        var content = ServiceWorld.content
        content.ttlSeconds = 60
        let id = try await world.launch(push: content)
        await world.dispatcher().runUntilIdle()
        _ = try await world.campaigns.life.pause(id, app: world.app)
        if optsOut { try await device.register { $0.pushEnabled = false } }
        try await world.process()
        world.clock.advance(by: optsOut ? 1 : 61)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        let row = try await world.delivery(id, device)
        #expect(row?.state == .rejected && row?.reason == .noAnswer)
        let sentence = try await world.explainer.explain(id, device: device.client.rawValue, app: world.app).sentence
        #expect(sentence.contains(optsOut ? "once without success and was not retried" : "did not respond in time"))
        #expect(sentence.contains("switched push off") == optsOut)
    }

    @Test("LED-1: a send that could not leave in time ends without a response, with its cause")
    func neverLeft() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        for number in 1...3 { world.transport.answer("token\(number)", .unsent) }
        var content = ServiceWorld.content
        content.ttlSeconds = 3
        let id = try await world.launch(push: content)
        await world.dispatcher().runUntilIdle()
        // The worker comes back when the message's time is over.
        world.clock.advance(by: 10)
        try await world.sendToTheEnd()
        for number in 1...3 {
            let row = try await world.delivery(id, ServiceWorld.client(number))
            #expect(row?.state == .rejected && row?.reason == .noAnswer && row?.note?.contains("no connection") == true)
        }
    }

    @Test("LED-1: a send that was answered 'later' until its time was over ends as expired, also over a pause")
    func deferredTooLong() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        world.transport.answer(
            "token1", .rejected(status: 429, reason: "TooManyRequests", retryAfter: 120)
        )
        world.transport.answer("token2", .serverError, .unsent)
        world.transport.answer("token3", .tooMany)
        var content = ServiceWorld.content
        content.ttlSeconds = 60
        let id = try await world.launch(push: content)
        await world.dispatcher().runUntilIdle()
        world.clock.advance(by: 10)
        await world.dispatcher().runUntilIdle()
        _ = try await world.campaigns.life.pause(id, app: world.app)
        world.clock.advance(by: 61)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        for (number, note) in [
            (1, "TooManyRequests"), (2, "not sent after InternalServerError: no connection"), (3, "TooManyRequests"),
        ] {
            let row = try await world.delivery(id, ServiceWorld.client(number))
            #expect(row?.state == .rejected && row?.reason == .expired && row?.note == note)
        }
        let counts = try await world.counts(id)
        #expect(counts.rejected == 3 && counts.total == counts.audience)
    }

    @Test("PUSH-4: Retry-After is respected")
    func retryAfter() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer(
            "token1", .rejected(status: 503, reason: "ServiceUnavailable", retryAfter: 100), .accepted
        )
        let times = TimeLog(world)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        #expect(times.pauses.count == 1 && (100...110).contains(times.pauses[0]))
    }

    @Test(
        "REG-33, SEC-8: a resume hastens no device itself: each batch does, and what a dead worker did not reach, the next"
    )
    func hastenedBatches() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        let last = CampaignPlanner.batchSize + 1
        try await world.makeFleet(last)
        for number in [1, last] {
            world.transport.answer(
                "token\(number)", .rejected(status: 503, reason: "ServiceUnavailable", retryAfter: 100), .accepted
            )
        }
        let id = try await world.launch()
        await world.dispatcher("a").runUntilIdle()
        #expect(try await world.counts(id).pending == 2)
        #expect(try await world.rows("batches") == 2)
        _ = try await world.campaigns.life.pause(id, app: world.app)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        #expect(try await world.rows("deliveries", where: "retry_at IS NOT NULL") == 2)
        let mortal = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                let left = try connection.first("SELECT count(*) FROM batches WHERE available_at < 0", []) {
                    $0.integer(0)
                }
                // Both batches are in work at once: the write of the second may be on its way by then.
                if left == 0 { throw MortalDatabase.Dead() }
                return left == 1
            }
        )
        await world.dispatcher("a", database: mortal).runUntilIdle()
        #expect(try await world.rows("deliveries", where: "retry_at IS NOT NULL") == 1)
        // The leases of the dead one end long before a retry would be due.
        world.clock.advance(by: 15)
        await world.dispatcher("b").runUntilIdle()
        #expect(try await world.counts(id).accepted == last)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("PUSH-5: one device's retry delays no other")
    func others() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(10)
        world.transport.answer("token3", .tooMany, .accepted)
        let id = try await world.launch()
        await world.dispatcher().runUntilIdle()
        let counts = try await world.counts(id)
        #expect(counts.accepted == 9 && counts.pending == 1)
        #expect(try await world.campaign(id).status == .sending)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 10)
        #expect(world.transport.requests.count == 11)
    }

    @Test("LED-1: a device without any response ends as noAnswer within a day, and the campaign with it")
    func abandon() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answerAll(.silence)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.reason == .noAnswer)
        #expect(try await world.campaign(id).status == .completed)
        #expect(world.clock.now <= ServiceWorld.epoch.addingTimeInterval(86_400))
        #expect(world.clock.now > ServiceWorld.epoch.addingTimeInterval(86_000))
    }

    @Test("PUSH-4: a send that never left is retried soon and is no attempt, even with a life of 0")
    func unsent() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.answer("token1", .unsent, .unsent, .unsent, .accepted)
        let times = TimeLog(world)
        var content = ServiceWorld.content
        content.ttlSeconds = 0
        let id = try await world.launch(push: content)
        await world.dispatcher().runUntilIdle()
        let waiting = try await world.explainer.explain(id, device: device.client.rawValue, app: world.app).sentence
        #expect(
            waiting
                == "It has not been sent yet and will be retried; the last time it could not be sent (no connection)."
        )
        try await world.sendToTheEnd()
        #expect(times.pauses == [0.75, 0.75, 1.5])
        let row = try await world.delivery(id, device)
        #expect(row?.state == .accepted && row?.attempts == 1 && row?.note == nil)
    }

    @Test("PUSH-1: apps on one key share its provider token, and putting the same key again keeps it")
    func sharedProviderToken() async throws {
        let world = try await ServiceWorld()
        let key = TestKeys.privateKey()
        try await world.apps.putAPNsCredentials(TestKeys.apns(privateKey: key), app: world.app)
        try await world.makeFleet(1)
        let other = try await world.apps.create(code: "other", name: "Other").app
        let secret = TestKeys.apns(privateKey: key, topic: "com.example.other")
        try await world.apps.putAPNsCredentials(secret, app: other)
        let (client, app) = (try ServiceWorld.client(2), other.id)
        try await world.database.write { connection in
            var device = try connection.devices.findOrInsert(app: app, client: client, now: ServiceWorld.epoch)
            device.pushToken = try PushToken("token2", provider: .apns, environment: .production)
            try connection.devices.save(device)
        }
        let dispatcher = world.dispatcher()
        _ = try await world.launch()
        let second = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: other).id
        _ = try await world.campaigns.life.launch(second, app: other)
        await dispatcher.runUntilIdle()
        world.clock.advance(by: 60)
        try await world.apps.putAPNsCredentials(TestKeys.apns(privateKey: key), app: world.app)
        _ = try await world.launch()
        await dispatcher.runUntilIdle()
        #expect(world.transport.requests.count == 3)
        #expect(Set(world.transport.requests.map(\.authorization)).count == 1)
        #expect(Set(world.transport.requests.map { $0.fields["apns-topic"] }).count == 2)
        // Another key has another token.
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        _ = try await world.launch()
        await dispatcher.runUntilIdle()
        #expect(Set(world.transport.requests.map(\.authorization)).count == 2)
    }

    @Test("PUSH-1: an expired provider token is renewed, and the send continues at once")
    func expiredProviderToken() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let first = try await world.launch(audience: .deviceIDs([ServiceWorld.client(1).rawValue]))
        let dispatcher = world.dispatcher()
        await dispatcher.runUntilIdle()
        // Half an hour later it is older than APNs, by its own clock, accepts.
        world.clock.advance(by: 1_800)
        world.transport.answer("token2", .expiredProviderToken, .accepted)
        let second = try await world.launch(audience: .deviceIDs([ServiceWorld.client(2).rawValue]))
        await dispatcher.runUntilIdle()
        #expect(try await world.counts(first).accepted == 1)
        #expect(try await world.counts(second).accepted == 1)
        let tokens = world.transport.requests.map(\.authorization)
        #expect(tokens.count == 3 && tokens[0] == tokens[1] && tokens[1] != tokens[2])
        #expect(try await world.optOuts(.providerAuthentication) == 0)
    }

    @Test("REG-33: a new provider token that is called expired means a wrong clock: the campaign pauses")
    func wrongClock() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answerAll(.expiredProviderToken)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let campaign = try await world.campaign(id)
        #expect(campaign.status == .paused)
        #expect(campaign.statusReason?.contains("clock") == true)
        #expect(try await world.counts(id).pending == 1)
        #expect(world.transport.requests.count == 1)
    }
}

/// When requests left.
private final class TimeLog: Sendable {
    private let dates = Dates()

    init(_ world: ServiceWorld) {
        let (clock, dates) = (world.clock, dates)
        world.transport.onRequest { _ in dates.append(clock.now) }
    }

    /// Seconds between one request and the next, to the millisecond.
    var pauses: [TimeInterval] {
        let moments = dates.all.map(\.milliseconds)
        return zip(moments.dropFirst(), moments).map { Double($0 - $1) / 1000 }
    }
}
