import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-5: a launched in-app message is changed on its form")
struct ComposeChangeTests {
    private struct Message {
        let story: CampaignStory
        let id: CampaignID
        let page: String

        init(_ console: TestConsole) async throws {
            story = try await CampaignStory(console)
            let draft = CampaignDraft(
                name: "News", kind: .inApp, audience: .everyone,
                inApp: InAppDraft(
                    type: .modal, trigger: InAppTrigger(event: "session:start"),
                    content: InAppContent(title: "One", body: "Come in")
                )
            )
            let campaigns = console.services.campaigns
            id = try await campaigns.drafts.create(draft, by: .key("root"), app: story.app).id
            _ = try await campaigns.life.launch(id, app: story.app)
            page = "\(CampaignStory.list)/\(id)"
        }

        func present() async throws -> Campaign {
            try await story.console.services.campaigns.queries.campaign(id, app: story.app)
        }

        func versions() async throws -> [CampaignVersionService.Version] {
            try await story.console.services.campaignVersions.list(of: id, app: story.app, before: nil, limit: 9)
        }

        /// The form as a browser has it.
        func form(_ browser: Browser) async throws -> PageForm {
            let answer = try await browser.get("\(page)/edit")
            #expect(answer.status == .ok)
            return try #require(PageForm(answer.text, id: "compose"))
        }
    }

    @Test("CON-5, IAM-4: a change is published at once, or saved as a version that waits and is gone on with")
    func story() async throws {
        try await TestConsole.run { console in
            let message = try await Message(console)
            let marketer = try await message.story.person(.marketer)
            #expect(try await marketer.get(message.page).text.contains("href=\"\(message.page)/edit\">Change</a>"))
            let form = try await message.form(marketer)
            #expect(form["title"] == ["One"] && form["at"] == [] && form["trigger"] == ["session:start"])
            let published = try await marketer.send(
                "\(message.page)/edit", CampaignStory.changed(form, ["title": ["Two"], "then": ["publish"]])
            )
            #expect(published.status == .seeOther, "\(published.text.prefix(2_000))")
            #expect(try await marketer.get(message.page).text.contains("The change is published."))
            let now = try await message.present()
            #expect(now.draft.inApp?.content.title == "Two" && now.inAppVersion == 2 && now.displayEpoch != 2)
            #expect(now.draft.inApp?.content.body == "Come in")

            let second = try await message.form(marketer)
            let waits = CampaignStory.changed(second, ["title": ["Three"], "then": ["wait"], "anew": ["yes"]])
            #expect(try await marketer.send("\(message.page)/edit", waits).status == .seeOther)
            #expect(try await marketer.get(message.page).text.contains("Devices do not have it yet."))
            #expect(try await message.present().draft.inApp?.content.title == "Two")
            let newest = try #require(try await message.versions().first)
            #expect(newest.number == 3 && !newest.isPublished && newest.resetsDisplays)
            #expect(newest.author?.userName == "marketer")

            let third = try await marketer.get("\(message.page)/edit").text
            #expect(third.contains("You continue from version 3, which waits to be published."))
            let goesOn = try #require(PageForm(third, id: "compose"))
            #expect(goesOn["title"] == ["Three"])
            let last = CampaignStory.changed(goesOn, ["body": ["Do come in"], "then": ["publish"], "anew": ["yes"]])
            #expect(try await marketer.send("\(message.page)/edit", last).status == .seeOther)
            let end = try await message.present()
            #expect(end.draft.inApp?.content.title == "Three" && end.draft.inApp?.content.body == "Do come in")
            #expect(end.displayEpoch == end.inAppVersion)
        }
    }

    @Test("CON-11: Enter on the form of a launched message publishes nothing; to publish is asked for once more")
    func standardButton() async throws {
        try await TestConsole.run { console in
            let message = try await Message(console)
            let marketer = try await message.story.person(.marketer)
            let page = try await marketer.get("\(message.page)/edit").text
            let form = try #require(page.components(separatedBy: "id=\"compose\"").dropFirst().first)
            let buttons = form.components(separatedBy: "<button ").dropFirst().map { button in
                String(button.prefix { $0 != ">" })
            }
            // A browser presses the first one.
            #expect(buttons.first?.contains("value=\"wait\"") == true, "\(buttons)")
            #expect(buttons.first?.contains("data-confirm") == false)
            let publish = try #require(buttons.first(where: { $0.contains("value=\"publish\"") }))
            #expect(publish.contains("data-confirm=\"Replace the message on all devices by this change?\""))
        }
    }

    @Test("CON-5: what nobody has changed is no version, neither published nor waiting")
    func unchanged() async throws {
        try await TestConsole.run { console in
            let message = try await Message(console)
            let marketer = try await message.story.person(.marketer)
            for then in ["publish", "wait", ""] {
                let form = CampaignStory.changed(try await message.form(marketer), ["then": [then]])
                #expect(try await marketer.send("\(message.page)/edit", form).status == .seeOther)
                #expect(try await marketer.get(message.page).text.contains("Nothing was changed, so nothing was"))
            }
            #expect(try await message.versions().count == 1)
        }
    }

    @Test("CON-5: with approvals a change waits; published past the form it is a 409 that keeps what was typed")
    func approval() async throws {
        try await TestConsole.run { console in
            let message = try await Message(console)
            let marketer = try await message.story.person(.marketer)
            let early = try await message.form(marketer)
            try await message.story.askForApprovals()
            let page = try await marketer.get("\(message.page)/edit").text
            #expect(!page.contains("Publish the change") && page.contains("Save as a version that waits"))
            let forged = CampaignStory.changed(early, ["title": ["Forged"], "then": ["publish"]])
            let rejected = try await marketer.send("\(message.page)/edit", forged)
            #expect(rejected.status == .conflict && rejected.text.contains("This app requires an approval."))
            let kept = try #require(PageForm(rejected.text, id: "compose"))
            #expect(kept["title"] == ["Forged"] && !rejected.text.contains("POST "))
            #expect(try await message.present().draft.inApp?.content.title == "One")
            let waits = try await marketer.send(
                "\(message.page)/edit", CampaignStory.changed(kept, ["then": ["wait"]])
            )
            #expect(waits.status == .seeOther)
            #expect(try await marketer.get(message.page).text.contains("Rehearse it, and ask for an approval."))
            #expect(try await message.versions().map(\.isPublished) == [false, true])
        }
    }

    @Test("CON-5: another person's change in between is told, and lost by neither", arguments: ["publish", "wait"])
    func conflict(_ then: String) async throws {
        try await TestConsole.run { console in
            let message = try await Message(console)
            let marketer = try await message.story.person(.marketer)
            let other = try await console.visitor(as: "other", roles: [message.story.app.id: .marketer])
            let (mine, theirs) = (try await message.form(marketer), try await message.form(other))
            let first = CampaignStory.changed(theirs, ["title": ["Theirs"], "then": [then]])
            #expect(try await other.send("\(message.page)/edit", first).status == .seeOther)
            let late = try await marketer.send(
                "\(message.page)/edit", CampaignStory.changed(mine, ["title": ["Mine"], "then": ["publish"]])
            )
            #expect(late.status == .conflict && late.text.contains("Somebody else has changed this message"))
            let kept = try #require(PageForm(late.text, id: "compose"))
            #expect(kept["title"] == ["Mine"])
            #expect(try await message.present().draft.inApp?.content.title == (then == "publish" ? "Theirs" : "One"))
            // Whoever has been told may replace it.
            let again = try await marketer.send(
                "\(message.page)/edit", CampaignStory.changed(kept, ["then": ["publish"]])
            )
            #expect(again.status == .seeOther)
            #expect(try await message.present().draft.inApp?.content.title == "Mine")
            #expect(try await message.versions().count == 3)
        }
    }

    @Test("CON-5, CON-11: what is wrong stands at its field; a message that is over is edited no more")
    func rejected() async throws {
        try await TestConsole.run { console in
            let message = try await Message(console)
            let marketer = try await message.story.person(.marketer)
            let form = try await message.form(marketer)
            for then in ["publish", "wait"] {
                let past = CampaignStory.changed(
                    form, ["title": ["Typed"], "limit": ["0"], "ends": ["soon"], "then": [then]])
                let answer = try await marketer.send("\(message.page)/edit", past)
                #expect(answer.status == .unprocessableContent && answer.text.contains("id=\"ends-error\""))
                #expect(PageForm(answer.text, id: "compose")?["title"] == ["Typed"])
            }
            #expect(try await message.versions().count == 1)
            let viewer = try await message.story.person(.viewer)
            #expect(try await viewer.get("\(message.page)/edit").status == .forbidden)
            _ = try await console.services.campaigns.life.cancel(message.id, app: message.story.app)
            #expect(try await marketer.get("\(message.page)/edit").status == .conflict)
            let late = try await marketer.send(
                "\(message.page)/edit",
                CampaignStory.changed(form, ["title": ["Typed for an hour"], "then": ["publish"]])
            )
            #expect(late.status == .conflict && late.text.contains("What you typed is kept on this page."))
            #expect(late.text.contains("value=\"Typed for an hour\""))
        }
    }
}
