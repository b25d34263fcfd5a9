import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-6: the calendar's pages")
struct CalendarPagesTests {
    private static let page = "/console/apps/shop/calendar"

    private static func draft(_ name: String, _ schedule: CampaignSchedule) -> CampaignDraft {
        CampaignDraft(
            name: name, kind: .push, audience: .everyone, push: PushContent(title: "Hi", body: "There"),
            schedule: schedule
        )
    }

    @Test("CON-6: a week and a month are read as days in order, with what is sent and in which zones")
    func read() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let empty = try await marketer.get(Self.page)
            #expect(empty.status == .ok && empty.text.contains("Nothing is sent on these days."))
            #expect(empty.text.contains("aria-current=\"page\"") && empty.text.contains(">Compose a push</a>"))
            let monday = CalendarDay(console.clock.now, in: .gmt).firstOfWeek + 7
            let noon = monday.start(in: .gmt).addingTimeInterval(43_200)
            let campaigns = console.services.campaigns
            for draft in [
                Self.draft("<b>At noon", CampaignSchedule(at: noon)),
                Self.draft("By each clock", CampaignSchedule(localAt: LocalDateTime("\((monday + 2).text)T09:30"))),
            ] {
                let id = try await campaigns.drafts.create(draft, app: story.app).id
                _ = try await campaigns.life.launch(id, app: story.app)
            }
            let week = try await marketer.get("\(Self.page)?view=week&from=\((monday + 4).text)").text
            #expect(week.contains("&lt;b&gt;At noon") && !week.contains("<b>At") && week.contains("12:00"))
            #expect(week.contains("09:30") && week.contains("in UTC+14") && week.contains("in UTC-12"))
            #expect(week.components(separatedBy: "<li class=\"day").count == 8)
            let month = try await marketer.get("\(Self.page)?view=month&from=\(monday.text)").text
            let days = month.components(separatedBy: "<li class=\"day").count - 1
            #expect([28, 35, 42].contains(days) && month.contains("At noon"))
            // What is no day and no view is this week.
            for query in ["from=2026-02-31", "view=%3Cscript%3E", "from=9999-01-01", "from=0001-01-01"] {
                let page = try await marketer.get("\(Self.page)?\(query)")
                #expect(page.status == .ok && !page.text.contains("<script>"), "\(query)")
                #expect(page.text.contains("day-today"), "\(query)")
            }
        }
    }

    @Test("CON-6: overlaps are counted by a form that works without scripts, with whom a cap stops")
    func pressure() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 4)
            let viewer = try await story.person(.viewer)
            let noon = console.clock.now.addingTimeInterval(3_600)
            let cap = FrequencyCap(count: 1, within: try ISODuration("P7D"))
            for (name, schedule) in [
                ("First", CampaignSchedule(at: noon)),
                ("Second", CampaignSchedule(at: noon.addingTimeInterval(60), frequencyCap: cap)),
            ] {
                let id = try await console.services.campaigns.drafts.create(Self.draft(name, schedule), app: story.app)
                    .id
                _ = try await console.services.campaigns.life.launch(id, app: story.app)
            }
            let from = CalendarDay(noon, in: .gmt).text
            let answer = try await viewer.submit(
                "\(Self.page)/pressure", ["view": "week", "from": from], from: Self.page
            )
            #expect(answer.status == .ok)
            #expect(
                answer.text.contains("2 notifications are planned for these days, and 5 devices are in the audience"))
            #expect(answer.text.contains("&#39;Second&#39; allows 1 push within 7 days: 5 devices have had as many"))
            #expect(answer.text.contains("Audiences that overlap") && answer.text.contains("100 %"))
        }
    }

    @Test("CON-6: a month has whole weeks, and one leads to the next")
    func spans() throws {
        let today = try #require(CalendarDay("2026-11-28"))
        var span = CalendarSpan(view: .month, day: try #require(CalendarDay("2026-01-31")))
        for month in 1...24 {
            #expect(span.first.weekday == 0 && span.days % 7 == 0 && (28...42).contains(span.days))
            let last = span.first + (span.days - 1)
            #expect(span.first <= span.day.firstOfMonth && span.day.month == (month - 1) % 12 + 1)
            #expect(span.after.before.day.month == span.day.month && last.weekday == 6)
            span = span.after
        }
        #expect(CalendarSpan(FormFields(), today: today) == CalendarSpan(view: .week, day: today))
    }
}
