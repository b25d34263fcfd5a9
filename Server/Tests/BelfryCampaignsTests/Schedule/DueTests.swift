import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

struct DueTests {
    private let launch = date("2026-03-20T10:00:00Z")
    private let paris = RecipientZone(device: "Europe/Paris", app: "UTC")

    @Test("CAMP-5: without a time it is due now, from the launch on")
    func atOnce() {
        let schedule = CampaignSchedule()
        #expect(schedule.due(at: launch, launchedAt: launch, zone: paris) == .now)
        #expect(schedule.due(at: launch + 1e6, launchedAt: launch, zone: paris) == .now)
    }

    @Test("CAMP-5: at a time, it is due for all at once")
    func at() {
        let time = launch + 3_600
        let schedule = CampaignSchedule(at: time)
        for name in ["Europe/Paris", "Pacific/Auckland", nil] {
            let zone = RecipientZone(device: name, app: "UTC")
            #expect(schedule.due(at: launch, launchedAt: launch, zone: zone) == .later(time, .scheduled))
            #expect(schedule.due(at: time - 0.001, launchedAt: launch, zone: zone) == .later(time, .scheduled))
            #expect(schedule.due(at: time, launchedAt: launch, zone: zone) == .now)
            #expect(schedule.due(at: time + 86_400, launchedAt: launch, zone: zone) == .now)
        }
    }

    @Test(
        "CAMP-5: a local time is each recipient's own; if the clock skips it, at the skip; if twice, the first",
        arguments: [
            ("2026-04-01T09:00:00", "Europe/Paris", "2026-04-01T07:00:00Z"),
            ("2026-04-01T09:00:00", "America/New_York", "2026-04-01T13:00:00Z"),
            ("2026-04-01T09:00:00", "Asia/Kathmandu", "2026-04-01T03:15:00Z"),
            ("2026-04-01T09:00:00", "Pacific/Kiritimati", "2026-03-31T19:00:00Z"),
            // Spring in Paris: 02:00 becomes 03:00 on 29 March.
            ("2026-03-29T01:59:59", "Europe/Paris", "2026-03-29T00:59:59Z"),
            ("2026-03-29T02:00:00", "Europe/Paris", "2026-03-29T01:00:00Z"),
            ("2026-03-29T02:30:00", "Europe/Paris", "2026-03-29T01:00:00Z"),
            ("2026-03-29T03:00:00", "Europe/Paris", "2026-03-29T01:00:00Z"),
            ("2026-03-29T03:30:00", "Europe/Paris", "2026-03-29T01:30:00Z"),
            // Autumn: 03:00 becomes 02:00 on 25 October.
            ("2026-10-25T01:59:59", "Europe/Paris", "2026-10-24T23:59:59Z"),
            ("2026-10-25T02:30:00", "Europe/Paris", "2026-10-25T00:30:00Z"),
            ("2026-10-25T03:00:00", "Europe/Paris", "2026-10-25T02:00:00Z"),
            // Half an hour in Lord Howe, by day line in Samoa: all of 30 December 2011 was skipped.
            ("2026-10-04T02:15:00", "Australia/Lord_Howe", "2026-10-03T15:30:00Z"),
            ("2011-12-30T12:00:00", "Pacific/Apia", "2011-12-30T10:00:00Z"),
            ("2026-04-01T09:00:00", "+0530", "2026-04-01T03:30:00Z"),
        ]
    )
    func local(text: String, zone: String, moment: String) throws {
        let local = try #require(LocalDateTime(text))
        #expect(local.date(in: RecipientZone(device: zone, app: "UTC").timeZone) == date(moment))
    }

    @Test("CAMP-5: a recipient whose local time has passed at the launch gets it at once")
    func passed() throws {
        let schedule = CampaignSchedule(localAt: try localTime("2026-03-20T09:00:00"))
        func due(_ zone: String) -> DueDecision {
            schedule.due(at: launch, launchedAt: launch, zone: RecipientZone(device: zone, app: "UTC"))
        }
        #expect(due("Europe/Paris") == .now)
        #expect(due("Pacific/Auckland") == .now)
        #expect(due("America/New_York") == .later(date("2026-03-20T13:00:00Z"), .scheduled))
    }

    @Test("CAMP-5: quiet hours delay to their end, across midnight and both clock changes")
    func delay() throws {
        let night = CampaignSchedule(quietHours: try quiet("22:00", "08:00"))
        func due(_ moment: String) -> DueDecision { night.due(at: date(moment), launchedAt: launch, zone: paris) }
        #expect(due("2026-03-20T20:59:59Z") == .now)
        #expect(due("2026-03-20T21:00:00Z") == .later(date("2026-03-21T07:00:00Z"), .quietHours))
        #expect(due("2026-03-21T06:59:59Z") == .later(date("2026-03-21T07:00:00Z"), .quietHours))
        #expect(due("2026-03-21T07:00:00Z") == .now)
        #expect(due("2026-03-28T21:30:00Z") == .later(date("2026-03-29T06:00:00Z"), .quietHours))
        #expect(due("2026-10-24T20:30:00Z") == .later(date("2026-10-25T07:00:00Z"), .quietHours))
    }

    @Test("CAMP-5: quiet hours whose end the clock skips, or shows twice")
    func oddEnds() throws {
        let spring = try quiet("01:00", "02:30")
        #expect(spring.ends(after: "2026-03-29T00:30:00Z", in: paris) == date("2026-03-29T01:00:00Z"))
        #expect(spring.ends(after: "2026-10-24T23:30:00Z", in: paris) == date("2026-10-25T00:30:00Z"))
        // 02:15 for the second time.
        #expect(spring.ends(after: "2026-10-25T01:15:00Z", in: paris) == date("2026-10-25T01:30:00Z"))
        // Skipped into the hours again: the end of the next day.
        let nearlyAlways = try quiet("03:00", "02:30")
        #expect(nearlyAlways.ends(after: "2026-03-29T00:30:00Z", in: paris) == date("2026-03-30T00:30:00Z"))
    }

    @Test("CAMP-5: quiet hours that suppress end the message at once, even one that would come later")
    func suppress() throws {
        let schedule = CampaignSchedule(
            localAt: try localTime("2026-03-21T23:00:00"),
            quietHours: try quiet("22:00", "08:00", .suppress)
        )
        let never = DueDecision.never(.quietHours)
        #expect(schedule.due(at: launch, launchedAt: launch, zone: paris) == never)
        #expect(schedule.due(at: date("2026-03-22T12:00:00Z"), launchedAt: launch, zone: paris) == .now)
    }

    @Test("CAMP-5: an expired message is suppressed; a delay beyond the expiry as quiet hours")
    func expiry() throws {
        let end = date("2026-03-21T03:00:00Z")
        let schedule = CampaignSchedule(quietHours: try quiet("22:00", "08:00"), expiresAt: end)
        func due(_ moment: Date) -> DueDecision { schedule.due(at: moment, launchedAt: launch, zone: paris) }
        #expect(due(launch) == .now)
        #expect(due(date("2026-03-20T21:00:00Z")) == .never(.quietHours))
        #expect(due(end) == .never(.expired))
        let late = CampaignSchedule(at: end, expiresAt: end)
        #expect(late.due(at: launch, launchedAt: launch, zone: paris) == .never(.expired))
    }

    @Test("CAMP-5: a launch that comes too late is refused, by field")
    func launchFaults() throws {
        let local = try #require(LocalDateTime("2026-03-20T09:00:00"))
        func field(_ schedule: CampaignSchedule, _ moment: String) -> String? {
            schedule.launchErrors(now: date(moment)).first?.field
        }
        #expect(field(CampaignSchedule(localAt: local), "2026-03-20T21:00:00Z") == nil)
        #expect(field(CampaignSchedule(localAt: local), "2026-03-20T21:00:01Z") == "localAt")
        #expect(field(CampaignSchedule(at: launch), "2026-03-21T10:00:00Z") == nil)
        #expect(field(CampaignSchedule(at: launch), "2026-03-21T10:00:01Z") == "at")
        #expect(field(CampaignSchedule(expiresAt: launch), "2026-03-20T10:00:00Z") == "expiresAt")
        #expect(field(CampaignSchedule(), "2026-03-20T10:00:00Z") == nil)
    }
}

func date(_ text: String) -> Date {
    // The tests write them down; one that is wrong fails all that compares with it.
    Timestamp.date(text) ?? .distantPast
}

func localTime(_ text: String) throws -> LocalDateTime {
    try #require(LocalDateTime(text))
}

func quiet(_ from: String, _ to: String, _ then: QuietHours.Consequence = .delay) throws -> QuietHours {
    QuietHours(from: try #require(TimeOfDay(from)), to: try #require(TimeOfDay(to)), then: then)
}

extension QuietHours {
    func ends(after moment: String, in zone: RecipientZone) -> Date? {
        let due = CampaignSchedule(quietHours: self)
            .due(at: date(moment), launchedAt: .distantPast, zone: zone)
        guard case .later(let end, .quietHours) = due else { return nil }
        return end
    }
}
