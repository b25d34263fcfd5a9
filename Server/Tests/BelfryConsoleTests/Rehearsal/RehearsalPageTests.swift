import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import HTTPTypes
import Logging
import Testing

@testable import BelfryConsole

@Suite("CON-12: the rehearsal's page")
struct RehearsalPageTests {
    static func worker(_ console: TestConsole) -> RehearsalWorker {
        RehearsalWorker(
            owner: "console", previews: console.services.campaigns.previews, work: AsyncSignal(),
            logger: Logger(label: "belfry.test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    @Test("CON-12, CON-7: a marketer rehearses a draft, reads what would happen, and how it came")
    func story() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 3)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let campaign = "\(CampaignStory.list)/\(id)"
            let page = "\(campaign)/rehearsals"
            #expect(try await marketer.get(campaign).text.contains("href=\"\(page)\""))
            let empty = try await marketer.get(page)
            #expect(empty.text.contains("Not rehearsed yet") && empty.text.contains("Rehearse it"))
            let started = try await marketer.submit(page)
            #expect(started.status == .seeOther)
            let address = try #require(started.headers[.location])
            let waiting = try await marketer.get(address)
            #expect(waiting.text.contains("data-live=\"\(address)/live\"") && waiting.text.contains("<progress"))
            #expect(waiting.text.contains("\(address)/cancel"))
            await Self.worker(console).runUntilIdle()
            let live = try await marketer.get("\(address)/live")
            for event in ["state", "found", "end"] { #expect(live.text.contains("event: \(event)\n"), "\(event)") }
            let done = try await marketer.get(page)
            #expect(done.text.contains("would reach 3 of 4 devices, at once."))
            #expect(done.text.contains("They have no push token") && !done.text.contains("data-live"))
            let people = try await marketer.get("\(address)/people?state=suppressed&reason=noToken")
            #expect(people.text.contains(CampaignStory.device(4)) && !people.text.contains(CampaignStory.device(1)))

            let draft = try await marketer.get(campaign)
            _ = try await marketer.submit("\(campaign)/launch", ["version": draft.hidden("version")])
            await console.dispatcher.runUntilIdle()
            let after = try await marketer.get(page)
            #expect(after.text.contains("All 4 devices ended as rehearsed."))
            #expect(!after.text.contains("Rehearse it again"))
            let rejected = try await marketer.submit(page)
            #expect(rejected.status == .conflict && rejected.text.contains("before it begins"))
        }
    }

    @Test("CON-12: a rehearsal says when messages would leave: at once only when that is at the launch")
    func times() throws {
        let zone = AppZone(named: "UTC")
        let launch = try #require(zone.date("2026-12-24T05:58"))
        func sentence(_ first: TimeInterval, _ last: TimeInterval, launch: Date?, from base: Date) -> String {
            var figures = RehearsalFigures()
            (figures.audience, figures.reached) = (100, 64)
            (figures.firstAt, figures.lastAt) = (base.addingTimeInterval(first), base.addingTimeInterval(last))
            return RehearsalWords.sentence(figures, .push, launch: launch, zone: zone)
        }
        let launched = "Launched 24 Dec 2026, 05:58 (UTC), it would reach 64 of 100 devices"
        #expect(sentence(0, 2, launch: launch, from: launch) == "\(launched), at once.")
        #expect(sentence(1_020, 1_030, launch: launch, from: launch) == "\(launched), at 24 Dec 2026, 06:15 (UTC).")
        #expect(
            sentence(0, 7_200, launch: launch, from: launch)
                == "\(launched), from 24 Dec 2026, 05:58 (UTC) to 24 Dec 2026, 07:58 (UTC)."
        )
        #expect(
            sentence(0, 0, launch: nil, from: launch)
                == "It would reach 64 of 100 devices, at 24 Dec 2026, 05:58 (UTC)."
        )
    }

    /// The cells of the row that begins with these words: as rehearsed, and as it came.
    private static func beside(_ words: String, _ page: String) -> [String]? {
        guard let table = page.range(of: "data-part=\"rehearsed\""),
            let start = page.range(of: ">\(words)</", range: table.upperBound..<page.endIndex)
        else { return nil }
        let row = page[start.upperBound...].prefix(while: { $0 != "\n" })
        return row.components(separatedBy: "<td class=\"number\">").dropFirst().map { String($0.prefix { $0 != "<" }) }
    }

    @Test("CON-7: a launched campaign's page shows as rehearsed beside as it came, by stored figures alone")
    func beside() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 3)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            #expect(try await !marketer.get(page).text.contains("As rehearsed"))
            let address = try #require(try await marketer.submit("\(page)/rehearsals").headers[.location])
            await Self.worker(console).runUntilIdle()
            // Opted out after the rehearsal.
            let now = console.clock.now
            _ = try await console.database.write { connection in
                try connection.execute(
                    "UPDATE devices SET opt_out_reason = 'user', opt_out_at = ? WHERE client_id = ?",
                    [.date(now), .text(CampaignStory.device(1))]
                )
            }
            let draft = try await marketer.get(page)
            _ = try await marketer.submit("\(page)/launch", ["version": draft.hidden("version")])
            let begun = try await marketer.get(page).text
            #expect(begun.contains("expected 3 of 4 devices to get it. 0 have it so far."))
            #expect(begun.contains("data-part=\"rehearsed\""))
            await console.dispatcher.runUntilIdle()
            // The page does not go through the devices: neither those of the rehearsal, nor those of the ledger.
            _ = try await console.database.write { try $0.execute("DELETE FROM rehearsal_pages", []) }
            let done = try await marketer.get(page).text
            #expect(done.contains("expected 3 of 4 devices to get it. 2 got it."))
            #expect(Self.beside("Audience", done) == ["4", "4"] && Self.beside("Accepted", done) == ["3", "2"])
            #expect(Self.beside("Not sent", done) == ["1", "2"] && Self.beside("Waiting", done) == nil)
            #expect(Self.beside("They switched push off in the app.", done) == ["0", "1"])
            #expect(
                Self.beside("They have no push token: the app was never allowed to show notifications.", done)
                    == ["1", "1"])
            #expect(done.contains("<a href=\"\(address)\">Why they differ</a>"))
        }
    }

    @Test("CON-7, CON-11: without a rehearsal of what was launched, the campaign's page says so, and what to do")
    func besideNothing() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            for isRehearsed in [false, true] {
                let id = try #require(try await story.compose(marketer))
                let page = "\(CampaignStory.list)/\(id)"
                if isRehearsed {
                    _ = try await marketer.submit("\(page)/rehearsals")
                    await Self.worker(console).runUntilIdle()
                    var draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
                    draft.push?.title = "Other"
                    _ = try await console.services.campaigns.drafts.update(id, with: draft, app: story.app)
                }
                _ = try await console.services.campaigns.life.launch(id, app: story.app)
                let text = try await marketer.get(page).text
                #expect(text.contains("As rehearsed, and as it came"))
                #expect(
                    text.contains(
                        isRehearsed
                            ? "The draft was changed after its rehearsal" : "It was launched without a rehearsal."
                    ))
                #expect(text.contains(">Open the rehearsal</a>") == isRehearsed)
            }
        }
    }

    @Test("CON-12: a changed draft makes a rehearsal old, and the next one says what has changed")
    func outdated() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 3)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)/rehearsals"
            _ = try await marketer.submit(page)
            await Self.worker(console).runUntilIdle()
            var draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            draft.audience = .deviceIDs([CampaignStory.device(1)])
            _ = try await console.services.campaigns.drafts.update(id, with: draft, app: story.app)
            #expect(try await marketer.get(page).text.contains("The draft has changed since this rehearsal."))
            _ = try await marketer.submit(page)
            await Self.worker(console).runUntilIdle()
            let second = try await marketer.get(page)
            #expect(!second.text.contains("The draft has changed") && second.text.contains("2 devices fewer"))
        }
    }

    @Test(
        """
        CON-5, CON-12, CON-13: the rehearsal of a change that waits is not called old, and compared only once that is \
        published; what cannot be rehearsed is not offered
        """
    )
    func waitingChange() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 2)
            let (services, app) = (console.services, story.app)
            var draft = CampaignDraft(
                name: "News", kind: .inApp, audience: .everyone,
                inApp: InAppDraft(
                    type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "One")
                )
            )
            let id = try await services.campaigns.drafts.create(draft, by: .key("root"), app: app).id
            _ = try await services.campaigns.life.launch(id, app: app)
            let marketer = try await story.person(.marketer)
            let page = "\(CampaignStory.list)/\(id)/rehearsals"
            func says(_ address: String) async throws -> (again: Bool, compared: Bool, text: String) {
                let text = try await marketer.get(address).text
                return (text.contains(">Rehearse it again<"), text.contains("As rehearsed, and as it came"), text)
            }
            func propose(_ title: String) async throws {
                draft.inApp?.content.title = title
                _ = try await services.campaignVersions.propose(draft, of: id, by: .key("root"), app: app)
            }
            func rehearse() async throws -> String {
                let address = try #require(try await marketer.submit(page).headers[.location])
                await Self.worker(console).runUntilIdle()
                return address
            }
            #expect(try await !says(page).text.contains("<form method=\"post\" action=\"\(page)\""))
            try await propose("Two")
            let first = try await rehearse()
            let waiting = try await says(first)
            #expect(waiting.text.contains("What would happen") && waiting.again && !waiting.compared)
            #expect(!waiting.text.contains("has changed since") && !waiting.text.contains("A different change waits"))

            _ = try await services.campaignVersions.publish(2, of: id, by: .key("root"), app: app)
            let published = try await says(first)
            #expect(!published.again && published.compared && !published.text.contains("has changed since"))
            #expect(try await marketer.submit(page).status == .conflict)

            try await propose("Three")
            let beside = try await says(first)
            #expect(beside.again && beside.compared && !beside.text.contains("A different change waits"))
            let second = try await rehearse()
            try await propose("Four")
            let other = try await says(second)
            #expect(other.again && !other.compared)
            #expect(other.text.contains("A different change waits now."))

            _ = try await services.campaignVersions.publish(4, of: id, by: .key("root"), app: app)
            for address in [first, second] {
                let former = try await says(address)
                #expect(!former.again && !former.compared)
                #expect(former.text.contains("The message has changed since this rehearsal."))
            }
        }
    }

    @Test("CON-12: a rehearsal that ends while it is watched says what has changed, and offers the next one")
    func watched() async throws {
        let looks = BetweenLooks()
        try await TestConsole.run(wait: looks.wait) { console in
            let story = try await CampaignStory(console, devices: 3)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)/rehearsals"
            _ = try await marketer.submit(page)
            await Self.worker(console).runUntilIdle()
            var draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            draft.audience = .deviceIDs([CampaignStory.device(1)])
            _ = try await console.services.campaigns.drafts.update(id, with: draft, app: story.app)
            let address = try #require(try await marketer.submit(page).headers[.location])
            let waiting = try await marketer.get(address).text
            for part in ["start", "state", "found", "list"] { #expect(waiting.contains("data-part=\"\(part)\"")) }
            #expect(!waiting.contains("Rehearse it again") && waiting.contains(">Waiting<"))
            looks.happens { await Self.worker(console).runUntilIdle() }
            let parts = try await marketer.get("\(address)/live").text.components(separatedBy: "event: ").dropFirst()
            func last(_ part: String) -> String { parts.last { $0.hasPrefix("\(part)\n") } ?? "" }
            #expect(last("found").contains("What has changed") && last("found").contains("2 devices fewer"))
            #expect(last("start").contains("Rehearse it again"), "\(parts)")
            // In the list, too, it waits no more.
            #expect(last("list").contains(">Done<") && !last("list").contains(">Waiting<"), "\(parts)")
            #expect(parts.last?.hasPrefix("end\n") == true)
            // The form that came is as good as that of the page.
            let key = Browser.Answer(status: .ok, headers: [:], text: last("start")).hidden("key")
            #expect(!key.isEmpty)
            let next = try await marketer.submit(page, ["key": key])
            #expect(next.status == .seeOther && next.headers[.location] != address)
        }
    }

    @Test("CON-12: each figure by hour, zone, platform and locale leads to the people behind it")
    func figures() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 4)
            let viewer = try await story.person(.viewer)
            try await console.database.write { connection in
                for (place, numbers) in [("Europe/Paris", [1, 2, 5]), ("Asia/Tokyo", [3])] {
                    try connection.executeEach(
                        "UPDATE devices SET time_zone = ?, locale = ?, platform = 'ios' WHERE client_id = ?",
                        numbers.map { [.text(place), .text("x-\($0)"), .text(CampaignStory.device($0))] }
                    )
                }
            }
            // The first two leave before the end of the hour.
            let now = console.clock.now.timeIntervalSince1970
            console.clock.advance(by: (now / 3_600).rounded(.up) * 3_600 + 3_600 - 1.5 - now)
            let draft = CampaignDraft(
                name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B"),
                schedule: CampaignSchedule(ratePerSecond: 1)
            )
            let id = try await console.services.campaigns.drafts.create(draft, app: story.app).id
            let rehearsal = try await console.services.rehearsals.start(id, app: story.app)
            await Self.worker(console).runUntilIdle()
            let address = "\(CampaignStory.list)/\(id)/rehearsals/\(rehearsal.id)"
            let page = try await viewer.get(address).text
            let links = Set(
                page.components(separatedBy: "href=\"\(address)/people").dropFirst().map {
                    String($0.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
                })
            let zone = "?by=zone&name=Europe%2FParis"
            #expect(
                links.isSuperset(of: ["", zone, "?state=accepted&by=platform&name=ios", "?by=locale", "?reached=no"]))
            #expect(links.count { $0.utf8.starts(with: "?state=accepted&from=".utf8) } == 2)
            func devices(_ link: String) async throws -> [Int] {
                let text = try await viewer.get("\(address)/people\(link)").text
                return (1...5).filter { text.contains(CampaignStory.device($0)) }
            }
            let hours = links.filter { $0.contains("from=") }.sorted()
            try #require(hours.count == 2)
            let behind: [(link: String, devices: [Int])] = [
                (zone, [1, 2, 5]), ("?state=accepted&by=zone&name=Asia%2FTokyo", [3]), ("?by=locale", [4]),
                ("?reached=no", [5]), (hours[0], [1, 2]), (hours[1], [3, 4]),
            ]
            for (link, numbers) in behind { #expect(try await devices(link) == numbers, "\(link)") }
            let people = try await viewer.get("\(address)/people\(zone)").text
            #expect(people.contains("Devices of the time zone") && people.contains("Europe/Paris"))
            #expect(try await viewer.get("\(address)/people?by=zone&name=Mars").text.contains(">Nobody</h2>"))
        }
    }

    @Test("CON-12, CON-3: a rehearsal is cancelled by who composes; who only looks cannot start one")
    func rights() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let viewer = try await story.person(.viewer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)/rehearsals"
            #expect(try await viewer.submit(page).status == .forbidden)
            #expect(try await viewer.get(page).text.contains("A marketer or an admin of this app starts it."))
            let address = try #require(try await marketer.submit(page).headers[.location])
            #expect(try await viewer.submit("\(address)/cancel").status == .forbidden)
            #expect(try await marketer.submit("\(address)/cancel").status == .seeOther)
            #expect(try await viewer.get(address).text.contains("It was cancelled"))
            #expect(try await marketer.get("\(page)/999").status == .notFound)
        }
    }
}
