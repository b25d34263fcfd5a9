import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// What a rehearsal reads at once.
struct RehearsalReadingTests {
    private static func reading(
        in world: ServiceWorld, audience: Condition = .everyone, trigger: String? = nil,
        others: [OtherNotifications] = []
    ) async throws -> RehearsalReading {
        let app = world.app
        let found = try await world.database.read { connection in try connection.audiences.devices(app: app.id) }
        let cap = FrequencyCap(count: 1, within: try ISODuration("P1D"))
        return RehearsalReading(
            campaign: try #require(CampaignID(999)), app: app, audience: audience, values: [], launch: world.clock.now,
            now: world.clock.now, lastDevice: try #require(found).upperBound,
            cap: trigger == nil ? cap : nil, isSilent: false, center: nil, trigger: trigger, others: others
        )
    }

    private static func page(
        of reading: RehearsalReading, after device: Int64 = 0, in world: ServiceWorld
    ) async throws -> RehearsalInput {
        try await world.database.ask(.rehearsing) { asked in try reading.page(after: device, asked) }
    }

    @Test("CON-13: what a campaign without a rate has left is read for the chosen devices alone, however many wait")
    func chosenAlone() async throws {
        let world = try await ServiceWorld()
        let clients = try await world.makeFleet(1_200)
        let other = OtherNotifications(
            campaign: try await world.launch(), recipients: .pending, launch: world.clock.now, cap: nil,
            isRated: false
        )
        while try await world.planner.planNext() {}
        let ends = Condition.deviceIDs([clients[0].rawValue, clients[1_199].rawValue])
        let reading = try await Self.reading(in: world, audience: ends, others: [other])
        let input = try await Self.page(of: reading, in: world)
        let (chosen, waiting) = (input.recipients.map(\.device), try #require(input.others.first).map(\.device))
        #expect(chosen.count == 2 && waiting == chosen)
        #expect(input.reached == reading.lastDevice, "no second page is needed")
    }

    @Test("CON-13: the events of a page are bounded, however many devices have them, and none of them is left out")
    func boundedEvents() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(120)
        let reading = try await Self.reading(in: world, trigger: "purchase")
        let everybody = try await Self.page(of: reading, in: world).recipients.map(\.device)
        let busy = [everybody[0], everybody[110]]
        let (app, date) = (world.app.id, world.clock.now.addingTimeInterval(-3_600))
        let count = RehearsalReading.maximumEvents * 3 / 5
        try await world.database.write { connection in
            for device in busy {
                try connection.executeEach(
                    """
                    INSERT INTO events (device_id, event_id, app_id, kind, name, at, received_at, attributes)
                    VALUES (?, ?, ?, 'custom', 'purchase', ?, ?, '{}')
                    """,
                    (0..<count).map { number -> [SQLValue] in
                        [.integer(device), .text("r\(number)"), .integer(app), .date(date), .date(date)]
                    }
                )
            }
        }
        var (reached, pages, found): (Int64, [Int], [Int64: Int]) = (0, [], [:])
        while reached < reading.lastDevice {
            let input = try await Self.page(of: reading, after: reached, in: world)
            reached = input.reached
            pages.append(input.events.values.map(\.count).reduce(0, +))
            found.merge(input.events.mapValues(\.count), uniquingKeysWith: +)
            #expect(input.busy.isEmpty)
        }
        #expect(pages == [count, count])
        #expect(found == [busy[0]: count, busy[1]: count])
    }
}
