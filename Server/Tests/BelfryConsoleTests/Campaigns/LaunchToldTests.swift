import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-7: a launch does what its page has told")
struct LaunchToldTests {
    private static func draft(_ story: CampaignStory, at: Date?) async throws -> String {
        let draft = CampaignDraft(
            name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B"),
            schedule: at.map { CampaignSchedule(at: $0) }
        )
        let id = try await story.console.services.campaigns.drafts.create(draft, app: story.app).id
        return "\(CampaignStory.list)/\(id)"
    }

    @Test("CON-7: what somebody wanted to schedule is not sent at once because its time has come meanwhile")
    func timeHasCome() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let page = try await Self.draft(story, at: console.clock.now.addingTimeInterval(60))
            let before = try await marketer.get(page)
            let asked = try await marketer.submit("\(page)/launch/ask", ["version": before.hidden("version")])
            #expect(before.hidden("told") == "ahead" && asked.hidden("told") == "ahead")
            console.clock.advance(by: 600)
            let form = ["version": before.hidden("version"), "told": asked.hidden("told")]
            let late = try await marketer.submit("\(page)/launch", form)
            #expect(late.status == .conflict && late.text.contains("Nothing was launched: its time has come"))
            #expect(late.text.contains("is past: launched now, it is sent at once."))
            #expect(late.text.contains(">Launch now</button>") && late.hidden("told") == "past")
            let again = ["version": late.hidden("version"), "told": late.hidden("told")]
            #expect(try await marketer.submit("\(page)/launch", again).status == .seeOther)
            // Launched twice is launched once.
            #expect(try await marketer.submit("\(page)/launch", form).status == .seeOther)
        }
    }

    @Test("CON-7: a launch at once, and one whose time is still ahead, are done as ever")
    func unchanged() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let launches: [(at: Date?, told: String, words: String)] = [
                (nil, "atOnce", "The campaign was launched."),
                (console.clock.now.addingTimeInterval(3_600), "ahead", "The campaign is scheduled"),
            ]
            for (at, told, words) in launches {
                let page = try await Self.draft(story, at: at)
                let shown = try await marketer.get(page)
                #expect(shown.hidden("told") == told)
                console.clock.advance(by: 60)
                let form = ["version": shown.hidden("version"), "told": shown.hidden("told")]
                #expect(try await marketer.submit("\(page)/launch", form).status == .seeOther)
                #expect(try await marketer.get(page).text.contains(words), "\(told)")
            }
        }
    }
}
