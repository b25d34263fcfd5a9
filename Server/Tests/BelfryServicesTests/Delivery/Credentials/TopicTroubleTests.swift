import BelfryCampaigns
import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct TopicTroubleTests {
    @Test("REG-35: more than half of the first 200 responses pause the campaign, and new credentials lift the opt-outs")
    func wrongEnvironment() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(251)
        world.transport.answer("token251", .badDeviceToken)
        _ = try await world.launch(audience: .deviceIDs([ServiceWorld.client(251).rawValue]))
        try await world.sendToTheEnd()
        world.clock.advance(by: 60)
        for number in 1...150 {
            world.transport.answer("token\(number)", number % 2 == 0 ? .wrongTopic : .badDeviceToken)
        }
        let id = try await world.launch()
        try await world.sendToTheEnd()

        let campaign = try await world.campaign(id)
        #expect(campaign.status == .paused)
        #expect(campaign.statusReason?.contains("topic") == true)
        #expect(try await world.optOuts(.tokenMalformed) == 151)
        let counts = try await world.counts(id)
        #expect(counts.total == counts.audience && counts.rejected == 150)

        world.clock.advance(by: 60)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        // Only the token that was called malformed before, by another campaign, still is.
        #expect(try await world.optOuts(.tokenMalformed) == 1)
        #expect(try await world.eligibility(ServiceDevice(world, 251)) == "optedOut:token-malformed")
        #expect(try await world.eligibility(ServiceDevice(world, 1)) == nil)
        // Everyone had been sent to when it paused: resumed, it has nothing left to do.
        #expect(try await world.campaigns.life.resume(id, app: world.app).status == .completed)
    }

    @Test("PUSH-21, REG-35: a mistyped topic opts a small base out too, and the right topic brings it back")
    func mistypedTopic() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(10)
        world.transport.answerAll(.wrongTopic)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        // Ten answers are too few to tell a wrong topic from wrong tokens.
        #expect(try await world.campaign(id).status == .completed)
        #expect(try await world.optOuts(.tokenMalformed) == 10)
        world.clock.advance(by: 60)
        try await world.apps.putAPNsCredentials(TestKeys.apns(topic: "com.example.right"), app: world.app)
        #expect(try await world.optOuts(.tokenMalformed) == 0)
        #expect(try await world.eligibility(ServiceDevice(world, 1)) == nil)
    }

    @Test("REG-35: resumed too soon and paused again, the opt-outs of all its runs are lifted", arguments: [1, 2])
    func resumedTooSoon(times: Int) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(900)
        world.transport.answerAll(.wrongTopic)
        let id = try await world.launch()
        for _ in 0..<times {
            try await world.sendToTheEnd()
            #expect(try await world.campaign(id).status == .paused)
            world.clock.advance(by: 60)
            _ = try await world.campaigns.life.resume(id, app: world.app)
        }
        _ = try await world.campaigns.life.pause(id, app: world.app)
        #expect(try await world.optOuts(.tokenMalformed) > 0)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        #expect(try await world.optOuts(.tokenMalformed) == 0)
    }

    @Test("REG-35: half of the first 200 responses do not, and then nothing is lifted")
    func half() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(250)
        // The first two hundred answers are those of the first two hundred devices.
        for number in 1...100 { world.transport.answer("token\(number * 2)", .badDeviceToken) }
        for number in 201...250 { world.transport.answer("token\(number)", .badDeviceToken) }
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .completed)
        #expect(try await world.counts(id).rejected == 150)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        #expect(try await world.optOuts(.tokenMalformed) == 150)
    }

    @Test("REG-35: a campaign that an operator paused lifts no opt-out")
    func pausedByHand() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        world.transport.answer("token1", .badDeviceToken)
        world.transport.answer("token2", .tooMany)
        let id = try await world.launch()
        await world.dispatcher().runUntilIdle()
        _ = try await world.campaigns.life.pause(id, app: world.app)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        #expect(try await world.optOuts(.tokenMalformed) == 1)
    }

    @Test("REG-35: a resumed campaign is judged again")
    func resumed() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(300)
        world.transport.answerAll(.wrongTopic)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .paused)
        let pending = try await world.counts(id).pending
        #expect(pending > 0 && pending < ProviderCircuitBreaker.window / 2)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        // What was left is fewer than it takes to be sure of anything.
        #expect(try await world.campaign(id).status == .completed)
        #expect(try await world.counts(id).rejected == 300)
    }
}
