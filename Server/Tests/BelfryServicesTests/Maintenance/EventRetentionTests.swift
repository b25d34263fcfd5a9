import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// How events go after the terms of their apps: with their partition, or by rows (EVT-7, FLEET-3).
struct EventRetentionTests {
    private static let day: TimeInterval = 86_400
    private static let now = ServiceWorld.epoch

    private static func apps(_ days: [Int?]) throws -> [AppRecord] {
        try days.enumerated().map { number, days in
            var settings = AppSettings()
            settings.eventRetentionDays = days
            return AppRecord(
                id: Int64(number + 1), code: try AppCode("app\(number)"), name: "App", settings: settings
            )
        }
    }

    private static func ago(_ days: Double) -> Date { now.addingTimeInterval(-days * day) }

    @Test("EVT-7, FLEET-3: a partition may go once every app's term is over, never while one keeps its events for good")
    func terms() throws {
        func terms(_ days: [Int?]) throws -> EventTerms { EventTerms(try Self.apps(days), at: Self.now) }
        #expect(try terms([]).over == nil)
        #expect(try terms([nil]).over == nil)
        #expect(try terms([30]).over == Self.ago(30))
        #expect(try terms([30, 400, 7]).over == Self.ago(400))
        #expect(try terms([30, nil, 7]).over == nil)
        #expect(try terms([30, nil, 7]).limits == [1: Self.ago(30), 3: Self.ago(7)])
    }

    @Test("EVT-7, FLEET-3: rows of the longest term are left to a partition that goes within a week, no others")
    func byRows() throws {
        // The term of 40 days was over on a Monday, 12 October; that of 47 days on the Monday before.
        let week = CalendarPeriod(.week, of: Self.ago(40).milliseconds)
        let former = CalendarPeriod(.week, of: week.start - 1)
        func part(_ period: CalendarPeriod) -> TablePartition {
            TablePartition(name: "events_\(period)", start: period.start, end: period.end)
        }
        let first = TablePartition(name: "events_first", end: former.start)
        let rest = TablePartition(name: "events_rest", isRest: true)
        func byRows(_ days: [Int?], _ parts: [TablePartition]?) throws -> [Int64: Date] {
            EventTerms(try Self.apps(days), at: Self.now)
                .byRows(beside: TablePartitions(table: .events, parts: parts))
        }
        let divided = [first, part(former), part(week), rest]
        #expect(try byRows([40], divided) == [1: Date(milliseconds: week.start)])
        #expect(try byRows([40, 40, 7], divided)[2] == Date(milliseconds: week.start))
        #expect(try byRows([40, 40, 7], divided)[3] == Self.ago(7))
        #expect(try byRows([47, 40], divided) == [1: Date(milliseconds: former.start), 2: Self.ago(40)])
        // No partition goes: one app keeps its events, the week has none, it is the first one's, there are none.
        #expect(try byRows([40, nil], divided) == [1: Self.ago(40)])
        #expect(try byRows([40], [first, part(former), rest]) == [1: Self.ago(40)])
        #expect(try byRows([90], divided) == [1: Self.ago(90)])
        #expect(try byRows([40], nil) == [1: Self.ago(40)])
        let withoutPartitions = EventTerms(try Self.apps([40]), at: Self.now).byRows(beside: nil)
        #expect(withoutPartitions == [1: Self.ago(40)])
    }

    private static func keepEvents(for days: Int?, of app: AppRecord, in world: ServiceWorld) async throws {
        try await world.database.write { connection in
            var settings = app.settings
            settings.eventRetentionDays = days
            try connection.apps.save(settings: settings, of: app.id)
        }
    }

    @Test(
        """
        EVT-7, FLEET-3: the upkeep divides the events, makes weeks ahead, and drops those that no app keeps, within eight \
        days; shorter terms go by rows
        """
    )
    func weeks() async throws {
        let world = try await ServiceWorld(.postgres)
        let other = try await world.apps.create(code: "other", name: "Other").app
        try await Self.keepEvents(for: 30, of: world.app, in: world)
        try await Self.keepEvents(for: 10, of: other, in: world)
        await world.housekeeping.tidy(daily: false)
        let whole = try await world.database.read { try $0.partitions(of: .events)?.parts?.map(\.name) }
        #expect(whole == ["events_first", "events_rest"])
        // The first partition goes until 18 January.
        let monday = try #require(Timestamp.date("2027-02-01T00:00:00Z"))
        world.clock.advance(to: monday)
        await world.housekeeping.tidy(daily: false)
        for (app, name) in [(world.app.id, "own"), (other.id, "others")] {
            for hours in [1, 100] {
                let at = monday.addingTimeInterval(Double(hours) * 3_600)
                try await world.database.write { connection in
                    let event = Event(
                        id: try EventID("\(name)-\(hours)"), kind: .custom, name: try EventName("n"), timestamp: at
                    )
                    let new = NewEvent(event, device: 1, app: app, contact: nil, at: at, receivedAt: at)
                    _ = try connection.events.insert([new])
                }
            }
        }
        /// The ids that are left so many days after that Monday, and whether their week has its partition.
        func left(_ days: Double) async throws -> [String] {
            world.clock.advance(to: monday.addingTimeInterval(days * Self.day))
            await world.housekeeping.tidy()
            return try await world.database.read { connection in
                let parts = try connection.partitions(of: .events)?.parts ?? []
                let isThere = parts.contains { $0.name == "events_2027_02_01" }
                let ids = try connection.query("SELECT event_id FROM events ORDER BY event_id", []) { $0.text(0) }
                return ids + (isThere ? ["partition"] : [])
            }
        }
        // A device, over which the walk goes.
        _ = try await world.database.write { connection in
            try connection.devices.findOrInsert(app: other.id, client: try ServiceWorld.client(1), now: monday)
        }
        #expect(try await left(10) == ["others-1", "others-100", "own-1", "own-100", "partition"])
        #expect(try await left(10.1) == ["others-100", "own-1", "own-100", "partition"])
        #expect(try await left(15) == ["own-1", "own-100", "partition"])
        // By rows both would have gone.
        #expect(try await left(36.9) == ["own-1", "own-100", "partition"])
        #expect(try await left(37) == [])
    }
}
