import BelfryModel
import BelfryPush
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// What an answer about the credentials counts that one device brings about: a device names its browser's push service
/// and its token's environment itself.
struct OneDeviceAnswerTests {
    /// A device of APNs, and a browser whose subscription is at this address.
    private static func world(_ endpoint: String) async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        _ = try await world.apps.putWebPushCredentials(TestKeys.webPush(), app: world.app)
        try await TestDevice.started(world, 1).putToken("token1")
        try await TestDevice.started(world, 2).putToken(TestKeys.subscription(endpoint), provider: .webpush)
        return world
    }

    @Test(
        "REG-33, SEC-5: a browser at anybody's host cannot pause a campaign by rejecting the credentials",
        arguments: [401, 403, 407]
    )
    func strangersHost(status: Int) async throws {
        let world = try await Self.world("https://push.example.com/send/1")
        world.transport.answer("/send/1", .answered(status: status, body: ""))
        for round in 1...2 {
            let id = try await world.launch()
            try await world.sendToTheEnd()
            #expect(try await world.campaign(id).status == .completed)
            #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
            let browser = try #require(try await world.delivery(id, ServiceWorld.client(2)))
            if round == 1 {
                #expect(browser.state == .rejected && browser.reason?.rawValue == "status\(status)")
            } else {
                #expect(browser.reason?.rawValue == "optedOut:token-malformed")
            }
        }
        #expect(world.transport.requests(for: "/send/1").count == 1)
        #expect(try await world.optOuts(.tokenMalformed) == 1)
        #expect(try await world.optOuts(.providerAuthentication) == 0)
        // Another key pair is another sender, and is asked anew.
        world.clock.advance(by: 60)
        _ = try await world.apps.putWebPushCredentials(TestKeys.webPush(), app: world.app)
        #expect(try await world.optOuts(.tokenMalformed) == 0)
    }

    @Test(
        "REG-33: the push service of a well-known browser pauses the campaign when it rejects the credentials",
        arguments: [
            "fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com",
            "wns2-a.notify.windows.com",
        ]
    )
    func browsersService(host: String) async throws {
        let world = try await Self.world("https://\(host)/send/1")
        world.transport.answer("/send/1", .answered(status: 403, body: ""))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .paused)
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.state == .pending)
        #expect(try await world.optOuts(.providerAuthentication) == 1)
    }

    @Test("REG-33, SEC-5: of other hosts, those are believed that the operator lists, and those of private networks")
    func trusted() throws {
        func trusts(_ host: String, _ rule: PushTokenRule = PushTokenRule()) throws -> Bool {
            rule.trusts(try PushEndpoint("https://\(host)"))
        }
        let listed = PushTokenRule(hosts: try #require(WebPushHosts("push.example.com")))
        for host in ["push.example.com", "a.push.example.com", "PUSH.example.com."] {
            #expect(try trusts(host, listed) && !trusts(host), "\(host)")
        }
        for host in ["jmt17.google.com", "FCM.googleapis.com", "push.services.mozilla.com.", "127.0.0.1", "[::1]"] {
            #expect(try trusts(host), "\(host)")
        }
        for host in ["xfcm.googleapis.com", "googleapis.com", "push.apple.com.example.net", "93.184.216.34"] {
            #expect(try !trusts(host) && !trusts(host, listed), "\(host)")
        }
    }

    @Test(
        "REG-33, REG-35: a device that says that its token is of the sandbox pauses no campaign of a production key",
        arguments: ["BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken"]
    )
    func sandbox(reason: String) async throws {
        let world = try await ServiceWorld()
        try await TestDevice.started(world, 1).putToken("token1")
        let other = try await TestDevice.started(world, 2)
        _ = try await world.clients.putPushToken(
            try PushToken("token2", provider: .apns, environment: .sandbox), caller: try other.authenticated()
        )
        world.transport.answer("token2", .refused(status: 403, reason: reason))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .completed)
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
        #expect(try await world.delivery(id, other)?.reason?.rawValue == reason)
        #expect(try await world.optOuts(.providerAuthentication) == 0)
        #expect(try await world.eligibility(other) == "optedOut:token-malformed")
        // Another key may be for both environments.
        world.clock.advance(by: 60)
        var secret = TestKeys.apns()
        secret.keyID = "KEY7654321"
        try await world.apps.putAPNsCredentials(secret, app: world.app)
        #expect(try await world.eligibility(other) == nil)
    }

    @Test("REG-33: a key that is not for production pauses the campaign at the first response")
    func production() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        world.transport.answerAll(.refused(status: 403, reason: "BadEnvironmentKeyInToken"))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .paused)
        #expect(try await world.counts(id).pending == 3)
    }
}
