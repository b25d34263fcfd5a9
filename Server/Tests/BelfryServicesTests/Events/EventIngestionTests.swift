import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct EventIngestionTests {
    @Test("EVT-3: an event is stored once, however often and in whatever batches it is sent")
    func once() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        let other = try await ServiceDevice.started(world, 2)
        try await device.track(.test("e1"), .test("e2"), .test("e1"))
        try await device.track(.test("e2"), .test("e3"))
        try await other.track(.test("e1"))
        #expect(try await ids(world, device) == ["e1", "e2", "e3"])
        #expect(try await ids(world, other) == ["e1"])
        #expect(world.metrics.prometheusText().contains("belfry_events_stored_total 4\n"))
    }

    @Test("EVT-3, LED-1: the SDK's reports about a push join the ledger, each fact once, the first one counting")
    func joinsLedger() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let sid = MessageID.make(campaign: id, device: device.client).text
        #expect(world.transport.requests.first?.apnsID == sid)
        let story: [(EventName, Engagement)] = [
            (.pushReceived, .received), (.pushDisplayed, .displayed), (.pushClick, .opened), (.pushDismiss, .dismissed),
        ]
        for (minute, step) in story.enumerated() {
            let at = ServiceWorld.epoch.addingTimeInterval(Double(minute) * 60)
            world.clock.advance(to: at)
            try await device.track(.test("\(step.0)", step.0, at: at, sid: sid.uppercased()))
            // A second report of the same fact, by another event.
            try await device.track(.test("\(step.0)-again", step.0, at: at.addingTimeInterval(1), sid: sid))
            #expect(try await world.delivery(id, device)?.engagements[step.1] == at)
        }
        let counts = try await world.counts(id)
        #expect(counts.accepted == 1 && counts.displayed == 1 && counts.opened == 1)
    }

    @Test("EVT-3: a message id of another device, another campaign or nobody does not count")
    func forgedMessageIDs() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let other = try await ServiceDevice.registered(world, 2, token: "token2")
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let unknown = try #require(CampaignID(id.number + 1))
        let forged = [
            MessageID.make(campaign: id, device: device.client).text,
            MessageID.make(campaign: unknown, device: other.client).text,
            MessageID(campaign: id, digest: Array(repeating: 7, count: 32)).text, "no id", "",
        ]
        for (number, sid) in forged.enumerated() {
            try await other.track(.test("e\(number)", .pushClick, sid: sid))
        }
        let counts = try await world.counts(id)
        #expect(counts.opened == 0)
        #expect(try await world.delivery(id, device)?.engagements == [:])
        #expect(try await world.delivery(id, other)?.engagements == [:])
        #expect(try await ids(world, other).count == forged.count)
    }

    @Test("EVT-3: only the SDK's own events count for a push")
    func customEvents() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let sid = MessageID.make(campaign: id, device: device.client).text
        try await device.track(.test("e1", .pushClick, kind: .custom, sid: sid), .test("e2", .appStart, sid: sid))
        #expect(try await world.counts(id).opened == 0)
    }

    @Test("EVT-7: a device's events are paged newest first, also with a wrong clock")
    func pages() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        let dates = [0, 60, -4e9, 60, -4e9 + 1].map(ServiceWorld.epoch.addingTimeInterval)
        for (number, date) in dates.enumerated() { try await device.track(.test("e\(number)", at: date)) }
        var seen: [String] = []
        var cursor: String?
        repeat {
            let page = try await world.directory.events(
                of: device.client.rawValue, app: world.app, cursor: cursor, limit: 2
            )
            seen += page.events.map(\.eventID)
            cursor = page.cursor
        } while cursor != nil && seen.count < 20
        #expect(seen == ["e3", "e1", "e0", "e4", "e2"])
        for cursor in ["", "x", "1", "1.2.3", "a.b", "1.\(Base64URL.encode([0x61, 0, 0x62]))"] {
            let code = await errorCode {
                try await world.directory.events(of: device.client.rawValue, app: world.app, cursor: cursor, limit: 2)
            }
            #expect(code == "invalidCursor")
        }
    }

    private func ids(_ world: ServiceWorld, _ device: ServiceDevice) async throws -> [String] {
        try await world.directory.events(of: device.client.rawValue, app: world.app, cursor: nil, limit: 100)
            .events.map(\.eventID).sorted()
    }
}
