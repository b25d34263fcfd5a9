import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct MessageCenterExplanationTests {
    private static func explain(_ world: ServiceWorld, _ id: CampaignID, _ device: ServiceDevice) async throws
        -> Explanation
    {
        try await world.explainer.explain(id, device: device.client.rawValue, app: world.app)
    }

    @Test("LED-2: a message in a center is explained with its state")
    func placed() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let tablet = try await ServiceDevice.registered(world, 2, key: "anna")
        try await world.makeFleet(3)
        let id = try await world.launch(message: ServiceWorld.message)
        _ = try await world.planner.planNext()
        let waiting = "It has not been placed in the message center 'Primary' yet."
        #expect(try await Self.explain(world, id, device).sentence == waiting)
        try await world.sendToTheEnd()
        let place = "It is in the message center 'Primary', "
        let explanation = try await Self.explain(world, id, device)
        #expect(explanation.state == "accepted" && explanation.reason == nil)
        #expect(explanation.sentence == place + "and has not been read yet.")
        let nobody = try await world.explainer.explain(id, device: ServiceWorld.client(3).rawValue, app: world.app)
        #expect(nobody.reason == "noContact")
        #expect(
            nobody.sentence
                == "It was not placed in the message center 'Primary': the device has no contact, and message center "
                + "messages belong to a contact."
        )

        let message = try await world.messageID(id, device)
        try await device.track(
            Event(
                id: EventID("o1"), kind: .internal, name: .messageCenterOpen, timestamp: ServiceWorld.epoch,
                attributes: #"{"messageId":"\#(message)"}"#
            )
        )
        try await set(.read, id, device)
        #expect(try await Self.explain(world, id, device).sentence == place + "and was opened on this device.")
        #expect(try await Self.explain(world, id, tablet).sentence == place + "and has been read.")
        let steps = try await Self.explain(world, id, device).history
        #expect(Set(steps.map(\.what)) == ["launched", "accepted", "messageOpened"])
        #expect(steps.first { $0.what == "messageOpened" }?.detail == "times: 1")
        try await set(.deleted, id, device)
        let deleted = "It was placed in the message center 'Primary', and the user has deleted it."
        #expect(try await Self.explain(world, id, tablet).sentence == deleted)
    }

    private func set(_ state: MessageState, _ id: CampaignID, _ device: ServiceDevice) async throws {
        let world = device.world
        let contact = try #require(try await world.profile(device).contact?.id)
        let isThere = try await world.database.write {
            try $0.centerMessages.setState(state, contact: contact, campaign: id, at: ServiceWorld.epoch)
        }
        #expect(isThere)
    }

    @Test("LED-2: a kept push is explained as a push and as a message")
    func keptPush() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let gone = try await ServiceDevice.registered(world, 2, token: "gone")
        let optedOut = try await world.optedOutDevice(3)
        world.transport.answer("gone", .unregistered(since: nil))
        let id = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await world.sendToTheEnd()
        let place = " It is in the message center 'Primary', and has not been read yet."
        #expect(
            try await Self.explain(world, id, device).sentence
                == "The push service accepted it; the device has not reported it." + place
        )
        #expect(
            try await Self.explain(world, id, gone).sentence
                == "It was sent, but the push service rejected it: 'Unregistered'. "
                + RejectedToken.gone.sentence + place
        )
        #expect(
            try await Self.explain(world, id, optedOut).sentence
                == "It was not sent: the user has switched push off in the app." + place
        )
        let history = try await world.explainer.messages(
            of: device.client.rawValue, app: world.app, before: nil, limit: 5
        )
        #expect(history.map(\.campaign.kind) == [.pushAndMessageCenter])
        #expect(history.first?.explanation.sentence.hasSuffix(place) == true)
    }

    @Test("LED-2: the result of a badge push is shown with the message")
    func badgePush() async throws {
        let world = try await ServiceWorld()
        let gone = try await ServiceDevice.registered(world, 1, token: "gone")
        let slow = try await ServiceDevice.registered(world, 2, token: "slow")
        world.transport.answer("gone", .unregistered(since: nil))
        world.transport.answer("slow", .serverError, .accepted)
        var message = ServiceWorld.message
        message.badge = BadgeChange(op: .increment)
        let id = try await world.launch(message: message)
        await world.dispatcher().runUntilIdle()
        let place = "It is in the message center 'Primary', and has not been read yet."
        #expect(
            try await Self.explain(world, id, slow).sentence
                == place + " Its badge push was tried once and will be retried."
        )
        let rejected = try await Self.explain(world, id, gone)
        #expect(rejected.state == "accepted" && rejected.reason == nil)
        #expect(
            rejected.sentence == place
                + " Its badge push failed ('Unregistered'); the device gets its badge with its next request."
        )
        try await world.sendToTheEnd()
        #expect(try await Self.explain(world, id, slow).sentence == place)
    }
}
