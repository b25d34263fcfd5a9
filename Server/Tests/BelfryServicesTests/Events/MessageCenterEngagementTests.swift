import BelfryModel
import BelfryPush
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct MessageCenterEngagementTests {
    private static func event(
        _ id: String, _ name: EventName, message: String, kind: Event.Kind = .internal
    ) throws -> Event {
        Event(
            id: try EventID(id), kind: kind, name: name, timestamp: ServiceWorld.epoch,
            attributes: #"{"messageId":"\#(message)"}"#
        )
    }

    private static func sums(_ world: ServiceWorld, _ id: CampaignID) async throws -> [Int] {
        let sums = try await world.campaigns.queries.report(id, app: world.app).messageCenter
        return sums.map { [$0.displays, $0.displayedBy, $0.opens, $0.openedBy] } ?? []
    }

    @Test("ENG-4: displays and opens count each event once, by campaign and device; the figures are sums")
    func figures() async throws {
        let world = try await ServiceWorld()
        let phone = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let tablet = try await ServiceDevice.registered(world, 2, key: "anna", token: "token2")
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let message = try await world.messageID(id, phone)
        #expect(try await Self.sums(world, id) == [0, 0, 0, 0])
        for _ in 0..<2 {
            // The same ids come twice: a response was lost.
            try await phone.track(
                Self.event("d1", .messageCenterDisplay, message: message),
                Self.event("o1", .messageCenterOpen, message: message),
                Self.event("o2", .messageCenterOpen, message: message)
            )
            try await tablet.track(Self.event("d1", .messageCenterDisplay, message: message))
        }
        #expect(try await Self.sums(world, id) == [2, 2, 2, 1])
        // What the ledger says of a push is untouched.
        let report = try await world.campaigns.queries.report(id, app: world.app)
        #expect(report.counts.displayed == 0 && report.counts.opened == 0 && report.counts.accepted == 2)
        let push = try await world.launch()
        #expect(try await world.campaigns.queries.report(push, app: world.app).messageCenter == nil)
    }

    @Test("ENG-4: another's message, a campaign without messages, or the app's own events do not count")
    func foreign() async throws {
        let world = try await ServiceWorld()
        let anna = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let ben = try await ServiceDevice.registered(world, 2, key: "ben", token: "token2")
        let id = try await world.launch(message: ServiceWorld.message)
        let push = try await world.launch()
        try await world.sendToTheEnd()
        let annas = try await world.messageID(id, anna)
        try await ben.track(
            Self.event("e1", .messageCenterOpen, message: annas),
            Self.event("e2", .messageCenterOpen, message: "no id"),
            Self.event("e3", .messageCenterOpen, message: try await world.messageID(push, ben)),
            Self.event("e4", .messageCenterOpen, message: try await world.messageID(id, ben), kind: .custom)
        )
        #expect(try await Self.sums(world, id) == [0, 0, 0, 0])
        #expect(try await world.rows("center_engagement") == 0)
        #expect(try await world.rows("events") == 4)
    }

    @Test("ENG-4: an id that somebody computes for a campaign that they never got does not count")
    func forged() async throws {
        let world = try await ServiceWorld()
        let anna = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let ben = try await ServiceDevice.registered(world, 2, key: "ben", token: "token2")
        let id = try await world.launch(message: ServiceWorld.message, audience: .contactKeys(["anna"]))
        try await world.sendToTheEnd()
        for (number, device) in [anna, ben].enumerated() {
            let message = try await world.messageID(id, device)
            try await device.track(Self.event("o\(number)", .messageCenterOpen, message: message))
        }
        #expect(try await Self.sums(world, id) == [0, 0, 1, 1])
    }

    @Test("ENG-4, ID-7: an event counts for the contact at its time, even if another person has the device now")
    func formerUser() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let anonymous = try await world.messageID(id, device)
        let reference = device.contactReference
        // The anonymous person becomes a known one; the installation's inbox does not (MC-15).
        try await device.identify("anna")
        #expect(try await world.inbox(device).isEmpty)
        let late = try Event(
            id: EventID("e1"), kind: .internal, name: .messageCenterOpen, timestamp: ServiceWorld.epoch,
            attributes: #"{"messageId":"\#(anonymous)"}"#, contactReference: reference
        )
        try await device.track(late)
        #expect(try await Self.sums(world, id) == [0, 0, 1, 1])
        // It is the installation's own, whoever uses it (MC-15).
        try await device.track(Self.event("e2", .messageCenterOpen, message: anonymous))
        #expect(try await Self.sums(world, id) == [0, 0, 2, 1])
    }
}
