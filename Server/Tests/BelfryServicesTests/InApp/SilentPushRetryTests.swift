import BelfryModel
import BelfryPush
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct SilentPushRetryTests {
    /// When requests leave, in seconds since the beginning.
    private static func times(_ world: ServiceWorld) -> Dates {
        let dates = Dates()
        world.transport.onRequest { [clock = world.clock] _ in dates.append(clock.now) }
        return dates
    }

    private static func seconds(_ dates: Dates) -> [Double] {
        dates.all.map { Double($0.milliseconds - ServiceWorld.epoch.milliseconds) / 1_000 }
    }

    @Test("PUSH-7: a silent push is retried within a second, then doubling, and always under the same id")
    func schedule() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .tooMany, .serverError, .silence, .unsent, .accepted)
        let times = Self.times(world)
        _ = try await world.publish()
        try await world.wakeDevices(until: ServiceWorld.epoch.addingTimeInterval(60))
        // With a jitter of one half: three quarters of 1, 2, 4 and 8 seconds.
        #expect(Self.seconds(times) == [0, 0.75, 2.25, 5.25, 11.25])
        #expect(Set(world.transport.requests.map(\.apnsID)).count == 1)
        #expect(Set(world.transport.requests.map(\.collapseID)).count == 1)
        #expect(world.silentPushes("again") == 4 && world.silentPushes("accepted") == 1)
    }

    @Test(
        "PUSH-7: a silent push is given up after an hour, and the next reason creates a new one",
        arguments: [true, false])
    func abandon(leaves: Bool) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answerAll(leaves ? .silence : .unsent)
        let sender = world.silentPushSender()
        _ = try await world.publish()
        try await world.wakeDevices(until: ServiceWorld.epoch.addingTimeInterval(7_200), by: sender)
        #expect(world.silentPushes("noAnswer") == 1)
        #expect(try await world.silentPush(ServiceWorld.client(1))?.dueAt == nil)
        let first = world.transport.requests.count
        world.transport.answerAll(.accepted)
        _ = try await world.publish("Again")
        await sender.runUntilIdle()
        #expect(world.transport.requests.count == first + 1)
        #expect(Set(world.transport.requests.map(\.apnsID)).count == 2)
    }

    @Test("PUSH-7: reasons that arise while a push is delayed are added to it")
    func mergedWhileWaiting() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer(
            "token1", .rejected(status: 503, reason: "ServiceUnavailable", retryAfter: 100), .accepted)
        let sender = world.silentPushSender()
        _ = try await world.publish("First")
        await sender.runUntilIdle()
        _ = try await world.publish("Second")
        try await world.wakeDevices(until: ServiceWorld.epoch.addingTimeInterval(7_200), by: sender)
        #expect(world.transport.requests.count == 2)
    }

    @Test("PUSH-7: reasons that arise while a push may have arrived get their own push, within the budget")
    func notMergedWithUnanswered() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .silence, .accepted)
        let times = Self.times(world)
        let sender = world.silentPushSender()
        _ = try await world.publish("First")
        await sender.runUntilIdle()
        _ = try await world.publish("Second")
        try await world.wakeDevices(until: ServiceWorld.epoch.addingTimeInterval(7_200), by: sender)
        #expect(Self.seconds(times) == [0, 0.75, 1_200.75])
        let ids = world.transport.requests.map(\.apnsID)
        #expect(ids[0] == ids[1] && ids[1] != ids[2])
    }

    @Test("PUSH-7: one device's retry, or slow response, delays no other device")
    func others() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(10)
        world.transport.answer("token3", .tooMany, .accepted)
        _ = try await world.publish()
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        #expect(world.silentPushes("accepted") == 9)
        try await world.wakeDevices(until: ServiceWorld.epoch.addingTimeInterval(60), by: sender)
        #expect(world.silentPushes("accepted") == 10 && world.transport.requests.count == 11)
    }

    @Test("REG-31: a silent push to an unregistered token opts its device out")
    func tokenFeedback() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        world.transport.answer("token1", .unregistered(since: nil))
        world.transport.answer("token2", .badDeviceToken)
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
        #expect(world.transport.requests.dropFirst(3).map(\.token) == ["token3"])
    }

    @Test("REG-33: rejected credentials are tried with few devices; silent pushes are suspended")
    func rejectedCredentials() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2_000)
        world.transport.answerAll(.invalidProviderToken)
        let id = try await world.publish()
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        let touched = world.transport.requests.count
        #expect(touched <= 3 * 256)
        #expect(world.silentPushes("credentialFault") == 2_000)
        // The campaign continues: a missed silent push costs nothing.
        #expect(try await world.campaign(id).status == .active)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        #expect(try await world.optOuts(.providerAuthentication) == 0)
        world.transport.answerAll(.accepted)
        _ = try await world.campaigns.drafts.update(id, with: ServiceWorld.news("Newer"), app: world.app)
        await sender.runUntilIdle()
        #expect(world.silentPushes("accepted") == 2_000)
    }

    @Test("REG-33: after a suspension, the same credentials are tried again")
    func restEnds() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .invalidProviderToken, .accepted)
        let sender = world.silentPushSender()
        _ = try await world.publish("First")
        await sender.runUntilIdle()
        world.clock.advance(by: 599)
        _ = try await world.publish("Second")
        await sender.runUntilIdle()
        #expect(world.transport.requests.count == 1)
        world.clock.advance(by: 1)
        _ = try await world.publish("Third")
        await sender.runUntilIdle()
        #expect(world.transport.requests.count == 2 && world.silentPushes("accepted") == 1)
    }

    @Test("REG-35: a wrong topic opts out few devices before silent pushes are suspended")
    func wrongTopic() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2_000)
        world.transport.answerAll(.wrongTopic)
        _ = try await world.publish()
        await world.silentPushSender().runUntilIdle()
        #expect(world.transport.requests.count <= 3 * 256)
        #expect(try await world.optOuts(.tokenMalformed) <= 3 * 256)
    }

    @Test("REG-33: stored credentials that cannot be decrypted end silent pushes without a request")
    func unreadableCredentials() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        _ = try await world.publish()
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE credentials SET sealed = ?", [.blob([1, 2, 3])])
        }
        await world.silentPushSender().runUntilIdle()
        #expect(world.transport.requests.isEmpty && world.silentPushes("credentialFault") == 2)
        #expect(try await world.optOuts(.providerAuthentication) == 0)
    }

    @Test("PUSH-7: without credentials nobody is woken, and the campaign continues")
    func noCredentials() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        try await world.apps.removeCredentials(of: .apns, app: world.app)
        let id = try await world.publish()
        await world.silentPushSender().runUntilIdle()
        #expect(world.silentPushes("noCredentials") == 2)
        #expect(try await world.counts(id).pending == 2)
    }

    @Test("PUSH-1: an expired provider token is renewed, and the silent push continues at once")
    func expiredProviderToken() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let sender = world.silentPushSender()
        _ = try await world.publish(audience: .deviceIDs([ServiceWorld.client(1).rawValue]))
        await sender.runUntilIdle()
        // Half an hour later it is older than APNs, by its own clock, accepts.
        world.clock.advance(by: 1_800)
        world.transport.answer("token2", .expiredProviderToken, .accepted)
        _ = try await world.publish(audience: .deviceIDs([ServiceWorld.client(2).rawValue]))
        await sender.runUntilIdle()
        let tokens = world.transport.requests.map(\.authorization)
        #expect(tokens.count == 3 && tokens[0] == tokens[1] && tokens[1] != tokens[2])
        #expect(world.silentPushes("accepted") == 2)
    }
}
