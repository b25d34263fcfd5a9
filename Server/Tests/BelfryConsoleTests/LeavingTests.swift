import BelfryModel
import BelfryServices
import Foundation
import HTTPTypes
import Testing

@testable import BelfryConsole

/// What the browser's script looks at (`leaving.js`); that it asks is for the stories in a browser.
@Suite("CON-11: forms whose page is not left without a question")
struct LeavingTests {
    /// The values of the mark in a page, one for each form that has it.
    private static func marks(_ answer: Browser.Answer) -> [String] {
        answer.text.components(separatedBy: " data-unsaved").dropFirst().map { rest in
            rest.hasPrefix("=\"") ? String(rest.dropFirst(2).prefix { $0 != "\"" }) : ""
        }
    }

    @Test("CON-11: the form of a campaign is marked, and what was typed and refused is told from what is stored")
    func compose() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let new = "\(CampaignStory.list)/new"
            let page = try await marketer.get(new)
            #expect(Self.marks(page) == [""])
            #expect(page.text.contains("data-leaves>Leave without saving</a>"))
            let rejected = try await marketer.submit(new, ["name": "Sale", "title": "", "body": ""])
            #expect(rejected.status == .unprocessableContent && Self.marks(rejected) == ["typed"])

            let id = try #require(try await story.compose(marketer))
            let edit = "\(CampaignStory.list)/\(id)/edit"
            let shown = try await marketer.get(edit)
            #expect(Self.marks(shown) == [""])
            let form = try #require(PageForm(shown.text, id: "compose"))
            var draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            draft.push?.title = "Theirs"
            _ = try await console.services.campaigns.drafts.update(id, with: draft, app: story.app)
            let conflict = try await marketer.send(edit, CampaignStory.changed(form, ["title": ["Mine"]]))
            #expect(conflict.status == .conflict && Self.marks(conflict) == ["typed"])
            // A comment.
            #expect(Self.marks(try await marketer.get("\(CampaignStory.list)/\(id)")) == [""])
            let long = String(repeating: "a", count: 2_001)
            let comment = try await marketer.submit("\(CampaignStory.list)/\(id)/comments", ["text": long])
            #expect(comment.status == .unprocessableContent && Self.marks(comment) == ["typed"])
            try await console.services.campaigns.life.delete(id, app: story.app)
            let kept = try await marketer.send(edit, CampaignStory.changed(form, ["title": ["Mine"]]))
            #expect(kept.status == .notFound && Self.marks(kept) == ["typed"])
        }
    }

    @Test("CON-11: so are the forms of the settings")
    func settings() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            let base = "/console/apps/shop/settings"
            for place in ["general", "identity", "badges", "websites", "retention", "keys"] {
                #expect(Self.marks(try await admin.get("\(base)/\(place)")) == [""], "\(place)")
            }
            for (place, count) in [("credentials", 3), ("centers", 2), ("attributes", 3), ("people", 1)] {
                let marks = Self.marks(try await admin.get("\(base)/\(place)"))
                #expect(marks == Array(repeating: "", count: count), "\(place)")
            }
            let badges = ["version": try await admin.get("\(base)/badges").hidden("version"), "maxBadgeCount": "many"]
            #expect(Self.marks(try await admin.submit("\(base)/badges", badges)) == ["typed"])
            let stale = ["version": "old", "maxBadgeCount": "7"]
            #expect(Self.marks(try await admin.submit("\(base)/badges", stale)) == ["typed"])
            let key = ["scope": "", "label": "Back end"]
            #expect(Self.marks(try await admin.submit("\(base)/keys/create", key)) == ["typed"])
            let center = ["name": "No name!", "label": "Offers"]
            #expect(Self.marks(try await admin.submit("\(base)/centers/create", center)) == ["", "typed"])
            let schema = try await admin.get("\(base)/attributes").hidden("version")
            let attributes = ["version": schema, "definitions": "age years"]
            #expect(Self.marks(try await admin.submit("\(base)/attributes/define", attributes)).last == "typed")
            let fcm = try await admin.submit("\(base)/credentials/fcm/save", ["version": "", "serviceAccount": "{}"])
            #expect(Self.marks(fcm).filter { $0 == "typed" }.count == 1, "\(fcm.status)")
        }
    }
}
