import BelfryModel
import BelfryPush
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What installations with bad tokens, of which anybody may make any number, mean for other people's campaigns (REG-35).
struct BadTokensOfOthersTests {
    /// An app whose credentials have reached its first devices, and 180 installations that have bad tokens beside these.
    private static func world(reached: Int) async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        try await world.makeFleet(reached)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        try #require(try await world.counts(id).accepted == reached)
        world.clock.advance(by: 60)
        try await world.makeFleet(reached + 180)
        for number in 1...180 { world.transport.answer("token\(reached + number)", .badDeviceToken) }
        return world
    }

    /// A campaign to the installations with bad tokens, and to one device that is reached.
    private static func launch(_ world: ServiceWorld, reached: Int) async throws -> CampaignID {
        let devices = try ([1] + (1...180).map { reached + $0 }).map { try ServiceWorld.client($0).rawValue }
        let id = try await world.launch(audience: .deviceIDs(devices))
        try await world.sendToTheEnd()
        return id
    }

    @Test("REG-35: once an app's credentials are proven, bad tokens of devices that were never reached pause nothing")
    func unreachedDevices() async throws {
        let world = try await Self.world(reached: 101)
        let id = try await Self.launch(world, reached: 101)
        #expect(try await world.campaign(id).status == .completed)
        let counts = try await world.counts(id)
        #expect(counts.rejected == 180 && counts.accepted == 1)
        #expect(try await world.optOuts(.tokenMalformed) == 180)
    }

    @Test(
        "REG-35: half a window of acceptances proves nothing, nor does one of former credentials",
        arguments: [100, 101])
    func unproven(reached: Int) async throws {
        let world = try await Self.world(reached: reached)
        if reached == 101 { try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app) }
        let id = try await Self.launch(world, reached: reached)
        let campaign = try await world.campaign(id)
        #expect(campaign.status == .paused)
        #expect(campaign.statusReason?.contains("these tokens are worthless") == true)
    }

    @Test("REG-35, LED-3: credentials stay proven when the ledger is gone of the campaign that has proven them")
    func ledgerGone() async throws {
        let world = try await Self.world(reached: 101)
        var settings = world.app.settings
        settings.deliveryRetentionDays = 60
        try await world.save(settings)
        world.clock.advance(by: 61 * 86_400)
        await world.housekeeping.tidy()
        await world.summation.sumUp()
        await world.housekeeping.tidy()
        #expect(try await world.rows("deliveries") == 0)
        let id = try await Self.launch(world, reached: 101)
        #expect(try await world.campaign(id).status == .completed)
        let counts = try await world.counts(id)
        #expect(counts.rejected == 180 && counts.accepted == 1)
    }

    @Test("REG-35: devices that were reached before pause it with bad tokens, whoever else has some")
    func reached() async throws {
        let world = try await Self.world(reached: 120)
        world.transport.answerAll(.wrongTopic)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .paused)
        // What the service said of the bad tokens was not counted.
        let reason = try await world.campaign(id).statusReason
        #expect(reason?.contains(" 0 reported a malformed token ") == true, "\(reason ?? "")")
    }

    @Test("REG-35, SEC-5: what unknown hosts respond pauses no campaign, however many say it")
    func hosts() async throws {
        let world = try await ServiceWorld()
        _ = try await world.apps.putWebPushCredentials(TestKeys.webPush(), app: world.app)
        try await world.makeFleet(150)
        let browsers: [[SQLValue]] = (1...150).map { number in
            [
                .text(TestKeys.subscription("https://push.example.com/send/\(number)")), .text("token\(number)"),
            ]
        }
        try await world.database.write { connection in
            _ = try connection.executeEach(
                "UPDATE devices SET push_provider = 'webpush', push_token = ? WHERE push_token = ?", browsers
            )
        }
        world.transport.answerAll(.answered(status: 403, body: ""))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .completed)
        #expect(try await world.counts(id).rejected == 150)
    }
}
