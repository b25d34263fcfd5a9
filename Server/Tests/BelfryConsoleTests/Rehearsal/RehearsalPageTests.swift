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
    private static func worker(_ console: TestConsole) -> RehearsalWorker {
        RehearsalWorker(
            owner: "console", campaigns: console.services.campaigns, work: AsyncSignal(),
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
            let refused = try await marketer.submit(page)
            #expect(refused.status == .conflict && refused.text.contains("before it begins"))
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
            var draft = try await console.services.campaigns.campaign(id, app: story.app).draft
            draft.audience = .deviceIDs([CampaignStory.device(1)])
            _ = try await console.services.campaigns.update(id, with: draft, app: story.app)
            #expect(try await marketer.get(page).text.contains("The draft has changed since this rehearsal."))
            _ = try await marketer.submit(page)
            await Self.worker(console).runUntilIdle()
            let second = try await marketer.get(page)
            #expect(!second.text.contains("The draft has changed") && second.text.contains("2 devices fewer"))
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
