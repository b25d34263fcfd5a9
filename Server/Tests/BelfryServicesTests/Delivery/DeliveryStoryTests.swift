import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct DeliveryStoryTests {
    @Test("LED-1, LED-3: each device of an audience ends in one state with one reason, and the counts add up")
    func wholeFleet() async throws {
        let world = try await ServiceWorld()
        var devices: [String: ServiceDevice] = [:]
        for (number, name) in Self.names.enumerated() {
            let token = name == "no token" ? nil : "token\(number)"
            devices[name] = try await ServiceDevice.registered(world, number + 1, key: name, token: token)
            if let answers = Self.answers[name] {
                world.transport.script("token\(number)", answers)
            }
        }
        _ = try await devices["user"]?.register { $0.pushEnabled = false }
        _ = try await devices["system"]?.register { $0.osPushEnabled = false }
        try await world.process()
        var content = ServiceWorld.content
        content.ttlSeconds = 60
        let id = try await world.launch(push: content)
        try await world.sendToTheEnd()

        for (name, expected) in Self.expected {
            let device = try #require(devices[name])
            let row = try await world.delivery(id, device)
            #expect(row?.state == expected.state, "\(name)")
            #expect(row?.reason?.rawValue == expected.reason, "\(name)")
        }
        let counts = try await world.counts(id)
        #expect(counts.audience == Self.names.count && counts.total == counts.audience)
        #expect(counts.pending == 0 && counts.accepted == 4 && counts.suppressed == 3 && counts.rejected == 5)
        #expect(try await world.campaign(id).status == .completed)
    }

    private static let names = [
        "good", "busy", "broken", "slow", "no token", "user", "system", "gone", "malformed", "topic", "silent",
        "too large",
    ]

    private static let answers: [String: [ScriptedTransport.Response]] = [
        "busy": [.tooMany, .tooMany, .accepted], "broken": [.serverError, .silence, .accepted],
        "slow": [.serverError, .accepted], "gone": [.unregistered(since: nil)], "malformed": [.badDeviceToken],
        "topic": [.wrongTopic], "silent": [.silence], "too large": [.payloadTooLarge],
    ]

    private static let expected: [String: (state: DeliveryState, reason: String?)] = [
        "good": (.accepted, nil), "busy": (.accepted, nil), "broken": (.accepted, nil), "slow": (.accepted, nil),
        "no token": (.suppressed, "noToken"), "user": (.suppressed, "optedOut:user"),
        "system": (.suppressed, "optedOut:os-setting"), "gone": (.rejected, "Unregistered"),
        "malformed": (.rejected, "BadDeviceToken"), "topic": (.rejected, "DeviceTokenNotForTopic"),
        "silent": (.rejected, "noAnswer"), "too large": (.rejected, "PayloadTooLarge"),
    ]

    @Test("PUSH-20: a request is addressed and signed for its app, and carries its recipient's message")
    func request() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let sandbox = try await ServiceDevice.registered(world, 2)
        _ = try await world.clients.putPushToken(
            try PushToken("token2", provider: .apns, environment: .sandbox), caller: try sandbox.authenticated()
        )
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let request = try #require(world.transport.requests(for: "token1").first)
        #expect(request.route.endpoint.host == "api.push.apple.com")
        #expect(request.route.sender == "TEAM123456/KEY1234567")
        #expect(world.transport.requests(for: "token2").first?.route.endpoint.host == "api.sandbox.push.apple.com")
        #expect(request.fields["apns-topic"] == "com.example.shop" && request.fields["apns-push-type"] == "alert")
        #expect(request.authorization?.hasPrefix("bearer ") == true)
        let body = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
        let belfry = try #require(body["belfry"] as? [String: Any])
        #expect(belfry["sid"] as? String == request.apnsID)
        #expect(belfry["campaign"] as? String == id.description)
        let contact = try await world.profile(device).contact?.id ?? 0
        #expect(belfry["to"] as? String == RecipientTag.make(contactID: contact, key: world.keys.recipientMark))
    }

    @Test("REG-22: a device that opts out between launch and send gets nothing")
    func lateOptOut() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        let id = try await world.launch()
        _ = try await world.planner.planNext()
        _ = try await device.register { $0.pushEnabled = false }
        try await world.process()
        try await world.sendToTheEnd()
        #expect(world.transport.requests.isEmpty)
        #expect(try await world.delivery(id, device)?.reason == .optedOut(.user))
    }

    @Test("LED-1: a message that expired before it is sent is suppressed; one with a life of 0 is tried once")
    func expiry() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answerAll(.serverError)
        var content = ServiceWorld.content
        content.ttlSeconds = 60
        let short = try await world.launch(push: content)
        content.ttlSeconds = 0
        let never = try await world.launch(push: content)
        _ = try await world.campaigns.life.pause(short, app: world.app)
        world.clock.advance(by: 61)
        _ = try await world.campaigns.life.resume(short, app: world.app)
        try await world.sendToTheEnd()
        let client = try ServiceWorld.client(1)
        #expect(try await world.delivery(short, client)?.reason == .expired)
        #expect(try await world.delivery(short, client)?.state == .suppressed)
        let tried = try await world.delivery(never, client)
        #expect(tried?.state == .rejected && tried?.reason == .expired)
        #expect(world.transport.requests.count == 1)
        #expect(world.transport.requests[0].fields["apns-expiration"] == "0")
    }

    @Test("LED-1: a token that is too long is rejected like one that APNs refused, and opts out")
    func overlongToken() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: String(repeating: "a", count: 600))
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(world.transport.requests.isEmpty)
        #expect(try await world.delivery(id, device)?.state == .rejected)
        #expect(try await world.eligibility(device) == "optedOut:token-malformed")
    }
}
