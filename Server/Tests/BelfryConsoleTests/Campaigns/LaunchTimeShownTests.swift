import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-7: a launch does what its page has said")
struct LaunchTimeShownTests {
    /// Scheduled and paused, before anything of it began.
    private static func paused(_ story: CampaignStory, at: Date) async throws -> String {
        try await paused(story, draft(story, at: at))
    }

    private static func paused(_ story: CampaignStory, _ page: String) async throws -> String {
        let id = try #require(CampaignID(String(page.split(separator: "/").last ?? "")))
        let life = story.console.services.campaigns.life
        _ = try await life.launch(id, app: story.app)
        _ = try await life.pause(id, app: story.app)
        return page
    }

    private static func draft(_ story: CampaignStory, at: Date?) async throws -> String {
        let draft = CampaignDraft(
            name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B"),
            schedule: at.map { CampaignSchedule(at: $0) }
        )
        return try await create(story, draft)
    }

    private static func create(_ story: CampaignStory, _ draft: CampaignDraft) async throws -> String {
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
            let launches: [(at: Date?, word: String, words: String)] = [
                (nil, "atOnce", "The campaign was launched."),
                (console.clock.now.addingTimeInterval(3_600), "ahead", "The campaign is scheduled"),
            ]
            for (at, word, words) in launches {
                let page = try await Self.draft(story, at: at)
                let shown = try await marketer.get(page)
                #expect(shown.hidden("told") == word)
                console.clock.advance(by: 60)
                let form = ["version": shown.hidden("version"), "told": shown.hidden("told")]
                #expect(try await marketer.submit("\(page)/launch", form).status == .seeOther)
                #expect(try await marketer.get(page).text.contains(words), "\(word)")
            }
        }
    }

    @Test("CON-7, CON-11, CAMP-5: a resume before the launch says when it begins, and sends at once only who was asked")
    func resumed() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let page = try await Self.paused(story, at: console.clock.now.addingTimeInterval(3_600))
            let before = try await marketer.get(page)
            #expect(before.text.contains("Resumed now, it begins at ") && before.hidden("told") == "ahead")
            #expect(before.text.contains(">Resume</button>") && !before.text.contains("\(page)/resume/ask"))
            // Nothing is asked before what sends nothing.
            #expect(try await marketer.submit("\(page)/resume/ask").headers[.location] == page)

            console.clock.advance(by: 7_200)
            let stale = ["version": before.hidden("version"), "told": before.hidden("told")]
            let late = try await marketer.submit("\(page)/resume", stale)
            #expect(late.status == .conflict && late.text.contains("Nothing was resumed: its time has come"))
            #expect(late.text.contains("is past: resumed now, it is sent to its whole audience at once."))
            #expect(late.text.contains(">Resume and send now</button>") && late.hidden("told") == "past")
            #expect(late.text.contains("formaction=\"\(page)/resume/ask\""))

            let asked = try await marketer.submit("\(page)/resume/ask", ["version": late.hidden("version")])
            #expect(asked.status == .ok && asked.hidden("told") == "past")
            #expect(asked.text.contains("is past. Resume it, and send it to its whole audience now?"))
            let again = ["version": asked.hidden("version"), "told": asked.hidden("told")]
            #expect(try await marketer.submit("\(page)/resume", again).status == .seeOther)
            #expect(try await marketer.get(page).text.contains("The campaign continues: it starts now."))
        }
    }

    @Test("CON-7, CAMP-5: a resume in time says when the campaign begins; one of what has begun asks nothing")
    func resumedInTime() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let page = try await Self.paused(story, at: console.clock.now.addingTimeInterval(3_600))
            let shown = try await marketer.get(page)
            let form = ["version": shown.hidden("version"), "told": shown.hidden("told")]
            #expect(try await marketer.submit("\(page)/resume", form).status == .seeOther)
            #expect(try await marketer.get(page).text.contains("The campaign continues: it starts at "))

            let begun = try await Self.draft(story, at: nil)
            let id = try #require(CampaignID(String(begun.split(separator: "/").last ?? "")))
            _ = try await console.services.campaigns.life.launch(id, app: story.app)
            _ = try await console.services.campaigns.life.pause(id, app: story.app)
            console.clock.advance(by: 30 * 86_400)
            let admin = try await story.person(.admin)
            let sending = try await admin.get(begun)
            #expect(sending.text.contains(">Resume</button>") && !sending.text.contains("\(begun)/resume/ask"))
            #expect(!sending.text.contains("Resumed now") && sending.hidden("told").isEmpty)
            #expect(try await admin.submit("\(begun)/resume").status == .seeOther)
            #expect(try await admin.get(begun).text.contains("The campaign continues."))
        }
    }

    @Test("CON-7, CON-11, CAMP-5: what no launch takes any more no resume takes, and the page says what to do")
    func tooLate() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let page = try await Self.paused(story, at: console.clock.now.addingTimeInterval(3_600))
            console.clock.advance(by: 2 * 86_400)
            let marketer = try await story.person(.marketer)
            let shown = try await marketer.get(page)
            #expect(shown.text.contains("The send time passed more than a day ago. It can no longer be resumed"))
            let form = ["version": shown.hidden("version"), "told": shown.hidden("told")]
            let rejected = try await marketer.submit("\(page)/resume", form)
            #expect(rejected.status == .unprocessableContent)
            #expect(rejected.text.contains("cancel it, or launch a copy of it with another time."))
            #expect(rejected.text.contains("\(page)/cancel") && rejected.text.contains("\(page)/duplicate"))
        }
    }

    /// What it has for people ends at a moment.
    private static func ending(_ end: Date, at: Date) -> [(draft: CampaignDraft, words: String, needs: String)] {
        let schedule = CampaignSchedule(at: at)
        let message = InAppDraft(
            type: .modal, trigger: InAppTrigger(event: "session:start"), endsAt: end,
            content: InAppContent(title: "Sale")
        )
        return [
            (
                CampaignDraft(
                    name: "Sale", kind: .inApp, audience: .everyone, inApp: message, schedule: schedule
                ), "end has passed, so nobody would see it.", "another end"
            ),
            (
                CampaignDraft(
                    name: "News", kind: .messageCenter, audience: .everyone,
                    messageCenter: MessageCenterContent(subject: "News", message: "Only today", expiresAt: end),
                    schedule: schedule
                ), "expiry has passed.", "another expiry of its message"
            ),
        ]
    }

    @Test("CON-7, CAMP-5: a page promises no launch and no resume of what has ended for people by then")
    func messageHasEnded() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let at = console.clock.now.addingTimeInterval(3_600)
            let end = at.addingTimeInterval(600)
            var pages: [(draft: String, paused: String, words: String, needs: String)] = []
            for (draft, words, needs) in Self.ending(end, at: at) {
                let paused = try await Self.paused(story, Self.create(story, draft))
                pages.append((try await Self.create(story, draft), paused, words, needs))
            }
            console.clock.advance(by: 4_200)
            for (draft, paused, words, needs) in pages {
                let shown = try await marketer.get(paused)
                #expect(shown.text.contains("\(words) It can no longer be resumed"), "\(words)")
                #expect(!shown.text.contains("resumed now") && shown.hidden("told") == "refused", "\(words)")
                let form = ["version": shown.hidden("version"), "told": shown.hidden("told")]
                let rejected = try await marketer.submit("\(paused)/resume", form)
                #expect(rejected.status == .unprocessableContent && rejected.text.contains(words))
                #expect(rejected.text.contains("cancel it, or launch a copy of it with \(needs)."), "\(words)")
                let open = try await marketer.get(draft)
                #expect(open.text.contains("\(words) Edit its times, then it can be launched."), "\(words)")
                #expect(!open.text.contains("is past: launched now") && open.hidden("told") == "refused", "\(words)")
            }
        }
    }

    @Test("CON-7, CAMP-5: where more than one thing has passed, a page says all that a copy needs to be launched")
    func moreHasPassed() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let at = console.clock.now.addingTimeInterval(3_600)
            var pages: [(paused: String, needs: String)] = []
            for (draft, _, needs) in Self.ending(at.addingTimeInterval(600), at: at) {
                pages.append((try await Self.paused(story, Self.create(story, draft)), needs))
            }
            console.clock.advance(by: 2 * 86_400)
            let marketer = try await story.person(.marketer)
            for (paused, needs) in pages {
                let shown = try await marketer.get(paused)
                #expect(shown.text.contains("The send time passed more than a day ago. It can no longer be resumed"))
                #expect(shown.text.contains("launch a copy of it with another time and \(needs)."), "\(needs)")
            }
        }
    }

    @Test("CON-7, CON-5: where the app asks for approvals by now, no page promises the resume of what nobody approved")
    func unapproved() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let page = try await Self.paused(story, at: console.clock.now.addingTimeInterval(3_600))
            var change = AppSettingsChange()
            change.requiresApproval = .set(true)
            _ = try await console.services.apps.changeSettings(change, of: story.app)
            let shown = try await marketer.get(page)
            #expect(shown.text.contains("nobody has approved this campaign. It can no longer be resumed"))
            #expect(!shown.text.contains("Resumed now"))
            let form = ["version": shown.hidden("version"), "told": shown.hidden("told")]
            #expect(try await marketer.submit("\(page)/resume", form).status == .conflict)
        }
    }

    @Test("CON-12, CON-7: a campaign that was paused before its time is rehearsed")
    func rehearsed() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let page = try await Self.paused(story, at: console.clock.now.addingTimeInterval(3_600))
            #expect(try await marketer.get("\(page)/rehearsals").text.contains(">Rehearse it</button>"))
            #expect(try await marketer.submit("\(page)/rehearsals").status == .seeOther)
        }
    }
}
