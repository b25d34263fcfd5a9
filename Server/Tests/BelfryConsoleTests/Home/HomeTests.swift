import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Logging
import Testing

@testable import BelfryConsole

@Suite("CON-4: home")
struct HomeTests {
    private static let home = "/console/apps/shop"

    @Test("CON-4, CON-11: an app without anything says what to do first, and that nothing can be sent yet")
    func empty() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, hasCredentials: false)
            let admin = try await story.person(.admin)
            let page = try await admin.get(Self.home)
            #expect(page.status == .ok && page.text.contains("No campaigns yet"))
            #expect(page.text.contains("No push service is set up"))
            #expect(page.text.contains("href=\"\(Self.home)/settings/credentials\""))
            let viewer = try await story.person(.viewer)
            let seen = try await viewer.get(Self.home).text
            #expect(seen.contains("An admin of the app can do that.") && !seen.contains("/settings/credentials"))
        }
    }

    @Test(
        "CON-14, WEB-8: the home of a demonstration leads to its phone and to the page for one's own browser; no other does"
    )
    func neighbours() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let viewer = try await story.person(.viewer)
            #expect(try await !viewer.get(Self.home).text.contains("Beside this console"))
            let user = try await console.services.users.create(
                name: "demo", displayName: "Demo", password: nil, isOperator: true, roles: [:]
            )
            _ = console.invitation.invite(
                user.id, beside: [.init(name: "A phone", purpose: "Push to it.", address: "http://127.0.0.1:1/phone")]
            )
            let page = try await viewer.get(Self.home).text
            #expect(page.contains("Beside this console") && page.contains("Push to it."))
            #expect(
                page.contains("<a href=\"http://127.0.0.1:1/phone\" target=\"_blank\" rel=\"noopener\">A phone</a>"))
        }
    }

    @Test("CON-4: home has figures, charts with a table, the last campaigns, and what is paused with its link")
    func busy() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 3)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            _ = try await console.services.campaigns.life.launch(id, app: story.app)
            await console.dispatcher.runUntilIdle()
            let paused = try #require(try await story.compose(marketer, ["name": "Waits"]))
            _ = try await console.services.campaigns.life.launch(paused, app: story.app)
            _ = try await console.services.campaigns.life.pause(paused, app: story.app)
            await console.summation.sumUp()
            let page = try await marketer.get(Self.home).text
            #expect(page.contains("The campaign &#39;Waits&#39; is paused. Paused by an operator."))
            #expect(page.contains("href=\"\(Self.home)/campaigns/\(paused)\""))
            #expect(page.contains("<strong>3</strong><span>messages accepted in 30 days</span>"))
            #expect(page.contains("3 messages accepted from") && page.contains("These days as a table"))
            #expect(page.contains("3 devices may get pushes."))
            #expect(page.contains("Autumn sale") && page.contains("Completed"))
        }
    }

    @Test("CON-4: a day unlike the others is said with what it was compared with; the trend is drawn from two days on")
    func unusual() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            _ = try await story.compose(marketer)
            let (app, today) = (story.app.id, CalendarDay(console.clock.now, in: .gmt))
            try await console.database.write { connection in
                for days in 1...40 {
                    let day = today + -days
                    try connection.execute(
                        """
                        INSERT INTO day_sums (app_id, day, accepted, suppressed, rejected, displayed, opened)
                        VALUES (?, ?, ?, 0, 0, 0, 0)
                        """,
                        [.integer(app), .integer(day.number), .integer(days == 2 ? 90_000 : 1_000 + days)]
                    )
                    let count = ConsentDay(day: day.number, devices: 100, optedIn: 90 - days, countedAt: 0)
                    try connection.statistics.save(count, app: app)
                }
            }
            let page = try await marketer.get(Self.home).text
            #expect(page.contains("90,000 messages were accepted") && page.contains("unlike the 28 days before"))
            #expect(
                page.contains("polyline class=\"line\"") && page.contains("89 devices may get pushes, 28 more than on"))
        }
    }

    @Test("SEC-7: hostile names and reasons come out escaped")
    func hostile() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let name = "<img src=x onerror=alert(1)>\u{301}\"'"
            let id = try #require(try await story.compose(marketer, ["name": name]))
            _ = try await console.services.campaigns.life.launch(id, app: story.app)
            try await console.database.write {
                try $0.campaigns.pauseSending(id, because: "<script>alert(2)</script>")
            }
            for address in [Self.home, "\(Self.home)/campaigns/\(id)/people", "\(Self.home)/search?q=%3Cimg"] {
                let page = try await marketer.get(address)
                #expect(page.status == .ok && page.text.contains("&lt;img src=x"), "\(address)")
                #expect(!page.text.contains("<img src=x") && !page.text.contains("<script>alert"), "\(address)")
            }
        }
    }
}

extension TestConsole {
    var summation: StatisticsSummation {
        let environment = ServerEnvironment(
            now: { [clock] in clock.now }, randomBytes: { Array(repeating: 1, count: $0) }, jitter: { 0.5 },
            uuid: { UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) },
            sleepUntil: { _ in throw CancellationError() }
        )
        let logger = Logger(label: "belfry.test") { _ in SwiftLogNoOpLogHandler() }
        return StatisticsSummation(
            database: database, environment: environment,
            attempts: WorkAttempts(
                owner: "summation", database: database, environment: environment, metrics: Metrics(), logger: logger
            ),
            logger: logger
        )
    }
}
