import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-9, CON-11: sentences tell moments by the clocks of the app's zone")
struct WhyTimesTests {
    /// An app whose clocks are those of Paris.
    private static func story(_ console: TestConsole) async throws -> (story: PeopleStory, zone: AppZone) {
        let story = try await PeopleStory(console)
        var change = AppSettingsChange()
        change.timeZone = .set("Europe/Paris")
        _ = try await console.services.apps.changeSettings(change, of: story.app)
        return (story, AppZone(named: "Europe/Paris"))
    }

    @Test("CON-9, CON-11: why somebody has not got a campaign yet is told by the app's clocks, not in UTC for programs")
    func why() async throws {
        try await TestConsole.run { console in
            let (story, zone) = try await Self.story(console)
            let agent = try await story.person(.viewer)
            let (_, ann) = try await story.login("ann", on: CampaignStory.device(1))
            let at = console.clock.now.addingTimeInterval(3_600)
            let draft = CampaignDraft(
                name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "Hi", body: "Soon"),
                schedule: CampaignSchedule(at: at)
            )
            let id = try await console.services.campaigns.drafts.create(draft, app: story.app).id
            _ = try await console.services.campaigns.life.launch(id, app: story.app)
            let page = try await agent.get("\(PeopleStory.list)/\(ann)/why?campaign=\(id)")
            #expect(page.text.contains("The campaign starts at \(zone.text(at)). Its audience is selected then."))
            #expect(!page.text.contains("The campaign starts at \(Timestamp.text(at))"))
        }
    }

    @Test("CON-11: until when a test can be seen is told by the app's clocks")
    func test() async throws {
        try await TestConsole.run { console in
            let (story, zone) = try await Self.story(console)
            let marketer = try await story.person(.marketer)
            try await story.login("ann", on: CampaignStory.device(1))
            let draft = CampaignDraft(
                name: "News", kind: .inApp, audience: .everyone,
                inApp: InAppDraft(
                    type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "Read me")
                )
            )
            let id = try await console.services.campaigns.drafts.create(draft, app: story.app).id
            let page = try await marketer.submit(
                "\(CampaignStory.list)/\(id)/test", ["device": CampaignStory.device(1)]
            )
            let end = console.clock.now.addingTimeInterval(CampaignTester.testLifetime)
            #expect(page.status == .ok && page.text.contains("matches, until \(zone.text(end)). It is campaign"))
        }
    }
}
