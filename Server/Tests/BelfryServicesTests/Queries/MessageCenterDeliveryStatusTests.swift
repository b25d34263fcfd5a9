import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Where a message lies, and for whom, when the device is not the one that brought it.
struct MessageCenterDeliveryStatusTests {
    private static let place = "It is in the message center 'Primary'"
    private static let unread = ", and has not been read yet."

    private static func explain(_ world: ServiceWorld, _ id: CampaignID, _ device: ServiceDevice) async throws
        -> Explanation
    {
        try await world.explainer.explain(id, device: device.client.rawValue, app: world.app)
    }

    private static func sentence(_ world: ServiceWorld, _ id: CampaignID, _ device: ServiceDevice) async throws
        -> String
    {
        try await explain(world, id, device).sentence
    }

    @Test("LED-2, MC-5, ENG-4: a device that came later shows its contact's message, and its state")
    func laterDevice() async throws {
        let world = try await ServiceWorld()
        let phone = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let tablet = try await ServiceDevice.registered(world, 2, key: "anna")
        let outsider = try await ServiceDevice.registered(world, 3, key: "bert")
        let message = try await world.messageID(id, phone)
        try await tablet.track(
            Event(
                id: EventID("o1"), kind: .internal, name: .messageCenterOpen, timestamp: ServiceWorld.epoch,
                attributes: #"{"messageId":"\#(message)"}"#
            )
        )
        let late = "The device was first seen after the campaign's launch, so it was not in the audience."
        let explanation = try await Self.explain(world, id, tablet)
        #expect(explanation.state == "notInAudience")
        #expect(
            explanation.sentence == late + " But the contact received the message: it is in the message center "
                + "'Primary', and was opened on this device."
        )
        #expect(explanation.history.map(\.what) == ["messageOpened"])
        let other = try await Self.explain(world, id, outsider)
        #expect(other.sentence == late && other.history.isEmpty)
    }

    @Test("LED-2: of two devices of a contact the later one waits for its turn, and a cancel removes no message")
    func secondDevice() async throws {
        let world = try await ServiceWorld()
        var devices: [ServiceDevice] = []
        for (number, zone) in [(1, "Asia/Tokyo"), (2, "America/New_York")] {
            var device = try await ServiceDevice.started(world, number)
            try await device.register {
                $0.contactKey = "anna"
                $0.timeZone = zone
            }
            devices.append(device)
        }
        try await world.process()
        let local = try #require(LocalDateTime("2026-11-22T09:00:00"))
        let id = try await world.launch(message: ServiceWorld.message, schedule: CampaignSchedule(localAt: local))
        try await world.send(until: try #require(Timestamp.date("2026-11-22T00:00:00Z")))
        #expect(try await Self.sentence(world, id, devices[0]) == Self.place + Self.unread)
        let yet = " But the contact received the message: it is in the message center 'Primary'" + Self.unread
        let waiting = try await Self.sentence(world, id, devices[1])
        #expect(waiting.hasPrefix("It is waiting until 2026-11-22T09:00:00") && waiting.hasSuffix(yet))
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.outcome(id, devices[1]) == "campaignCancelled")
        let cancelled = "The campaign was cancelled before it reached this device."
        #expect(try await Self.sentence(world, id, devices[1]) == cancelled + yet)
    }

    @Test("LED-2: a message stays explained when another person has the device")
    func formerContact() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        world.clock.advance(by: 1)
        try await device.identify("bert")
        #expect(
            try await Self.sentence(world, id, device)
                == Self.place + ", for the contact that the device had then" + Self.unread
        )
    }

    @Test("LED-2: a disabled or deleted center is reported")
    func hidden() async throws {
        let world = try await ServiceWorld()
        let centers = MessageCenterService(database: world.database, environment: world.environment)
        _ = try await centers.save("news", .init(), app: world.app)
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let id = try await world.launch(message: MessageCenterContent(center: "news", subject: "a", message: "b"))
        try await world.sendToTheEnd()
        let place = "It is in the message center 'news'"
        #expect(try await Self.sentence(world, id, device) == place + Self.unread)
        _ = try await centers.save("news", .init(isEnabled: false), app: world.app)
        #expect(try await Self.sentence(world, id, device) == place + ", which is disabled" + Self.unread)
        _ = try await centers.delete("news", app: world.app)
        #expect(try await Self.sentence(world, id, device) == place + ", which has been deleted" + Self.unread)
    }
}
