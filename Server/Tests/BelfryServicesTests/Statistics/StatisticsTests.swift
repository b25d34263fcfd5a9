import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServerTestSupport
import Foundation
import Testing

@testable import BelfryServices
@testable import BelfryStore

@Suite("CON-4: sums of days and hours")
struct StatisticsTests {
    @Test("CON-4, LED-3: sums are those of the ledger, however often they are made")
    func sums() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(5)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        for _ in 0..<3 {
            await world.summation.sumUp()
            world.clock.advance(by: 3_700)
        }
        let first = try await world.days(2)
        #expect(first.map(\.accepted) == [0, 5] && first.map(\.opened) == [0, 0])
        #expect(first.last?.day.text == "2026-11-21")
        try await world.engage(.opened, [1, 2], of: id)
        try await world.engage(.displayed, [1, 2, 3], of: id)
        world.clock.advance(by: 86_400)
        await world.summation.sumUp()
        let second = try await world.days(2)
        #expect(second.map(\.accepted) == [5, 0] && second.map(\.opened) == [2, 0])
        #expect(second.map(\.displayed) == [3, 0])
    }

    @Test("SEC-12, EVT-9: whatever year devices report from, it counts at the launch, the upload or between them")
    func otherYears() async throws {
        let world = try await ServiceWorld()
        let years = ["1970-01-02", "2020-02-29", "2300-01-01", "9000-01-01"]
        var devices: [ServiceDevice] = []
        for number in 1...years.count {
            devices.append(try await ServiceDevice.registered(world, number, token: "token\(number)"))
        }
        let launched = world.clock.now
        let id = try await world.launch()
        try await world.sendToTheEnd()
        world.clock.advance(by: 3_600)
        let uploaded = world.clock.now
        for (device, year) in zip(devices, years) {
            let at = try #require(Timestamp.date("\(year)T12:00:00Z"))
            let sid = MessageID.make(campaign: id, device: device.client).text
            try await device.track(
                .test("shown", .pushDisplayed, at: at, sid: sid), .test("opened", .pushClick, at: at, sid: sid)
            )
        }
        await world.summation.sumUp()
        let found = try await world.database.read { try $0.statistics.quarters(of: id) }
        let counted = try #require(found).sums.filter { $0.sums.displayed > 0 || $0.sums.opened > 0 }
        let quarters = [launched, uploaded].map { $0.milliseconds / QuarterSums.length }
        #expect(counted.map(\.quarter) == quarters)
        #expect(counted.map(\.sums.displayed) == [2, 2] && counted.map(\.sums.opened) == [2, 2])
        let engagements = try await world.delivery(id, devices[3])?.engagements
        #expect(engagements?[.displayed] == uploaded && engagements?[.opened] == uploaded)
        // The event itself keeps the device's time.
        let events = try await world.directory.events(
            of: devices[3].client.rawValue, app: world.app, cursor: nil, limit: 10
        ).events
        let kept = events.map { String(Timestamp.text($0.at).prefix(4)) }
        #expect(kept == ["9000", "9000"])
    }

    @Test("SEC-12: what a former version stored of a year that lies ahead counts at the present, in hours and in sums")
    func storedAhead() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let launched = world.clock.now
        let id = try await world.launch()
        try await world.sendToTheEnd()
        world.clock.advance(by: 7_200)
        let ahead = try #require(Timestamp.date("9000-01-01T12:00:00Z"))
        try await world.engage(.displayed, [1], of: id)
        _ = try await world.database.write { connection in
            try connection.execute(
                "UPDATE deliveries SET displayed_at = ?, opened_at = ? WHERE campaign_id = ? AND device_id = 2",
                [.date(ahead), .date(ahead), .integer(id.number)]
            )
        }
        let hours = try #require(try await world.campaigns.queries.hours(id, app: world.app))
        #expect(hours.hours.map(\.opened) == [0, 0, 1] && hours.hours.map(\.displayed) == [0, 0, 2])
        #expect(hours.left == 0)
        for _ in 0..<2 {
            await world.summation.sumUp()
            let found = try await world.database.read { try $0.statistics.quarters(of: id) }
            let sums = try #require(found).sums
            let (first, last) = (
                launched.milliseconds / QuarterSums.length, world.clock.now.milliseconds / QuarterSums.length
            )
            let isPassed = sums.allSatisfy { $0.quarter >= first && $0.quarter <= last }
            let opened = sums.reduce(0) { $0 + $1.sums.opened }
            let displayed = sums.reduce(0) { $0 + $1.sums.displayed }
            #expect(isPassed && opened == 1 && displayed == 2)
            world.clock.advance(by: 3_700)
        }
    }

    @Test("CON-4: what is erased of the ledger goes from the sums with the next summing-up")
    func erased() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(4)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        await world.summation.sumUp()
        _ = try await world.database.write {
            try $0.execute("DELETE FROM deliveries WHERE campaign_id = ? AND device_id = 1", [.integer(id.number)])
        }
        world.clock.advance(by: 3_700)
        await world.summation.sumUp()
        #expect(try await world.days(1).map(\.accepted) == [3])
    }

    @Test("CON-4: a day is one of the app's zone, and a zone changed later moves the sums")
    func zones() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        await world.summation.sumUp()
        #expect(try await world.days(1).map(\.day.text) == ["2026-11-21"])
        let number = world.app.id
        try await world.database.write { connection in
            var settings = AppSettings()
            // It is past midnight there.
            settings.timeZone = "Pacific/Auckland"
            try connection.apps.save(settings: settings, of: number)
        }
        world.clock.advance(by: 3_700)
        await world.summation.sumUp()
        let app = try await world.apps.stored(world.app)
        let days = try await world.statistics.statistics(app: app, days: 2).days
        #expect(days.map(\.day.text) == ["2026-11-21", "2026-11-22"] && days.map(\.accepted) == [0, 2])
    }

    @Test("CON-4: whatever is due is summed up at once, however many campaigns it is")
    func many() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        for _ in 0...StatisticsSummation.campaigns { _ = try await world.launch() }
        await world.summation.sumUp()
        let now = world.clock.now
        let due = try await world.database.read { try $0.statistics.campaignsToSum(now: now, limit: 1) }
        #expect(due.isEmpty)
    }

    @Test("CON-4: a campaign that goes on is summed up each minute, one that has ended seldom, and then not any more")
    func pace() {
        let now = ServiceWorld.epoch
        func next(_ age: TimeInterval?, took: TimeInterval = 0) -> TimeInterval {
            let ended = age.map { now.addingTimeInterval(-$0) }
            let campaign = CampaignToSum(id: 1, app: 1, launchedAt: ended ?? now, endedAt: ended)
            return StatisticsSummation.next(after: now, campaign, took: took).timeIntervalSince(now)
        }
        #expect(next(nil) == 60 && next(600) == 60 && next(7_200) == 3_600 && next(5 * 86_400) == 86_400)
        #expect(next(nil, took: 30) == 600, "What takes long is done seldom.")
        #expect(next(40 * 86_400) > 100 * 365 * 86_400)
    }

    @Test("CON-4: devices that may get pushes are counted, and the last count of a day stays")
    func consent() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        await world.summation.sumUp()
        #expect(try await world.days(1).map(\.optedIn) == [3])
        let app = world.app.id
        try await world.database.write { connection in
            try connection.execute("UPDATE devices SET push_token = NULL WHERE id = 1", [])
            try connection.audiences.rebuild(app: app)
        }
        world.clock.advance(by: 59)
        await world.summation.sumUp()
        #expect(try await world.days(1).map(\.optedIn) == [3])
        world.clock.advance(by: 1)
        await world.summation.sumUp()
        let today = try #require(try await world.days(1).last)
        #expect(today.optedIn == 2 && today.devices == 3)
    }

    @Test("CON-4: an app is counted every hour, with few devices every minute; many such apps take one count a second")
    func consentPauses() {
        #expect(StatisticsSummation.consentPause(devices: 1_000, apps: 1) == 3_600)
        #expect(StatisticsSummation.consentPause(devices: 999, apps: 1) == 60)
        #expect(StatisticsSummation.consentPause(devices: 0, apps: 600) == 600)
        #expect(StatisticsSummation.consentPause(devices: 0, apps: 100_000) == 3_600)
    }

    @Test("SEC-8: one process sums up at a time, and a dead one is relieved")
    func lease() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        _ = try await world.makeAttempts("dead").begin(.upkeep(.statistics), lease: 60)
        await world.summation.sumUp()
        #expect(try await world.days(1).map(\.accepted) == [0])
        world.clock.advance(by: 61)
        await world.summation.sumUp()
        #expect(try await world.days(1).map(\.accepted) == [1])
    }

    @Test("CON-7: the hours of a campaign, whether its ledger is summed up when asked or was before")
    func hours() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let sent = world.clock.now
        world.clock.advance(by: 7_200)
        try await world.engage(.opened, [2], of: id)
        let hours = try #require(try await world.campaigns.queries.hours(id, app: world.app))
        #expect(hours.hours.map(\.accepted) == [3, 0, 0] && hours.hours.map(\.opened) == [0, 0, 1])
        #expect(hours.hours.first?.begins == ServiceWorld.epoch && hours.left == 0)
        let draft = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        #expect(try await world.campaigns.queries.hours(draft, app: world.app) == nil)

        let now = world.clock.now
        _ = try await world.database.write { connection in
            try connection.executeEach(
                """
                INSERT INTO deliveries (campaign_id, device_id, state, attempts, updated_at)
                VALUES (?, ?, 'accepted', 1, ?)
                """,
                (1...5_000).map { [.integer(id.number), .integer(1_000 + $0), .date(sent)] }
            )
        }
        #expect(
            try await world.campaigns.queries.hours(id, app: world.app) == nil,
            "It is too large to be summed up for a page.")
        await world.summation.sumUp()
        let stored = try #require(try await world.campaigns.queries.hours(id, app: world.app))
        #expect(stored.hours.map(\.accepted) == [5_003, 0, 0] && stored.hours.map(\.opened) == [0, 0, 1])
        #expect(stored.at == now)
        let exact = try await world.campaigns.queries.standing(id, app: world.app)
        let sheet = try await world.campaigns.queries.sheet(id, app: world.app)
        #expect(sheet.standing.outcomes == exact.outcomes && sheet.standing.report.counts == exact.report.counts)
        #expect(sheet.standing.summedAt == now && exact.summedAt == nil && sheet.hours == stored)
    }

    @Test("CON-4: the overview has what needs attention")
    func overview() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let id = try await world.launch()
        let calm = try await world.statistics.overview(app: world.app, days: 30, campaigns: 5)
        #expect(calm.paused.isEmpty && calm.quarantined.isEmpty && calm.withRejectedCredentials == 0)
        #expect(calm.hasCredentials && calm.topicErrorsSince == nil && calm.statistics.days.count == 30)
        #expect(calm.campaigns.map(\.id) == [id])
        _ = try await world.campaigns.life.pause(id, app: world.app)
        try await world.database.write { connection in
            try connection.execute(
                "UPDATE devices SET opt_out_reason = ?, opt_out_at = 1 WHERE id = 1",
                [.text(OptOutReason.providerAuthentication.rawValue)]
            )
            try connection.execute("UPDATE campaigns SET trouble_since = 5000", [])
        }
        let found = try await world.statistics.overview(app: world.app, days: 30, campaigns: 5)
        #expect(found.paused.map(\.id) == [id] && found.paused.first?.reason?.isEmpty == false)
        #expect(found.withRejectedCredentials == 1 && found.topicErrorsSince == Date(milliseconds: 5_000))
    }
}

extension ServiceWorld {
    var summation: StatisticsSummation {
        StatisticsSummation(database: database, environment: environment, attempts: attempts, logger: logger)
    }
    var statistics: StatisticsService { StatisticsService(database: database, environment: environment) }

    func days(_ count: Int) async throws -> [DayStatistics] {
        try await statistics.statistics(app: app, days: count).days
    }

    /// Devices tell of a message, by their numbers in the database.
    func engage(
        _ engagement: Engagement, _ devices: [Int64], of campaign: CampaignID
    ) async throws {
        let date = clock.now
        try await database.write { connection in
            for device in devices {
                try connection.deliveries.engage(engagement, device: device, at: [campaign: date])
            }
        }
    }
}
