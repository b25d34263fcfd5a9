import BelfryModel
import BelfryPush
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct SilentPushRetryTests {
    /// When requests leave, in seconds since the beginning.
    private static func times(_ world: World) -> Dates {
        let dates = Dates()
        world.carrier.onRequest { [clock = world.clock] _ in dates.append(clock.now) }
        return dates
    }

    private static func seconds(_ dates: Dates) -> [Double] {
        dates.all.map { Double($0.milliseconds - World.epoch.milliseconds) / 1_000 }
    }

    @Test("PUSH-7: a silent push is tried again within a second, then doubling, and always under the same id")
    func schedule() async throws {
        let world = try await World()
        try await world.makeFleet(1)
        world.carrier.answer("token1", .tooMany, .serverError, .silence, .unsent, .accepted)
        let times = Self.times(world)
        _ = try await world.publish()
        try await world.wakeDevices(until: World.epoch.addingTimeInterval(60))
        // With a jitter of one half: three quarters of 1, 2, 4 and 8 seconds.
        #expect(Self.seconds(times) == [0, 0.75, 2.25, 5.25, 11.25])
        #expect(Set(world.carrier.requests.map(\.apnsID)).count == 1)
        #expect(Set(world.carrier.requests.map(\.collapseID)).count == 1)
        #expect(world.silentPushes("again") == 4 && world.silentPushes("accepted") == 1)
    }

    @Test(
        "PUSH-7: a silent push is given up after an hour, and the next reason makes a new one",
        arguments: [true, false])
    func giveUp(leaves: Bool) async throws {
        let world = try await World()
        try await world.makeFleet(1)
        world.carrier.answerAll(leaves ? .silence : .unsent)
        let sender = world.silentPushSender()
        _ = try await world.publish()
        try await world.wakeDevices(until: World.epoch.addingTimeInterval(7_200), by: sender)
        #expect(world.silentPushes("noAnswer") == 1)
        #expect(try await world.silentPush(World.client(1))?.dueAt == nil)
        let first = world.carrier.requests.count
        world.carrier.answerAll(.accepted)
        _ = try await world.publish("Again")
        await sender.runUntilIdle()
        #expect(world.carrier.requests.count == first + 1)
        #expect(Set(world.carrier.requests.map(\.apnsID)).count == 2)
    }

    @Test("PUSH-7: reasons that come while a push is put off go with it")
    func mergedWhileWaiting() async throws {
        let world = try await World()
        try await world.makeFleet(1)
        world.carrier.answer("token1", .refused(status: 503, reason: "ServiceUnavailable", retryAfter: 100), .accepted)
        let sender = world.silentPushSender()
        _ = try await world.publish("First")
        await sender.runUntilIdle()
        _ = try await world.publish("Second")
        try await world.wakeDevices(until: World.epoch.addingTimeInterval(7_200), by: sender)
        #expect(world.carrier.requests.count == 2)
    }

    @Test("PUSH-7: reasons that come while a push may have arrived get a push of their own, in time for the budget")
    func notMergedWithUnanswered() async throws {
        let world = try await World()
        try await world.makeFleet(1)
        world.carrier.answer("token1", .silence, .accepted)
        let times = Self.times(world)
        let sender = world.silentPushSender()
        _ = try await world.publish("First")
        await sender.runUntilIdle()
        _ = try await world.publish("Second")
        try await world.wakeDevices(until: World.epoch.addingTimeInterval(7_200), by: sender)
        #expect(Self.seconds(times) == [0, 0.75, 1_200.75])
        let ids = world.carrier.requests.map(\.apnsID)
        #expect(ids[0] == ids[1] && ids[1] != ids[2])
    }

    @Test("PUSH-7: one device's retry, or slow answer, holds up no other device")
    func others() async throws {
        let world = try await World()
        try await world.makeFleet(10)
        world.carrier.answer("token3", .tooMany, .accepted)
        _ = try await world.publish()
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        #expect(world.silentPushes("accepted") == 9)
        try await world.wakeDevices(until: World.epoch.addingTimeInterval(60), by: sender)
        #expect(world.silentPushes("accepted") == 10 && world.carrier.requests.count == 11)
    }

    @Test("REG-31: a silent push that meets a token that is gone opts its device out")
    func tokenFeedback() async throws {
        let world = try await World()
        try await world.makeFleet(3)
        world.carrier.answer("token1", .unregistered(since: nil))
        world.carrier.answer("token2", .badDeviceToken)
        _ = try await world.publish()
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        #expect(try await world.optOuts(.tokenInvalid) == 1)
        #expect(try await world.optOuts(.tokenMalformed) == 1)
        #expect(world.silentPushes("tokenFault") == 2 && world.silentPushes("accepted") == 1)
        // They are not woken any more.
        world.clock.advance(by: 3_600)
        _ = try await world.publish("Second")
        await sender.runUntilIdle()
        #expect(world.carrier.requests.dropFirst(3).map(\.token) == ["token3"])
    }

    @Test("REG-33: refused credentials are asked with few devices; silent pushes rest, and go on with others")
    func refusedCredentials() async throws {
        let world = try await World()
        try await world.makeFleet(2_000)
        world.carrier.answerAll(.invalidProviderToken)
        let id = try await world.publish()
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        let touched = world.carrier.requests.count
        #expect(touched <= 3 * 256)
        #expect(world.silentPushes("credentialFault") == 2_000)
        // The campaign goes on: a missed silent push costs nothing.
        #expect(try await world.campaign(id).status == .active)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        #expect(try await world.optOuts(.providerAuthentication) == 0)
        world.carrier.answerAll(.accepted)
        _ = try await world.campaigns.update(id, with: World.news("Newer"), app: world.app)
        await sender.runUntilIdle()
        #expect(world.silentPushes("accepted") == 2_000)
    }

    @Test("REG-33: after a rest, the same credentials are tried again")
    func restEnds() async throws {
        let world = try await World()
        try await world.makeFleet(1)
        world.carrier.answer("token1", .invalidProviderToken, .accepted)
        let sender = world.silentPushSender()
        _ = try await world.publish("First")
        await sender.runUntilIdle()
        world.clock.advance(by: 599)
        _ = try await world.publish("Second")
        await sender.runUntilIdle()
        #expect(world.carrier.requests.count == 1)
        world.clock.advance(by: 1)
        _ = try await world.publish("Third")
        await sender.runUntilIdle()
        #expect(world.carrier.requests.count == 2 && world.silentPushes("accepted") == 1)
    }

    @Test("REG-35: a wrong topic opts out few devices before silent pushes rest")
    func wrongTopic() async throws {
        let world = try await World()
        try await world.makeFleet(2_000)
        world.carrier.answerAll(.wrongTopic)
        _ = try await world.publish()
        await world.silentPushSender().runUntilIdle()
        #expect(world.carrier.requests.count <= 3 * 256)
        #expect(try await world.optOuts(.tokenMalformed) <= 3 * 256)
    }

    @Test("REG-33: stored credentials that cannot be opened end silent pushes without asking anybody")
    func unreadableCredentials() async throws {
        let world = try await World()
        try await world.makeFleet(2)
        _ = try await world.publish()
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE credentials SET sealed = ?", [.blob([1, 2, 3])])
        }
        await world.silentPushSender().runUntilIdle()
        #expect(world.carrier.requests.isEmpty && world.silentPushes("credentialFault") == 2)
        #expect(try await world.optOuts(.providerAuthentication) == 0)
    }

    @Test("PUSH-7: without credentials nobody is woken, and the campaign goes on")
    func noCredentials() async throws {
        let world = try await World()
        try await world.makeFleet(2)
        try await world.apps.removeCredentials(of: .apns, app: world.app)
        let id = try await world.publish()
        await world.silentPushSender().runUntilIdle()
        #expect(world.silentPushes("noCredentials") == 2)
        #expect(try await world.counts(id).pending == 2)
    }

    @Test("PUSH-1: an expired provider token is renewed, and the silent push goes on at once")
    func expiredProviderToken() async throws {
        let world = try await World()
        try await world.makeFleet(2)
        let sender = world.silentPushSender()
        _ = try await world.publish(audience: .deviceIDs([World.client(1).rawValue]))
        await sender.runUntilIdle()
        // Half an hour later it is older than APNs, by its own clock, accepts.
        world.clock.advance(by: 1_800)
        world.carrier.answer("token2", .expiredProviderToken, .accepted)
        _ = try await world.publish(audience: .deviceIDs([World.client(2).rawValue]))
        await sender.runUntilIdle()
        let tokens = world.carrier.requests.map(\.authorization)
        #expect(tokens.count == 3 && tokens[0] == tokens[1] && tokens[1] != tokens[2])
        #expect(world.silentPushes("accepted") == 2)
    }
}
