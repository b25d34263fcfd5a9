import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct CenterExplanationTests {
    private static func explain(_ world: World, _ id: CampaignID, _ device: TestDevice) async throws -> Explanation {
        try await world.explainer.explain(id, device: device.client.rawValue, app: world.app)
    }

    @Test("LED-2: what lies in a centre is told with what the user did with it")
    func placed() async throws {
        let world = try await World()
        let device = try await TestDevice.registered(world, 1, key: "anna", token: "token1")
        let tablet = try await TestDevice.registered(world, 2, key: "anna")
        try await world.makeFleet(3)
        let id = try await world.launch(message: World.message)
        _ = try await world.planner.planNext()
        let waiting = "It has not been placed in the message center 'Primary' yet."
        #expect(try await Self.explain(world, id, device).sentence == waiting)
        try await world.sendToTheEnd()
        let lies = "It lies in the message center 'Primary', "
        let explanation = try await Self.explain(world, id, device)
        #expect(explanation.state == "accepted" && explanation.reason == nil)
        #expect(explanation.sentence == lies + "and has not been read yet.")
        let nobody = try await world.explainer.explain(id, device: World.client(3).rawValue, app: world.app)
        #expect(nobody.reason == "noContact")
        #expect(
            nobody.sentence
                == "It was not placed in the message center 'Primary': nobody is linked to the device, and a "
                + "message in a center belongs to a contact."
        )

        let message = try await world.messageID(id, device)
        try await device.track(
            Event(
                id: EventID("o1"), kind: .internal, name: .messageCenterOpen, timestamp: World.epoch,
                attributes: ["messageId": .string(message)]
            )
        )
        try await set(.read, id, device)
        #expect(try await Self.explain(world, id, device).sentence == lies + "and was opened on this device.")
        #expect(try await Self.explain(world, id, tablet).sentence == lies + "and has been read.")
        let steps = try await Self.explain(world, id, device).history
        #expect(Set(steps.map(\.what)) == ["launched", "accepted", "messageOpened"])
        #expect(steps.first { $0.what == "messageOpened" }?.detail == "times: 1")
        try await set(.deleted, id, device)
        let deleted = "It was placed in the message center 'Primary', and the user has deleted it."
        #expect(try await Self.explain(world, id, tablet).sentence == deleted)
    }

    private func set(_ state: MessageState, _ id: CampaignID, _ device: TestDevice) async throws {
        let world = device.world
        let contact = try #require(try await world.profile(device).contact?.id)
        let isThere = try await world.database.write {
            try $0.centerMessages.setState(state, contact: contact, campaign: id, at: World.epoch)
        }
        #expect(isThere)
    }

    @Test("LED-2: a push that is kept is told as a push and as a message")
    func keptPush() async throws {
        let world = try await World()
        let device = try await TestDevice.registered(world, 1, token: "token1")
        let gone = try await TestDevice.registered(world, 2, token: "gone")
        let optedOut = try await world.optedOutDevice(3)
        world.carrier.answer("gone", .unregistered(since: nil))
        let id = try await world.launch(message: World.message, push: World.content)
        try await world.sendToTheEnd()
        let lies = " It lies in the message center 'Primary', and has not been read yet."
        #expect(
            try await Self.explain(world, id, device).sentence
                == "The push service took it; the device has not reported it." + lies
        )
        #expect(
            try await Self.explain(world, id, gone).sentence
                == "It was sent and refused: the push service said 'Unregistered'." + lies
        )
        #expect(
            try await Self.explain(world, id, optedOut).sentence
                == "It was not sent: the user has switched push off in the app."
        )
        let history = try await world.explainer.messages(
            of: device.client.rawValue, app: world.app, before: nil, limit: 5
        )
        #expect(history.map(\.campaign.draft.kind) == [.pushAndMessageCenter])
        #expect(history.first?.explanation.sentence.hasSuffix(lies) == true)
    }

    @Test("LED-2: what became of a badge push is told beside the message")
    func badgePush() async throws {
        let world = try await World()
        let gone = try await TestDevice.registered(world, 1, token: "gone")
        let slow = try await TestDevice.registered(world, 2, token: "slow")
        world.carrier.answer("gone", .unregistered(since: nil))
        world.carrier.answer("slow", .serverError, .accepted)
        var message = World.message
        message.badge = BadgeChange(op: .increment)
        let id = try await world.launch(message: message)
        await world.dispatcher().runUntilIdle()
        let lies = "It lies in the message center 'Primary', and has not been read yet."
        #expect(
            try await Self.explain(world, id, slow).sentence
                == lies + " Its badge push was tried once and will be tried again."
        )
        let refused = try await Self.explain(world, id, gone)
        #expect(refused.state == "accepted" && refused.reason == nil)
        #expect(
            refused.sentence == lies
                + " Its badge push came to nothing ('Unregistered'): the device learns its badge when it asks."
        )
        try await world.sendToTheEnd()
        #expect(try await Self.explain(world, id, slow).sentence == lies)
    }
}
