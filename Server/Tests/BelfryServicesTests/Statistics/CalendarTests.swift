import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("CON-6: the calendar")
struct CalendarTests {
    private static let day: TimeInterval = 86_400
    private static let monday = CalendarDay("2026-11-23")

    private static func audience(_ numbers: ClosedRange<Int>) throws -> Condition {
        .deviceIDs(try numbers.map { try ServiceWorld.client($0).rawValue })
    }

    @Test("CON-6: days are read, counted and placed in weeks and months")
    func days() throws {
        let monday = try #require(Self.monday)
        #expect(monday.weekday == 0 && (monday + 6).weekday == 6 && (monday + 3).firstOfWeek == monday)
        #expect(monday.text == "2026-11-23" && monday.firstOfMonth.text == "2026-11-01")
        #expect(CalendarDay("2026-02-29") == nil && CalendarDay("2026-1-1") == nil && CalendarDay("") == nil)
        #expect(CalendarDay("2026-11-23T00:00") == nil)
        #expect(CalendarDay(number: 0).weekday == 3 && CalendarDay(number: -1).weekday == 2)
        #expect(CalendarDay(ServiceWorld.epoch, in: .gmt).text == "2026-11-21")
        #expect(CalendarDay(Date(timeIntervalSince1970: -1), in: .gmt).number == -1)
    }

    @Test("CON-6: a week has what was sent, what is planned and drafts with a time; other weeks have their own")
    func week() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let monday = try #require(Self.monday)
        let start = monday.start(in: .gmt)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        let planned = try await world.launch(schedule: CampaignSchedule(at: start.addingTimeInterval(Self.day)))
        let local = try await world.launch(
            schedule: CampaignSchedule(localAt: LocalDateTime("2026-11-25T09:00"))
        )
        let draft = try await world.campaigns.drafts.create(
            ServiceWorld.draft(schedule: CampaignSchedule(at: start.addingTimeInterval(4 * Self.day))), app: world.app
        ).id
        _ = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app)
        _ = try await world.launch(schedule: CampaignSchedule(at: start.addingTimeInterval(9 * Self.day)))

        let week = try await world.calendar.entries(from: monday, days: 7, app: world.app)
        #expect(week.map(\.campaign.id) == [planned, local, draft])
        let byClock = try #require(week.first { $0.campaign.id == local })
        #expect(byClock.localAt == LocalDateTime("2026-11-25T09:00"))
        #expect(Timestamp.text(byClock.begins) == "2026-11-24T19:00:00.000Z", "First in UTC+14")
        #expect(byClock.ends.map(Timestamp.text) == "2026-11-25T21:00:00.000Z", "Last in UTC-12")
        let before = try await world.calendar.entries(from: monday + -7, days: 7, app: world.app)
        #expect(before.map(\.campaign.status) == [.completed])
        #expect(try await world.calendar.entries(from: monday + 7, days: 7, app: world.app).count == 1)
    }

    @Test(
        "CON-6: a calendar asks as few questions for many campaigns as for one; one that cannot be read hides no other")
    func bulk() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let monday = try #require(Self.monday)
        let at = monday.start(in: .gmt).addingTimeInterval(Self.day)
        func asked() async throws -> (entries: [CalendarEntry], statements: Int) {
            let database = CountingDatabase(world.database)
            let calendar = CalendarService(database: database, environment: world.environment)
            let entries = try await calendar.entries(from: monday, days: 7, app: world.app)
            #expect(database.count == 1)
            return (entries, database.asked.values.reduce(0, +))
        }
        var planned = [try await world.launch(schedule: CampaignSchedule(at: at))]
        let one = try await asked()
        #expect(one.entries.map(\.campaign.id) == planned)
        for _ in 1...30 { planned.append(try await world.launch(schedule: CampaignSchedule(at: at))) }
        let many = try await asked()
        #expect(many.entries.map(\.campaign.id) == planned && many.statements == one.statements)
        #expect(one.statements <= 4)
        let damaged = planned.remove(at: 7)
        _ = try await world.database.write { connection in
            try connection.execute("UPDATE campaigns SET content = '{' WHERE id = ?", [.integer(damaged.number)])
        }
        #expect(try await asked().entries.map(\.campaign.id) == planned)
    }

    @Test("CON-6: pressure is counted over everybody: overlaps, messages to one device, and whom a cap stops")
    func pressure() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(20)
        let monday = try #require(Self.monday)
        let start = monday.start(in: .gmt)
        func plan(_ numbers: ClosedRange<Int>, hour: Double, cap: FrequencyCap? = nil) async throws -> CampaignID {
            try await world.launch(
                audience: try Self.audience(numbers),
                schedule: CampaignSchedule(at: start.addingTimeInterval(hour * 3_600), frequencyCap: cap)
            )
        }
        let cap = FrequencyCap(count: 2, within: try ISODuration("P7D"))
        let first = try await plan(1...10, hour: 1)
        let second = try await plan(6...15, hour: 2)
        let third = try await plan(8...20, hour: 3, cap: cap)
        let found = try await world.calendar.pressure(from: monday, days: 7, app: world.app)
        #expect(found.entries.map(\.campaign.id) == [first, second, third] && found.left == 0)
        #expect(found.reach == [10, 10, 13] && found.devices == 20)
        #expect(found.loads.map(\.messages) == [3, 2, 1] && found.loads.map(\.devices) == [3, 7, 10])
        #expect(found.overlaps.map(\.devices).sorted() == [3, 5, 8])
        #expect(found.overlaps.first?.first == 1 && found.overlaps.first?.second == 2)
        #expect(found.capped.map(\.devices) == [3] && found.capped.first?.entry == 2)
        let elsewhere = try await world.calendar.pressure(from: monday + 7, days: 7, app: world.app)
        #expect(elsewhere.entries.isEmpty && elsewhere.devices == 0)
    }

    @Test("CON-6: counted by event clauses, window by window, they are the same as by plain ones")
    func events() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(9)
        let monday = try #require(Self.monday)
        let at = CampaignSchedule(at: monday.start(in: .gmt).addingTimeInterval(3_600))
        _ = try await world.launch(audience: try Self.audience(1...4), schedule: at)
        _ = try await world.launch(
            audience: .any([try Self.audience(3...6), .event(EventClause(name: "never"))]), schedule: at
        )
        let found = try await world.calendar.pressure(from: monday, days: 7, app: world.app)
        #expect(found.reach == [4, 4] && found.devices == 6 && found.overlaps.map(\.devices) == [2])
    }

    @Test("CON-6: a cap counts the messages that its period still holds, and notifications alone")
    func caps() throws {
        func entry(_ number: Int64, hour: Double, kind: CampaignKind = .push, cap: FrequencyCap? = nil) throws
            -> CalendarEntry
        {
            let id = try #require(CampaignID(number))
            let draft = CampaignDraft(name: "C", kind: kind, audience: .everyone)
            let campaign = Campaign(
                id: id, app: try AppCode("shop"), draft: draft, status: .scheduled, createdAt: ServiceWorld.epoch
            )
            let date = ServiceWorld.epoch.addingTimeInterval(hour * 3_600)
            return CalendarEntry(campaign: CampaignSummary(campaign), begins: date, ends: date, cap: cap)
        }
        let cap = FrequencyCap(count: 1, within: try ISODuration("P1D"))
        let near = [try entry(1, hour: 0), try entry(2, hour: 5, cap: cap)]
        #expect(CampaignPressure(near, left: 0, counts: [0b11: 7, 0b10: 2]).capped.map(\.devices) == [7])
        let far = [try entry(1, hour: 0), try entry(2, hour: 30, cap: cap)]
        #expect(CampaignPressure(far, left: 0, counts: [0b11: 7]).capped.isEmpty)
        let silent = [try entry(1, hour: 0, kind: .silent), try entry(2, hour: 5, cap: cap)]
        #expect(CampaignPressure(silent, left: 0, counts: [0b11: 7]).capped.isEmpty)
    }
}

extension ServiceWorld {
    var calendar: CalendarService { CalendarService(database: database, environment: environment) }
}
