import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct ThreeServicesTests {
    private static let subscription = TestKeys.subscription("https://push.example.com/send/1")

    /// Three devices of one app, one at each push service: numbers 1 to 3.
    private static func world(credentials: Set<PushProvider> = [.fcm, .webpush]) async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        if credentials.contains(.fcm) { try await world.apps.putFCMCredentials(TestKeys.fcm(), app: world.app) }
        if credentials.contains(.webpush) {
            _ = try await world.apps.putWebPushCredentials(TestKeys.webPush(), app: world.app)
        }
        try await ServiceDevice.started(world, 1).putToken("apnstoken")
        try await ServiceDevice.started(world, 2).putToken("fcm-token", provider: .fcm)
        try await ServiceDevice.started(world, 3).putToken(subscription, provider: .webpush)
        return world
    }

    @Test("PUSH-1, PUSH-2, PUSH-3: one campaign reaches devices of all three push services")
    func allThree() async throws {
        let world = try await Self.world()
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let requests = Dictionary(grouping: world.transport.requests, by: \.route.endpoint.host)
        let apns = try #require(requests["api.push.apple.com"]?.first)
        let fcm = try #require(requests["fcm.googleapis.com"]?.first)
        let browser = try #require(requests["push.example.com"]?.first)
        #expect(apns.token == "apnstoken" && !apns.route.isFromDevice)
        #expect(fcm.token == "fcm-token" && fcm.authorization == "Bearer access-1")
        #expect(browser.path == "/send/1" && browser.route.isFromDevice)
        #expect(browser.authorization?.hasPrefix("vapid t=") == true)
        #expect(browser.fields["content-encoding"] == "aes128gcm")
        #expect(try await world.counts(id).accepted == 3)
    }

    @Test(
        "SEC-5: a subscription at a browser's push service is not a route to an unknown host, whatever address it names there"
    )
    func browsersServices() async throws {
        let world = try await Self.world()
        let browsers = ["https://updates.push.services.mozilla.com/wpush/v2/1", "https://web.push.apple.com/1"]
        let elsewhere = "https://jmt17.google.com/elsewhere"
        for (number, address) in (browsers + [elsewhere]).enumerated() {
            let subscription = TestKeys.subscription(address)
            try await ServiceDevice.started(world, 4 + number).putToken(subscription, provider: .webpush)
        }
        _ = try await world.launch()
        try await world.sendToTheEnd()
        let routes = world.transport.requests.map(\.route).filter { $0.provider == .webpush }
        let unknown = routes.filter(\.isAtUnknownHost).map(\.endpoint.host)
        #expect(routes.count == 4 && routes.allSatisfy(\.isFromDevice))
        #expect(unknown == ["push.example.com"])
    }

    @Test("SEC-5: Edge's service is known once it has answered; a made-up name of a browser's that does not never is")
    func answered() async throws {
        let world = try await Self.world()
        for (number, address) in [
            "https://wns2-par02p.notify.windows.com/w/?token=1", "https://x1.push.services.mozilla.com/wpush/v2/1",
        ].enumerated() {
            try await ServiceDevice.started(world, 4 + number).putToken(
                TestKeys.subscription(address), provider: .webpush)
        }
        world.transport.answer("/wpush/v2/1", .unsent)
        let dispatcher = world.dispatcher()
        var rounds: [[String: Bool]] = []
        var unproven: [Set<String>] = []
        for _ in 1...2 {
            let before = world.transport.requests.count
            _ = try await world.launch()
            await dispatcher.runUntilIdle()
            let routes = world.transport.requests.dropFirst(before).map(\.route).filter { $0.provider == .webpush }
            rounds.append(
                Dictionary(routes.map { ($0.endpoint.host, $0.isAtUnknownHost) }, uniquingKeysWith: { $0 || $1 })
            )
            unproven.append(Set(routes.filter(\.isUnproven).map(\.endpoint.host)))
        }
        let first = [
            "push.example.com": true, "x1.push.services.mozilla.com": true, "wns2-par02p.notify.windows.com": true,
        ]
        var second = first
        second["wns2-par02p.notify.windows.com"] = false
        #expect(rounds == [first, second])
        // Those that only have to answer are apart from unknown hosts until they have.
        let missing: [Set<String>] = [
            ["wns2-par02p.notify.windows.com", "x1.push.services.mozilla.com"], ["x1.push.services.mozilla.com"],
        ]
        #expect(unproven == missing)
    }

    @Test("PUSH-2, WIRE-5: a Firebase installation id is taken as a push token and addressed as one")
    func installationID() async throws {
        let world = try await Self.world()
        let id = "cIBFn0zWRz6HdXpUGIo_Aq"
        try await ServiceDevice.started(world, 4).putToken(id, provider: .fcm)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        let request = try #require(world.transport.requests(for: id).first)
        let body = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
        let message = try #require(body["message"] as? [String: Any])
        #expect(message["fid"] as? String == id && message["token"] == nil)
        let other = try #require(world.transport.requests(for: "fcm-token").first)
        #expect(!String(decoding: other.body, as: UTF8.self).contains(#""fid""#))
    }

    @Test("PUSH-2: the project's limit, an error of Google's API management, is waited for as it says")
    func projectQuota() async throws {
        let world = try await Self.world()
        let answer = """
            {"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":\
            "type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","domain":"googleapis.com"}]}}
            """
        world.transport.answer("fcm-token", .answered(status: 429, body: answer), .accepted)
        let id = try await world.launch()
        await world.dispatcher().runUntilIdle()
        let waiting = try #require(try await world.delivery(id, ServiceWorld.client(2)))
        #expect(waiting.state == .pending && waiting.note == "RATE_LIMIT_EXCEEDED")
        let retryAt = try #require(waiting.retryAt)
        #expect(retryAt >= world.clock.now.addingTimeInterval(60))
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.state == .accepted)
    }

    @Test("LED-1: a device of a push service without credentials is suppressed, and the others are served")
    func withoutCredentials() async throws {
        let world = try await Self.world(credentials: [.webpush])
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.reason?.rawValue == "noCredentials")
        #expect(try await world.delivery(id, ServiceWorld.client(3))?.state == .accepted)
    }

    @Test("REG-31, PUSH-21: each service's response for an unregistered token opts its device out")
    func goneTokens() async throws {
        let world = try await Self.world()
        world.transport.answer("apnstoken", .unregistered(since: nil))
        world.transport.answer(
            "fcm-token",
            .answered(
                status: 404,
                body: """
                    {"error":{"code":404,"status":"NOT_FOUND","details":[{"@type":\
                    "type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}
                    """
            )
        )
        world.transport.answer("/send/1", .answered(status: 410, body: ""))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).rejected == 3)
        #expect(try await world.optOuts(.tokenInvalid) == 3)
    }

    @Test("REG-33, PUSH-21: a service account that Google rejects pauses the campaign, names FCM, and loses no send")
    func rejectedServiceAccount() async throws {
        let world = try await Self.world()
        world.exchange.answer(.rejected(word: "invalid_grant"))
        let id = try await world.launch()
        await world.dispatcher().runUntilIdle()
        let campaign = try await world.campaign(id)
        #expect(campaign.status == .paused)
        #expect(campaign.statusReason?.contains("FCM") == true)
        #expect(campaign.statusReason?.contains("invalid_grant") == true)
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.state == .pending)
        // Put right, and resumed: everybody is served.
        world.exchange.answer(.tokens)
        world.clock.advance(by: 120)
        try await world.apps.putFCMCredentials(TestKeys.fcm(), app: world.app)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 3)
    }

    @Test("PUSH-2: an unreachable authorization server delays only FCM's devices")
    func unreachableAuthorization() async throws {
        let world = try await Self.world()
        world.exchange.answer(.fault(.timeout))
        let id = try await world.launch()
        await world.dispatcher().runUntilIdle()
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
        #expect(try await world.delivery(id, ServiceWorld.client(3))?.state == .accepted)
        let waiting = try await world.delivery(id, ServiceWorld.client(2))
        #expect(waiting?.state == .pending && waiting?.attempts == 0)
        world.exchange.answer(.tokens)
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.state == .accepted)
    }

    @Test("PUSH-5: a retry at each service carries the same message")
    func sameMessage() async throws {
        let world = try await Self.world()
        for token in ["apnstoken", "fcm-token", "/send/1"] { world.transport.answer(token, .silence, .accepted) }
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 3)
        let fcm = world.transport.requests(for: "fcm-token")
        #expect(fcm.count == 2)
        let messages = fcm.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(messages.allSatisfy { $0.contains("belfry-\(id)") })
        let topics = world.transport.requests(for: "/send/1").map { $0.fields["topic"] }
        #expect(topics.count == 2 && Set(topics).count == 1 && topics[0] != nil)
    }

    @Test("PUSH-7: a silent push goes only to opted-in devices, in each service's format")
    func silent() async throws {
        let world = try await Self.world()
        var optedOut = try await ServiceDevice.started(world, 4)
        try await optedOut.register {
            $0.pushToken = "token4"
            $0.pushEnabled = false
        }
        try await world.process()
        let id = try await world.launch(
            push: PushContent(title: "", body: "", custom: ["refresh": .string("prices")]), kind: .silent
        )
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, optedOut)?.reason?.rawValue == "optedOut:user")
        // A browser would end its subscription.
        let counts = try await world.counts(id)
        #expect(counts.accepted == 2 && counts.suppressed == 2)
        let apns = try #require(world.transport.requests(for: "apnstoken").first)
        #expect(apns.fields["apns-push-type"] == "background" && apns.fields["apns-priority"] == "5")
        let body = String(decoding: apns.body, as: UTF8.self)
        #expect(body.contains("\"content-available\":1") && !body.contains("\"alert\""))
    }
}
