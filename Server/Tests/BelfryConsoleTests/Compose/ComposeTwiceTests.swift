import BelfryModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-5: a form for a new draft makes one, however often it is sent")
struct ComposeTwiceTests {
    private static let new = "\(CampaignStory.list)/new"

    private static func typed(_ browser: Browser) async throws -> [String: [String]] {
        let form = try #require(PageForm(try await browser.get(new).text, id: "compose"))
        return CampaignStory.changed(form, ["name": ["Sale"], "title": ["T"], "body": ["B"]])
    }

    private static func count(_ story: CampaignStory) async throws -> Int {
        try await story.console.services.campaigns.queries.list(app: story.app, before: nil, limit: 9).count
    }

    @Test("CON-5: a second press leads to the same draft, one after the other and both at once")
    func twice() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let form = try await Self.typed(marketer)
            let first = try #require(CampaignStory.id(try await marketer.send(Self.new, form)))
            let second = try await marketer.send(Self.new, form)
            #expect(second.status == .seeOther && CampaignStory.id(second) == first)
            #expect(
                try await marketer.get("\(CampaignStory.list)/\(first)").text
                    .contains("The form was submitted twice, and made one draft.")
            )
            #expect(try await Self.count(story) == 1)

            let other = try await Self.typed(marketer)
            async let one = marketer.send(Self.new, other)
            async let two = marketer.send(Self.new, other)
            let made = Set([CampaignStory.id(try await one), CampaignStory.id(try await two)])
            #expect(made.count == 1 && !made.contains(nil) && !made.contains(first))
            #expect(try await Self.count(story) == 2)
            let actions = try await console.database.read { try $0.audit.newest(9) }.map(\.action)
            #expect(actions.filter { $0 == "campaign.create" }.count == 2)
        }
    }

    @Test("CON-5: whoever goes back, changes the form and sends it again is told of the draft, and may make another")
    func changed() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let form = try await Self.typed(marketer)
            let first = try #require(CampaignStory.id(try await marketer.send(Self.new, form)))
            let refused = try await marketer.send(Self.new, form.merging(["title": ["Other"]]) { $1 })
            #expect(refused.status == .conflict && refused.text.contains("You have saved this form already"))
            #expect(refused.text.contains("href=\"\(CampaignStory.list)/\(first)\" target=\"_blank\""))
            #expect(try await Self.count(story) == 1)
            let kept = try #require(PageForm(refused.text, id: "compose"))
            #expect(kept["title"] == ["Other"] && kept["key"] != form["key"])
            let second = try #require(CampaignStory.id(try await marketer.send(Self.new, kept.values)))
            #expect(second != first)
            #expect(try await Self.count(story) == 2)
        }
    }

    @Test("CON-5: a form that was refused makes its draft once it is right; of a deleted draft it makes another")
    func again() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let form = try await Self.typed(marketer)
            let rejected = try await marketer.send(Self.new, form.merging(["ttl": ["soon"]]) { $1 })
            #expect(rejected.status == .unprocessableContent)
            let kept = try #require(PageForm(rejected.text, id: "compose"))
            #expect(kept["key"] == form["key"])
            let first = try #require(CampaignStory.id(try await marketer.send(Self.new, form)))
            try await console.services.campaigns.life.delete(first, app: story.app)
            let second = try #require(CampaignStory.id(try await marketer.send(Self.new, form)))
            #expect(second != first)
            #expect(try await Self.count(story) == 1)
        }
    }

    @Test("CON-5: a key is of one person and one app, and one that is none is refused with what was typed")
    func keys() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let other = try await console.services.apps.create(code: "other", name: "Other").app
            let roles = [story.app.id: UserRole.marketer, other.id: .marketer]
            let (ann, ben) = (
                try await console.visitor(as: "ann", roles: roles), try await console.visitor(as: "ben", roles: roles)
            )
            let form = try await Self.typed(ann)
            let mine = try #require(CampaignStory.id(try await ann.send(Self.new, form)))
            let theirs = try #require(CampaignStory.id(try await ben.send(Self.new, form)))
            let elsewhere = try #require(
                CampaignStory.id(try await ann.send("/console/apps/other/campaigns/new", form))
            )
            #expect(Set([mine, theirs, elsewhere]).count == 3)
            for key in ["", String(repeating: "k", count: 65)] {
                let forged = try await ann.send(Self.new, form.merging(["key": [key]]) { $1 })
                #expect(forged.status == .badRequest && forged.text.contains("value=\"Sale\""))
            }
            #expect(try await Self.count(story) == 2)
        }
    }
}
