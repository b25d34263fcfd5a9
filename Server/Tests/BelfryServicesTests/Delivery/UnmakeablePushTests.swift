import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// A push that no push service would take, beside a message and a badge.
struct UnmakeablePushTests {
    private static func registered(_ world: ServiceWorld, _ number: Int, story: String) async throws -> ServiceDevice {
        var device = try await ServiceDevice.started(world, number)
        _ = try await device.register {
            $0.pushToken = "token\(number)"
            $0.attributes = ["story": .string(story)]
        }
        try await world.process()
        return device
    }

    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("story", type: .string, app: world.app)
        return world
    }

    @Test("MC-16, BADGE-1: a push that is too large for one recipient is not sent; its message and its badge are there")
    func tooLarge() async throws {
        let world = try await Self.world()
        let long = try await Self.registered(world, 1, story: String(repeating: "é", count: 2_000))
        let short = try await Self.registered(world, 2, story: "short")
        var message = ServiceWorld.message
        message.badge = BadgeChange(op: .increment)
        let push = PushContent(title: "Story", body: "{{story}}")
        let id = try await world.launch(message: message, push: push)
        try await world.sendToTheEnd()
        #expect(try await world.outcome(id, long) == "payloadTooLarge")
        #expect(try await world.inbox(long).count == 1)
        #expect(try await world.badge(long.client) == Badge(count: 1, revision: 1))
        let explanation = try await world.explainer.explain(id, device: long.client.rawValue, app: world.app)
        #expect(explanation.sentence.hasPrefix("It was not sent: the message is larger than the push service accepts."))
        #expect(try await world.outcome(id, short) == "accepted")
        #expect(try await world.inbox(short).count == 1)
        #expect(try await world.badge(short.client) == Badge(count: 1, revision: 1))
        #expect(world.transport.requests.map(\.token) == ["token2"])
    }

    @Test("MC-16, BADGE-5: room for the widest badge decides, so that a later attempt is not too large either")
    func widest() async throws {
        let world = try await Self.world()
        var push = PushContent(title: "Story", body: "{{story}}")
        push.badge = BadgeChange(op: .increment)
        _ = try await Self.registered(world, 1, story: "x")
        _ = try await world.launch(message: ServiceWorld.message, push: push)
        try await world.sendToTheEnd()
        let room = 4_096 - (try #require(world.transport.requests.first).body.count) + 1
        // Ten digits of the revision, and two of the count in both places, where one of each stands.
        for (number, spare, outcome) in [(2, 11, "accepted"), (3, 10, "payloadTooLarge")] {
            let device = try await Self.registered(world, number, story: String(repeating: "x", count: room - spare))
            let id = try await world.launch(message: ServiceWorld.message, push: push)
            try await world.sendToTheEnd()
            #expect(try await world.outcome(id, device) == outcome)
            #expect(try await world.inbox(device).count == 1)
        }
    }

    @Test("REG-31, MC-16: an impossible token opts the device out, and its message is there")
    func malformedToken() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        // Whatever it was when it came, it is longer than any token.
        let long = String(repeating: "a", count: 600)
        _ = try await world.database.write { try $0.execute("UPDATE devices SET push_token = ?", [.text(long)]) }
        let id = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await world.sendToTheEnd()
        #expect(try await world.outcome(id, device) == "malformedToken")
        #expect(try await world.inbox(device).count == 1 && world.transport.requests.isEmpty)
        #expect(try await world.optOuts(.tokenMalformed) == 1)
    }
}
