import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-5: two people edit one draft on the console")
struct TwoEditorsTests {
    /// A draft that two people have open.
    private struct Draft {
        let story: CampaignStory
        let id: CampaignID
        let ann: Browser
        let ben: Browser

        var edit: String { "\(CampaignStory.list)/\(id)/edit" }

        init(_ console: TestConsole) async throws {
            story = try await CampaignStory(console)
            ann = try await story.person(.marketer)
            ben = try await story.person(.admin)
            id = try #require(try await story.compose(ann))
        }

        func form(_ browser: Browser) async throws -> PageForm {
            try #require(PageForm(try await browser.get(edit).text, id: "compose"))
        }

        func save(
            _ form: PageForm, _ changes: [String: [String]], as browser: Browser
        ) async throws -> Browser.Answer {
            try await browser.send(edit, CampaignStory.changed(form, changes))
        }

        func present() async throws -> CampaignDraft {
            try await story.console.services.campaigns.queries.campaign(id, app: story.app).draft
        }
    }

    @Test("CON-5: two people who edit the same draft see each other's change, and nobody's is lost")
    func story() async throws {
        try await TestConsole.run { console in
            let draft = try await Draft(console)
            let (anns, bens) = (try await draft.form(draft.ann), try await draft.form(draft.ben))
            let first = try await draft.save(
                anns,
                [
                    "title": ["Ann's"], "subtitle": ["Today"], "audience": ["json"],
                    "predicate": ["{\"tag\":\"a\"}"],
                ], as: draft.ann
            )
            #expect(first.status == .seeOther, "\(first.text.prefix(2_000))")
            let late = try await draft.save(bens, ["title": ["Ben's"], "body": ["Come"]], as: draft.ben)
            #expect(late.status == .conflict && late.text.contains("Somebody else has changed this draft"))
            #expect(late.text.contains("id=\"title-stored\"") && late.text.contains("<code>Ann&#39;s</code>"))
            #expect(late.text.contains("id=\"subtitle-meanwhile\"") && late.text.contains("id=\"audience-meanwhile\""))
            #expect(!late.text.contains("id=\"body-stored\"") && !late.text.contains("id=\"body-meanwhile\""))
            let merged = try #require(PageForm(late.text, id: "compose"))
            #expect(merged["title"] == ["Ben's"] && merged["subtitle"] == ["Today"] && merged["body"] == ["Come"])
            // Nothing was saved yet.
            #expect(try await draft.present().push?.title == "Ann's")
            #expect(try await draft.save(merged, [:], as: draft.ben).status == .seeOther)
            let both = try await draft.present()
            #expect(both.push?.title == "Ben's" && both.push?.subtitle == "Today" && both.push?.body == "Come")
            #expect(both.audience == .tag("a"))
        }
    }

    @Test("CON-5: theirs is taken by a press, also where the form is refused for something else")
    func theirs() async throws {
        try await TestConsole.run { console in
            let draft = try await Draft(console)
            let (anns, bens) = (try await draft.form(draft.ann), try await draft.form(draft.ben))
            _ = try await draft.save(anns, ["title": ["Ann's"]], as: draft.ann)
            let late = try await draft.save(bens, ["title": ["Ben's"], "body": ["Come"]], as: draft.ben)
            let merged = try #require(PageForm(late.text, id: "compose"))
            let rejected = try await draft.save(merged, ["theirs": ["title"], "ttl": ["soon"]], as: draft.ben)
            #expect(rejected.status == .unprocessableContent)
            let again = try #require(PageForm(rejected.text, id: "compose"))
            #expect(again["title"] == ["Ann's"] && again["body"] == ["Come"])
            #expect(try await draft.save(again, ["ttl": [""]], as: draft.ben).status == .seeOther)
            let present = try await draft.present()
            #expect(present.push?.title == "Ann's" && present.push?.body == "Come" && present.push?.ttlSeconds == nil)
        }
    }

    @Test("CON-5: a third change in between is brought in as well, and a press for theirs still counts")
    func third() async throws {
        try await TestConsole.run { console in
            let draft = try await Draft(console)
            let bens = try await draft.form(draft.ben)
            _ = try await draft.save(try await draft.form(draft.ann), ["title": ["Ann's"]], as: draft.ann)
            let late = try await draft.save(bens, ["title": ["Ben's"], "body": ["Come"]], as: draft.ben)
            let merged = try #require(PageForm(late.text, id: "compose"))
            _ = try await draft.save(try await draft.form(draft.ann), ["subtitle": ["Later"]], as: draft.ann)
            let later = try await draft.save(merged, ["theirs": ["title"]], as: draft.ben)
            #expect(later.status == .conflict && !later.text.contains("id=\"title-stored\""))
            let last = try #require(PageForm(later.text, id: "compose"))
            #expect(last["title"] == ["Ann's"] && last["subtitle"] == ["Later"] && last["body"] == ["Come"])
            #expect(try await draft.save(last, [:], as: draft.ben).status == .seeOther)
            #expect(try await draft.present().push?.body == "Come")
        }
    }

    @Test("CON-5: a form that comes twice is saved once, and is no conflict with itself")
    func twice() async throws {
        try await TestConsole.run { console in
            let draft = try await Draft(console)
            let form = try await draft.form(draft.ann)
            for _ in 1...2 {
                let saved = try await draft.save(form, ["title": ["Ann's"]], as: draft.ann)
                #expect(saved.status == .seeOther, "\(saved.text.prefix(2_000))")
            }
            let page = try await draft.ann.get("\(CampaignStory.list)/\(draft.id)").text
            #expect(page.contains("What you typed is already saved."))
            let versions = try await console.services.campaignVersions.list(
                of: draft.id, app: draft.story.app, before: nil, limit: 9
            )
            #expect(versions.map(\.number) == [2, 1])
        }
    }

    @Test("CON-5: a form whose beginning is kept no longer, or is forged, is asked about in every field that differs")
    func unknownBeginning() async throws {
        try await TestConsole.run { console in
            let draft = try await Draft(console)
            let bens = try await draft.form(draft.ben)
            _ = try await draft.save(
                try await draft.form(draft.ann), ["title": ["Ann's"], "body": ["Ann's text"]], as: draft.ann
            )
            for number in ["", "77", "2", "x", String(repeating: "9", count: 40)] {
                let late = try await draft.save(bens, ["title": ["Ben's"], "from": [number]], as: draft.ben)
                #expect(late.status == .conflict, "\(number)")
                #expect(late.text.contains("id=\"title-stored\"") && late.text.contains("id=\"body-stored\""))
            }
            #expect(try await draft.present().push?.title == "Ann's")
        }
    }
}
