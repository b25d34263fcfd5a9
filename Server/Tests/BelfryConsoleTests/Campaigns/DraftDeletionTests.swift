import BelfryModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-5: a draft is deleted on the console")
struct DraftDeletionTests {
    @Test("CON-5, CON-1: a draft goes after a question, which is a page where no script asks it")
    func story() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let draft = try await marketer.get(page)
            #expect(draft.text.contains("formaction=\"\(page)/delete/ask\""))
            #expect(draft.text.contains("data-confirm=\"Delete this draft for good?\">Delete the draft</button>"))
            let asked = try await marketer.submit("\(page)/delete/ask", ["version": draft.hidden("version")])
            #expect(asked.status == .ok && asked.text.contains("Delete this draft for good?"))
            #expect(asked.text.contains("action=\"\(page)/delete\"") && asked.text.contains("go with it"))
            #expect(try await marketer.get(page).status == .ok, "a question changes nothing")
            let gone = try await marketer.submit("\(page)/delete", ["version": asked.hidden("version")])
            #expect(gone.status == .seeOther && gone.headers[.location] == CampaignStory.list)
            let list = try await marketer.get(CampaignStory.list).text
            #expect(list.contains("The draft &#39;Autumn sale&#39; was deleted.") && list.contains("No campaigns yet"))
            #expect(try await marketer.get(page).status == .notFound)
            #expect(try await marketer.submit("\(page)/delete").status == .notFound)
            let actions = try await console.database.read { try $0.audit.newest(9) }.map(\.action)
            #expect(actions.filter { $0 == "campaign.delete" }.count == 1)
        }
    }

    @Test("CON-5: nobody deletes what they have not seen, nor a campaign that was launched meanwhile")
    func meanwhile() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let (marketer, admin) = (try await story.person(.marketer), try await story.person(.admin))
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let seen = try await marketer.get(page).hidden("version")
            let form = try #require(PageForm(try await admin.get("\(page)/edit").text, id: "compose"))
            _ = try await admin.send("\(page)/edit", CampaignStory.changed(form, ["title": ["New"]]))
            let rejected = try await marketer.submit("\(page)/delete", ["version": seen])
            #expect(rejected.status == .conflict && rejected.text.contains("Somebody else has changed this draft"))
            let present = rejected.hidden("version")
            #expect(try await admin.submit("\(page)/launch", ["version": present]).status == .seeOther)
            await console.dispatcher.runUntilIdle()
            let late = try await marketer.submit("\(page)/delete", ["version": present])
            #expect(late.status == .conflict && late.text.contains("not a draft"))
            let asked = try await marketer.submit("\(page)/delete/ask", ["version": present])
            #expect(asked.status == .seeOther && asked.headers[.location] == page)
            let list = try await marketer.get(CampaignStory.list).text
            #expect(list.contains("href=\"\(page)\"") && !list.contains("was deleted"))
        }
    }

    @Test("CON-11: what somebody typed into a draft that was deleted meanwhile is kept on the page that says so")
    func edited() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let edit = "\(CampaignStory.list)/\(id)/edit"
            let form = try #require(PageForm(try await marketer.get(edit).text, id: "compose"))
            try await console.services.campaigns.life.delete(id, app: story.app)
            let late = try await marketer.send(edit, CampaignStory.changed(form, ["title": ["Typed for an hour"]]))
            #expect(late.status == .notFound && late.text.contains("value=\"Typed for an hour\""))
        }
    }
}
