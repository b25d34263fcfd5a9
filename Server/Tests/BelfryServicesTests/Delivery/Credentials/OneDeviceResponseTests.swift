import BelfryModel
import BelfryPush
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// What a response about the credentials means if a single device can cause it: a device names its browser's push service
/// and its token's environment itself.
struct OneDeviceResponseTests {
    /// A device of APNs, and a browser whose subscription is at this address.
    private static func world(_ endpoint: String) async throws -> ServiceWorld {
        let world = try await ServiceWorld(isOneShard: true)
        _ = try await world.apps.putWebPushCredentials(TestKeys.webPush(), app: world.app)
        try await ServiceDevice.started(world, 1).putToken("token1")
        try await ServiceDevice.started(world, 2).putToken(TestKeys.subscription(endpoint), provider: .webpush)
        return world
    }

    @Test(
        "REG-33, SEC-5: a browser at anybody's host cannot pause a campaign by rejecting the credentials",
        arguments: [401, 403, 407]
    )
    func unknownHost(status: Int) async throws {
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
            "fcm.googleapis.com/fcm/send/1", "updates.push.services.mozilla.com/wpush/v2/1", "web.push.apple.com/1",
            "wns2-a.notify.windows.com/w/?token=1",
        ]
    )
    func browsersService(address: String) async throws {
        let world = try await Self.world("https://\(address)")
        world.transport.answer(Self.path(address), .answered(status: 401, body: ""))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .paused)
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.state == .pending)
        #expect(try await world.optOuts(.providerAuthentication) == 1)
    }

    @Test(
        "SEC-5, SEC-9: an unknown host puts no words into the ledger", arguments: [400, 403, 413]
    )
    func words(status: Int) async throws {
        let world = try await Self.world("https://push.example.com/send/1")
        world.transport.answer("/send/1", .answered(status: status, body: #"{"reason":"quarantined"}"#))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.reason?.rawValue == "status\(status)")
    }

    @Test(
        "REG-33, SEC-5: what else answers at the hosts of well-known browsers cannot pause a campaign",
        arguments: [
            "fcm.googleapis.com/v1/projects/shop/messages:send", "jmt17.google.com/",
            "updates.push.services.mozilla.com/v1/gcm/1/registration/2", "api.push.apple.com/1",
            "wns2-a.notify.windows.com/channel",
        ]
    )
    func otherAddresses(address: String) async throws {
        let world = try await Self.world("https://\(address)")
        world.transport.answer(Self.path(address), .answered(status: 401, body: ""))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .completed)
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.state == .rejected)
        #expect(try await world.optOuts(.providerAuthentication) == 0)
    }

    @Test("REG-33: what a service rejects that has just accepted the key, it rejects for the subscription")
    func proven() async throws {
        let world = try await Self.world("https://wns2-a.notify.windows.com/w/?token=1")
        let old = TestKeys.subscription("https://wns2-a.notify.windows.com/w/?token=2")
        try await ServiceDevice.started(world, 3).putToken(old, provider: .webpush)
        world.transport.answer("/w/?token=2", .answered(status: 401, body: ""))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .completed)
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.state == .accepted)
        #expect(try await world.delivery(id, ServiceWorld.client(3))?.state == .rejected)
        #expect(try await world.optOuts(.tokenMalformed) == 1)
    }

    @Test("REG-33: Edge's service says by 403 that the subscription is another sender's")
    func edge() async throws {
        let world = try await Self.world("https://wns2-a.notify.windows.com/w/?token=1")
        world.transport.answer("/w/?token=1", .answered(status: 403, body: ""))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .completed)
        #expect(try await world.optOuts(.tokenMalformed) == 1)
    }

    private static func path(_ address: String) -> String {
        String(address[(address.firstIndex(of: "/") ?? address.endIndex)...])
    }

    @Test("REG-33, SEC-2: acceptances count for an hour, and of so many services at most")
    func proofs() throws {
        let proofs = VAPIDProofs()
        let service = try PushEndpoint("https://fcm.googleapis.com")
        let now = ServiceWorld.epoch
        #expect(!proofs.has(service, at: now))
        proofs.note(service, at: now)
        #expect(proofs.has(service, at: now.addingTimeInterval(3_600)))
        for seconds in [-3_601, 3_601] { #expect(!proofs.has(service, at: now.addingTimeInterval(Double(seconds)))) }
        for number in 0..<VAPIDProofs.maximumCount {
            proofs.note(try PushEndpoint("https://push\(number).example.com"), at: now)
        }
        #expect(!proofs.has(service, at: now))
    }

    @Test("REG-33, SEC-5: of other hosts, those are believed that the operator lists, and those of private networks")
    func trusted() throws {
        func trusts(_ host: String, _ rule: PushTokenRule = PushTokenRule(), path: String = "/any") throws -> Bool {
            rule.trusts(try PushEndpoint("https://\(host)"), path: path)
        }
        let listed = PushTokenRule(hosts: try #require(WebPushHosts("push.example.com")))
        for host in ["push.example.com", "a.push.example.com", "PUSH.example.com."] {
            #expect(try trusts(host, listed) && !trusts(host), "\(host)")
        }
        for (host, path) in [
            ("jmt17.google.com", "/fcm/send/1"), ("FCM.googleapis.com", "/wp/1"),
            ("push.services.mozilla.com.", "/wpush/v1/1"), ("127.0.0.1", "/any"), ("[::1]", "/any"),
        ] {
            #expect(try trusts(host, path: path), "\(host)")
        }
        for host in ["xfcm.googleapis.com", "googleapis.com", "push.apple.com.example.net", "93.184.216.34"] {
            #expect(try !trusts(host, path: "/fcm/send/1") && !trusts(host, listed), "\(host)")
        }
    }

    @Test("SEC-5: unknown are all hosts but those of browsers, of the operator's list and of private networks")
    func known() throws {
        func knows(_ host: String, _ rule: PushTokenRule = PushTokenRule()) throws -> Bool {
            rule.knows(try PushEndpoint("https://\(host)"))
        }
        let listed = PushTokenRule(hosts: try #require(WebPushHosts("push.example.com")))
        for host in ["push.example.com", "PUSH.example.com."] {
            #expect(try knows(host, listed) && !knows(host), "\(host)")
        }
        for host in [
            "jmt17.google.com", "FCM.googleapis.com.", "updates.push.services.mozilla.com", "web.push.apple.com",
            "127.0.0.1", "[::1]:8443",
        ] {
            #expect(try knows(host), "\(host)")
        }
        for host in ["xfcm.googleapis.com", "googleapis.com", "push.apple.com.example.net", "93.184.216.34"] {
            #expect(try !knows(host) && !knows(host, listed), "\(host)")
        }
    }

    @Test("SEC-5: a subdomain or a port that anybody can make up is unknown until it has answered")
    func madeUp() throws {
        let rule = PushTokenRule(endpoints: .anywhere, hosts: try #require(WebPushHosts("push.example.com")))
        for host in [
            "a.push.services.mozilla.com", "x.updates.push.services.mozilla.com", "push.services.mozilla.com",
            "a.fcm.googleapis.com", "a.web.push.apple.com", "wns2-a.notify.windows.com", "notify.windows.com",
            "a.push.example.com", "push.example.com:8443", "updates.push.services.mozilla.com:8443",
        ] {
            let endpoint = try PushEndpoint("https://\(host)")
            #expect(!rule.knows(endpoint) && rule.knowsByResponse(endpoint), "\(host)")
        }
        for host in ["example.com", "xpush.example.com", "a.googleapis.com", "windows.com", "93.184.216.34"] {
            let endpoint = try PushEndpoint("https://\(host)")
            #expect(!rule.knows(endpoint) && !rule.knowsByResponse(endpoint), "\(host)")
        }
    }

    @Test("SEC-5, SEC-2: which push services have answered is noted of a limited number")
    func responding() throws {
        let answers = RespondingServices()
        let service = try PushEndpoint("https://wns2-a.notify.windows.com")
        #expect(!answers.has(service))
        answers.note(service)
        #expect(answers.has(service))
        for number in 0..<RespondingServices.maximumCount {
            answers.note(try PushEndpoint("https://wns2-\(number).notify.windows.com"))
            #expect(answers.count <= RespondingServices.maximumCount)
        }
        #expect(!answers.has(service) && answers.count > 0)
    }

    @Test(
        "REG-33, REG-35: a device that says that its token is of the sandbox pauses no campaign of a production key",
        arguments: ["BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken"]
    )
    func sandbox(reason: String) async throws {
        let world = try await ServiceWorld()
        try await ServiceDevice.started(world, 1).putToken("token1")
        let other = try await ServiceDevice.started(world, 2)
        _ = try await world.clients.putPushToken(
            try PushToken("token2", provider: .apns, environment: .sandbox), caller: try other.authenticated()
        )
        world.transport.answer("token2", .rejected(status: 403, reason: reason))
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
        world.transport.answerAll(.rejected(status: 403, reason: "BadEnvironmentKeyInToken"))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .paused)
        #expect(try await world.counts(id).pending == 3)
    }
}
