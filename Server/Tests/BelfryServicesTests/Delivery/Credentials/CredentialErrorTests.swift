import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct CredentialErrorTests {
    @Test(
        "REG-33: wrong credentials pause at the first response, keep the sends, and the right ones lift them")
    func wholeStory() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(5)
        let user = try await ServiceDevice.registered(world, 9, token: "token9")
        try await user.switchPushOff()
        world.transport.answerAll(.invalidProviderToken)
        let id = try await world.launch()
        try await world.sendToTheEnd()

        var campaign = try await world.campaign(id)
        #expect(campaign.status == .paused)
        #expect(campaign.statusReason?.contains("InvalidProviderToken") == true)
        var counts = try await world.counts(id)
        #expect(counts.pending == 5 && counts.suppressed == 1 && counts.total == counts.audience)
        #expect(try await world.optOuts(.providerAuthentication) == 5)
        let device = try ServiceDevice(world, 1)
        #expect(try await world.eligibility(device) == "optedOut:provider-authentication")
        #expect(try await world.profile(device).device.optOut?.at == ServiceWorld.epoch)
        #expect(try await world.delivery(id, device)?.note == "InvalidProviderToken")

        world.clock.advance(by: 3_600)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        #expect(try await world.optOuts(.providerAuthentication) == 0)
        #expect(try await world.eligibility(device) == nil)
        #expect(try await world.eligibility(user) == "optedOut:user")
        #expect(try await world.campaign(id).status == .paused)

        world.transport.answerAll(.accepted)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        counts = try await world.counts(id)
        #expect(counts.accepted == 5 && counts.suppressed == 1 && counts.total == counts.audience)
        campaign = try await world.campaign(id)
        #expect(campaign.status == .completed && campaign.statusReason == nil)
    }

    @Test("FLEET-11, REG-33: refused credentials are counted by push service, though their sends stay pending")
    func counted() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(5)
        world.transport.answerAll(.invalidProviderToken)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        let values = world.metrics.values
        #expect(values[#"belfry_credentials_refused_total{provider="apns"}"#] == 5)
        // An alert asks for an increase, which needs the count before the first refusal.
        #expect(values[#"belfry_credentials_refused_total{provider="fcm"}"#] == 0)
        #expect(values[#"belfry_delivery_failures_total{provider="apns",reason="InvalidProviderToken"}"#] == nil)
    }

    @Test("REG-33, PUSH-2: what only Firebase's console can correct is said so, and ends with the next accepted push")
    func keyAtFirebase() async throws {
        let world = try await ServiceWorld()
        try await world.apps.putFCMCredentials(TestKeys.fcm(), app: world.app)
        let device = try await ServiceDevice.started(world, 1)
        try await device.putToken("fcm-token", provider: .fcm)
        let rejection = """
            {"error":{"code":401,"status":"UNAUTHENTICATED","details":[{"@type":\
            "type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"THIRD_PARTY_AUTH_ERROR"}]}}
            """
        world.transport.answer("fcm-token", .answered(status: 401, body: rejection), .accepted)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let campaign = try await world.campaign(id)
        #expect(campaign.status == .paused)
        #expect(campaign.statusReason?.contains("Firebase console") == true)
        #expect(try await world.delivery(id, device)?.state == .pending)
        #expect(try await world.eligibility(device) == "optedOut:provider-authentication")
        // The key is put right there: nobody puts credentials here.
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 1)
        #expect(try await world.eligibility(device) == nil)
    }

    @Test("REG-33: an accepted silent push ends it, too")
    func silentPush() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.answer("token1", .invalidProviderToken, .accepted)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        #expect(try await world.optOuts(.providerAuthentication) == 1)
        _ = try await world.publish()
        await world.silentPushSender().runUntilIdle()
        #expect(world.transport.requests.count == 2)
        #expect(try await world.eligibility(device) == nil)
    }

    @Test("REG-33: in a large audience, wrong credentials affect only the sends in flight, and lose nobody")
    func largeAudience() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(900)
        world.transport.answerAll(.invalidProviderToken)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let touched = world.transport.requests.count
        #expect(touched <= 256)
        #expect(try await world.optOuts(.providerAuthentication) == touched)
        #expect(try await world.counts(id).pending == 900)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        world.transport.answerAll(.accepted)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 900)
        #expect(world.transport.requests.count == 900 + touched)
    }

    @Test("REG-33: resumed without new credentials, the campaign pauses again and still loses nothing")
    func resumedTooSoon() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(3)
        world.transport.answerAll(.invalidProviderToken)
        let id = try await world.launch()
        for _ in 0..<3 {
            try await world.sendToTheEnd()
            #expect(try await world.campaign(id).status == .paused)
            #expect(try await world.counts(id).pending == 3)
            _ = try await world.campaigns.life.resume(id, app: world.app)
        }
        #expect(world.transport.requests.count == 9)
    }

    @Test("REG-33: stored credentials that cannot be decrypted pause the campaign, which says what to do")
    func unreadable() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let id = try await world.launch()
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE credentials SET sealed = ?", [.blob([1, 2, 3])])
        }
        try await world.sendToTheEnd()
        let campaign = try await world.campaign(id)
        #expect(campaign.status == .paused)
        #expect(campaign.statusReason?.contains("Set the credentials again") == true)
        #expect(try await world.counts(id).pending == 2)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 2)
    }

    @Test("REG-33: refused credentials lift nothing and change nothing")
    func rejectedCredentials() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answerAll(.invalidProviderToken)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        let app = world.app.id
        let before = try await world.database.read { try $0.credentials.find(app: app, provider: .apns) }
        let wrong = TestKeys.apns(privateKey: "no key")
        #expect(
            await errorCode { try await world.apps.putAPNsCredentials(wrong, app: world.app) } == "invalidPrivateKey")
        #expect(try await world.optOuts(.providerAuthentication) == 1)
        #expect(try await world.database.read { try $0.credentials.find(app: app, provider: .apns) } == before)
    }

    @Test("REG-33: a late response to the old credentials opts nobody out and pauses nothing")
    func lateAnswer() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(4)
        world.transport.script("token2", [.badDeviceToken])
        world.transport.script("token3", [.unregistered(since: nil)])
        for token in ["token1", "token4"] { world.transport.script(token, [.invalidProviderToken, .accepted]) }
        world.transport.hold()
        let id = try await world.launch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher().runUntilIdle() }
            await world.transport.received(4)
            try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
            world.transport.release()
            try await group.waitForAll()
        }
        #expect(try await world.campaign(id).status == .completed)
        let counts = try await world.counts(id)
        #expect(counts.accepted == 2 && counts.rejected == 2)
        #expect(try await world.optOuts(.providerAuthentication) == 0)
        #expect(try await world.optOuts(.tokenMalformed) == 0)
        #expect(try await world.optOuts(.tokenInvalid) == 1)
    }

    @Test("REG-33: an opt-out for wrong credentials also ends if the token has gone since")
    func tokenGone() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.answerAll(.invalidProviderToken)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        try await device.deleteToken()
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app)
        try await device.putToken("token2")
        #expect(try await world.eligibility(device) == nil)
    }
}

extension ServiceDevice {
    /// The app's switch is off; the token stays.
    fileprivate func switchPushOff() async throws {
        var device = self
        _ = try await device.register { $0.pushEnabled = false }
        try await world.process()
    }
}
