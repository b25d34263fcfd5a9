import BelfryModel
import BelfryServerModel
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-11: a form says what is wrong in its own words")
struct ComposeWordsTests {
    @Test("CON-11: what the services say of keys and types stands at its field, in the words of the form")
    func inApp() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let page = "\(CampaignStory.list)/new"
            let shown = try await marketer.get("\(page)?kind=inApp")
            let form = try #require(PageForm(shown.text, id: "compose"))
            let filled = CampaignStory.changed(
                form,
                [
                    "name": [""], "body": ["Come in"], "trigger": [" "], "viewId": ["teaser"], "html": ["<p>Hi</p>"],
                    "variantLocale": [String(repeating: "x", count: 10_000)], "variantBody": ["Herein"],
                ]
            )
            let answer = try await marketer.send(page, filled)
            #expect(answer.status == .unprocessableContent)
            for (field, words) in [
                "name": "Give it a name of 1 to 200 characters.", "trigger": "Name the event that makes it appear",
                "viewId": "Only a message inside a page of the app has a place.",
                "html": "A message that looks like this does not use it.", "variantLocale-0": "is a locale",
            ] {
                let error = answer.text.components(separatedBy: "id=\"\(field)-error\">").dropFirst().first ?? ""
                let sentence = error.prefix { $0 != "<" }
                #expect(sentence.contains(words) && !sentence.contains("&quot;"), "\(field): \(sentence.prefix(100))")
            }
        }
    }

    @Test("CON-11: a test without a device, and a role for nobody, say what to type")
    func empty() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            let id = try #require(try await story.compose(admin))
            let test = try await admin.submit("\(CampaignStory.list)/\(id)/test", ["device": " "])
            #expect(test.status == .unprocessableContent && test.text.contains("Type the id of a device"))
            let role = try await admin.submit(
                "/console/apps/shop/settings/people/add", ["user": " ", "role": "viewer"])
            #expect(role.status == .unprocessableContent && role.text.contains("Enter a sign-in name."))
        }
    }
}
