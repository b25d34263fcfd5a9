import BelfryModel
import BelfryPush
import BelfryRules
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct EventClockTests {
    /// Stores events as a device sends them whose clock is so many seconds ahead.
    private static func send(
        _ events: [Event], _ device: ServiceDevice, ahead: TimeInterval
    ) async throws {
        let now = device.world.clock.now
        var caller = device.caller()
        caller.clockOffset = ClockOffset(header: String(now.addingTimeInterval(ahead).milliseconds), now: now)
        _ = try await device.world.events.store(events, caller: try device.world.authentication.authenticate(caller))
    }

    private static func event(
        _ id: String, _ name: EventName = .appStart, at date: Date, sid: String? = nil
    ) throws -> Event {
        try Event.test(id, name, at: date, sid: sid)
    }

    @Test("EVT-9, LED-1: the ledger's times of a push are by the server's clock")
    func ledger() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let sid = MessageID.make(campaign: id, device: device.client).text
        let now = world.clock.now
        let story: [(EventName, Engagement, ahead: TimeInterval)] = [
            (.pushDisplayed, .displayed, -3_600), (.pushClick, .opened, 86_400), (.pushDismiss, .dismissed, 0),
        ]
        for (name, engagement, ahead) in story {
            let event = try Self.event("\(name)", name, at: now.addingTimeInterval(ahead - 100), sid: sid)
            try await Self.send([event], device, ahead: ahead)
            #expect(try await world.delivery(id, device)?.engagements[engagement] == now.addingTimeInterval(-100))
        }
    }

    @Test(
        "EVT-9: events of many clocks are sorted by the server's, each with its own time", arguments: 0..<UInt64(4)
    )
    func listed(seed: UInt64) async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        var dice = SeededGenerator(seed: seed)
        let now = world.clock.now
        var expected: [(id: String, at: Date, deviceAt: Date?)] = []
        for number in 0..<40 {
            let ahead = Double(Int.random(in: -4...4, using: &dice)) * 30
            let age = Double(Int.random(in: -300_000...3_000_000, using: &dice)) / 1_000
            let said = now.addingTimeInterval(ahead - age)
            let id = "e\(100 + number)"
            try await Self.send([try Self.event(id, at: said)], device, ahead: ahead)
            let isWrong = abs(ahead) > ClockOffset.tolerance
            let real = min(now.addingTimeInterval(-age), now)
            expected.append((id, isWrong ? real : said, isWrong ? said : nil))
        }
        let listed = try await world.directory.events(
            of: device.client.rawValue, app: world.app, cursor: nil, limit: 100
        ).events
        let inOrder = expected.sorted { ($0.at.milliseconds, $0.id) > ($1.at.milliseconds, $1.id) }
        #expect(listed.map(\.eventID) == inOrder.map(\.id))
        #expect(listed.map(\.at.milliseconds) == inOrder.map(\.at.milliseconds))
        #expect(listed.map { $0.deviceAt?.milliseconds } == inOrder.map { $0.deviceAt?.milliseconds })
    }
}
