import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("CON-5, CON-7: a campaign from the empty list to its figures")
struct CampaignStoryTests {
    @Test("CON-5, CON-7: a marketer composes, tries, tests and launches a push, and reads what became of it")
    func wholeStory() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 3)
            let marketer = try await story.person(.marketer)
            let empty = try await marketer.get(CampaignStory.list)
            #expect(empty.text.contains("No campaigns yet") && empty.text.contains("\(CampaignStory.list)/new"))
            #expect(try await marketer.get("/console/apps/shop").text.contains("\(CampaignStory.list)/new"))
            let form = try await marketer.get("\(CampaignStory.list)/new")
            #expect(form.status == .ok && form.text.contains("attribute:city") && form.text.contains("{{visits}}"))

            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let draft = try await marketer.get(page)
            #expect(draft.text.contains("The draft was saved.") && draft.text.contains("Draft"))
            #expect(draft.text.contains("Everyone.") && draft.text.contains("as soon as it is launched"))
            let reach = try await marketer.submit("\(page)/reach")
            #expect(reach.text.contains("4 devices are in this audience now."))
            let trial = try await marketer.submit("\(page)/dry-run")
            #expect(trial.text.contains("Launched now, it would reach 3 of 4 devices."))
            #expect(trial.text.contains("They have no push token"))
            let test = try await marketer.submit("\(page)/test", ["device": CampaignStory.device(1)])
            #expect(test.status == .ok && test.text.contains("The push service accepted it."))
            let nobody = try await marketer.submit("\(page)/test", ["device": "nobody"])
            #expect(nobody.status == .notFound && nobody.text.contains("value=\"nobody\""))

            let launch = try await marketer.submit("\(page)/launch", ["version": draft.hidden("version")])
            #expect(launch.status == .seeOther)
            await console.dispatcher.runUntilIdle()
            let sent = try await marketer.get(page)
            #expect(sent.text.contains("The campaign was launched.") && sent.text.contains("Completed"))
            #expect(sent.text.contains("4 devices are in the audience."))
            #expect(sent.text.contains("They have no push token") && !sent.text.contains("data-live"))
            let live = try await marketer.get("\(page)/live")
            #expect(live.headers[.contentType] == "text/event-stream")
            #expect(live.text.contains("event: figures\n") && live.text.contains("event: state\n"))
            #expect(live.text.contains("event: end\n"))
            let file = try await marketer.get("\(page)/counts.csv")
            #expect(
                file.text.contains("\"accepted\",\"\",\"3\"") && file.text.contains("\"suppressed\",\"noToken\",\"1\""))

            let copy = try await marketer.submit("\(page)/duplicate")
            let copied = try #require(CampaignStory.id(copy))
            #expect(try await marketer.get("\(CampaignStory.list)/\(copied)").text.contains("Copy of Autumn sale"))
        }
    }

    @Test("CON-7: live figures come until the campaign is over, and buttons are those that mean something now")
    func liveState() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let version = try await marketer.get(page).hidden("version")
            _ = try await marketer.submit("\(page)/launch", ["version": version])
            let sending = try await marketer.get(page)
            #expect(sending.text.contains("data-live=\"\(page)/live\"") && sending.text.contains("\(page)/pause"))
            #expect(!sending.text.contains("\(page)/launch") && !sending.text.contains("\(page)/resume"))
            let live = try await marketer.get("\(page)/live")
            #expect(live.text.contains("event: state") && !live.text.contains("event: end"))
            _ = try await marketer.submit("\(page)/pause")
            #expect(try await marketer.get(page).text.contains("\(page)/resume"))
            _ = try await marketer.submit("\(page)/cancel")
            let cancelled = try await marketer.get(page)
            #expect(cancelled.text.contains("Cancelled") && !cancelled.text.contains("\(page)/cancel"))
            let again = try await marketer.submit("\(page)/resume")
            #expect(again.status == .conflict && again.text.contains("not paused"))
            let actions = try await console.services.access.log.list(
                matching: AuditLog.Search(app: story.app.code.rawValue), before: nil, limit: 50
            ).entries.filter { $0.target == id.description }.map(\.action)
            // What was refused is not among what was done.
            #expect(actions.reversed() == ["campaign.create", "campaign.launch", "campaign.pause", "campaign.cancel"])
        }
    }

    @Test("CON-7: without credentials a launch says what to do, and nothing is sent")
    func noCredentials() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, hasCredentials: false)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let draft = try await marketer.get(page)
            #expect(draft.text.contains("No push service is set up for this app yet."))
            let launch = try await marketer.submit("\(page)/launch", ["version": draft.hidden("version")])
            #expect(launch.status == .conflict)
            // Once: what was refused says what the hint says.
            #expect(launch.text.components(separatedBy: "An admin adds the credentials").count == 2)
            #expect(try await console.services.campaigns.queries.campaign(id, app: story.app).status == .draft)
        }
    }

    @Test("CON-7: of a time that is past the page says so, and that the launch sends at once")
    func pastTime() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let at = console.clock.now.addingTimeInterval(60)
            let draft = CampaignDraft(
                name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B"),
                schedule: CampaignSchedule(at: at)
            )
            let id = try await console.services.campaigns.drafts.create(draft, app: story.app).id
            let page = "\(CampaignStory.list)/\(id)"
            let before = try await marketer.get(page).text
            #expect(before.contains(">Schedule</button>") && !before.contains("is past"))
            console.clock.advance(by: 600)
            let after = try await marketer.get(page)
            #expect(after.text.contains(">Launch now</button>") && !after.text.contains(">Schedule</button>"))
            #expect(after.text.contains("is past: launched now, it is sent at once."))
            #expect(after.text.contains("is past. Send it to its whole audience now?"))
            let launch = try await marketer.submit("\(page)/launch", ["version": after.hidden("version")])
            #expect(launch.status == .seeOther)
            #expect(try await console.services.campaigns.queries.campaign(id, app: story.app).status == .sending)
        }
    }

    @Test("CON-1, CON-7: without a script, what cannot be undone is asked on a page, whose answer does it")
    func questions() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let draft = try await marketer.get(page)
            #expect(draft.text.contains("formaction=\"\(page)/launch/ask\""))
            let asked = try await marketer.submit("\(page)/launch/ask", ["version": draft.hidden("version")])
            #expect(asked.status == .ok && asked.text.contains("Send this campaign to its whole audience now?"))
            #expect(asked.text.contains("action=\"\(page)/launch\""))
            #expect(try await console.services.campaigns.queries.campaign(id, app: story.app).status == .draft)
            let launch = try await marketer.submit("\(page)/launch", ["version": asked.hidden("version")])
            #expect(launch.status == .seeOther)
            let late = try await marketer.submit("\(page)/launch/ask", ["version": draft.hidden("version")])
            #expect(late.status == .seeOther && late.headers[.location] == page)
            let cancel = try await marketer.submit("\(page)/cancel/ask")
            #expect(cancel.status == .ok && cancel.text.contains("End this campaign for good?"))
        }
    }

    @Test("CON-5: a refused form keeps what was typed and says at each field what to do")
    func rejectedForm() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let answer = try await marketer.submit(
                "\(CampaignStory.list)/new",
                [
                    "name": "Sale <b>", "title": "Hello {{town}}", "body": "", "link": "no address", "badge": "set",
                    "badgeValue": "many", "audience": "clauses", "subject": "attribute:visits", "op": ">",
                    "value": "often", "when": "at", "at": "tomorrow", "quiet": "yes", "quietFrom": "22:00",
                    "quietTo": "late",
                ]
            )
            #expect(answer.status == .unprocessableContent)
            for typed in ["Sale &lt;b&gt;", "Hello {{town}}", "no address", "many", "often", "tomorrow", "late"] {
                #expect(answer.text.contains("value=\"\(typed)\""), "\(typed)")
            }
            for sentence in [
                "This attribute is a number", "Choose a day and a time.", "Write a whole number", "such as 08:00",
            ] {
                #expect(answer.text.contains(sentence), "\(sentence)")
            }
            #expect(try await console.services.campaigns.queries.list(app: story.app, before: nil, limit: 1).isEmpty)
            // What only the services know is said at its field, too.
            let second = try await marketer.submit(
                "\(CampaignStory.list)/new",
                CampaignStory.form.merging(["title": "Hello {{town}}", "body": " "]) { $1 }
            )
            #expect(second.status == .unprocessableContent && second.text.contains("Write something here."))
            #expect(second.text.contains("id=\"title-error\"") && second.text.contains("no attribute &#39;town&#39;"))
        }
    }

    @Test("CON-5: two people edit one draft: the second is told, nobody's change is lost, and what was typed stays")
    func twoEditors() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let admin = try await story.person(.admin)
            let id = try #require(try await story.compose(marketer))
            let edit = "\(CampaignStory.list)/\(id)/edit"
            let version = try await marketer.get(edit).hidden("version")
            #expect(try await admin.get(edit).hidden("version") == version)
            func form(_ title: String, _ version: String) -> [String: String] {
                CampaignStory.form.merging(["title": title, "version": version]) { $1 }
            }
            #expect(try await marketer.submit(edit, form("From the marketer", version)).status == .seeOther)
            let late = try await admin.submit(edit, form("From the admin", version))
            #expect(late.status == .conflict && late.text.contains("Somebody else has changed this draft"))
            #expect(late.text.contains("value=\"From the admin\""))
            #expect(
                try await console.services.campaigns.queries.campaign(id, app: story.app).draft.push?.title
                    == "From the marketer"
            )
            // Nobody launches what they have not seen.
            let launch = try await admin.submit("\(CampaignStory.list)/\(id)/launch", ["version": version])
            #expect(launch.status == .conflict && launch.text.contains("Somebody else has changed this draft"))
            // Who has been told may replace it.
            #expect(try await admin.submit(edit, form("From the admin", late.hidden("version"))).status == .seeOther)
            #expect(
                try await console.services.campaigns.queries.campaign(id, app: story.app).draft.push?.title
                    == "From the admin"
            )
        }
    }

    @Test("CON-5: the preview shows what was typed to an invented person, and how many are in the audience")
    func preview() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let address = "\(CampaignStory.list)/preview"
            let preview = try await marketer.submit(address, CampaignStory.form.merging(["badge": "increment"]) { $1 })
            #expect(preview.status == .ok && !preview.text.contains("<html"))
            #expect(preview.text.contains("<strong dir=\"auto\">Hello city</strong>"))
            #expect(preview.text.contains("phone-screen dark"))
            #expect(preview.text.contains("notification-badge\">1<"))
            #expect(preview.text.contains("2 devices are in this audience now."))
            let open = try await marketer.submit(
                address, CampaignStory.form.merging(["title": "{{#if", "audience": "json", "predicate": "{"]) { $1 }
            )
            #expect(open.status == .ok && open.text.contains("The audience is not complete yet."))
            #expect(open.text.contains("class=\"error\""))
            #expect(try await console.services.campaigns.queries.list(app: story.app, before: nil, limit: 1).isEmpty)
        }
    }

    @Test("SEC-2, CON-5: a preview says that there are more pairs than a push may have, and renders none of them")
    func excessivePreview() async throws {
        try await TestConsole.run { console in
            let marketer = try await CampaignStory(console).person(.marketer)
            let pairs = (0..<10_000).map { #""\#($0)":"{{device.locale}}""# }.joined(separator: ",")
            let value = String(repeating: "x", count: 1_000)
            let form = CampaignStory.form.merging([
                "custom": "{\(pairs)}", "previewValues": "device.locale = \(value)",
            ]) { $1 }
            let preview = try await marketer.submit("\(CampaignStory.list)/preview", form)
            #expect(preview.status == .ok && preview.text.contains("so its pairs do not fit into it."))
        }
    }

    @Test("CON-1, CON-5: the list has pages by a cursor, the newest first")
    func pages() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            for number in 1...CampaignListModel.pageSize + 1 {
                let draft = CampaignDraft(
                    name: "Number \(number).", kind: .push, audience: .everyone,
                    push: PushContent(title: "T", body: "B")
                )
                _ = try await console.services.campaigns.drafts.create(draft, app: story.app)
            }
            let viewer = try await story.person(.viewer)
            let first = try await viewer.get(CampaignStory.list)
            #expect(first.text.contains("Number 51.") && !first.text.contains("Number 1."))
            let start = try #require(first.text.range(of: "?before="))
            let cursor = first.text[start.upperBound...].prefix { $0 != "\"" }
            let second = try await viewer.get("\(CampaignStory.list)?before=\(cursor)")
            #expect(second.text.contains("Number 1.") && !second.text.contains("Number 2."))
        }
    }
}
