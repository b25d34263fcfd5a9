import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import HTTPTypes
import Logging
import Testing

@testable import BelfryConsole

@Suite("CON-5, CON-10: what a form makes is made once, however often the form comes")
struct FormTwiceTests {
    private static func campaigns(_ story: CampaignStory) async throws -> Int {
        try await story.console.services.campaigns.queries.list(app: story.app, before: nil, limit: 50).count
    }

    private static func lines(_ action: String, _ console: TestConsole) async throws -> Int {
        try await console.lines().count { $0.action == action }
    }

    @Test("CON-5: a campaign is copied once for each page, by presses one after the other and at once")
    func copies() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            for (copies, place) in [page, CampaignStory.list].enumerated() {
                let form = ["key": try await marketer.get(place).hidden("key")]
                #expect(form["key"]?.utf8.count == 32, "\(place)")
                async let one = marketer.submit("\(page)/duplicate", form)
                async let two = marketer.submit("\(page)/duplicate", form)
                let made = Set([CampaignStory.id(try await one), CampaignStory.id(try await two)])
                let copy = try #require(made.compactMap(\.self).first)
                #expect(made.count == 1 && copy != id)
                #expect(CampaignStory.id(try await marketer.submit("\(page)/duplicate", form)) == copy)
                let shown = try await marketer.get("\(CampaignStory.list)/\(copy)").text
                #expect(shown.contains("The form was submitted twice, and made one copy."))
                #expect(try await Self.campaigns(story) == copies + 2)
                #expect(try await Self.lines("campaign.create", console) == copies + 2)
            }
        }
    }

    @Test("CON-5: it stays one copy when the campaign has changed meanwhile; of another campaign it is another")
    func copiesOfOthers() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let other = try #require(try await story.compose(marketer))
            let form = ["key": try await marketer.get(CampaignStory.list).hidden("key")]
            let copy = CampaignStory.id(try await marketer.submit("\(CampaignStory.list)/\(id)/duplicate", form))
            var draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            draft.push?.title = "Other"
            _ = try await console.services.campaigns.drafts.update(id, with: draft, app: story.app)
            let again = CampaignStory.id(try await marketer.submit("\(CampaignStory.list)/\(id)/duplicate", form))
            #expect(copy != nil && again == copy)
            let second = CampaignStory.id(try await marketer.submit("\(CampaignStory.list)/\(other)/duplicate", form))
            #expect(second != nil && second != copy)
            for key in ["", String(repeating: "k", count: 65)] {
                let forged = try await marketer.submit("\(CampaignStory.list)/\(id)/duplicate", ["key": key])
                #expect(forged.status == .badRequest)
            }
            #expect(try await Self.campaigns(story) == 4)
        }
    }

    @Test("CON-5: a test goes once for each page; to another device, or with other words, it is another test")
    func tests() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let (page, send) = ("\(CampaignStory.list)/\(id)", "\(CampaignStory.list)/\(id)/test")
            let form = ["device": CampaignStory.device(1), "key": try await marketer.get(page).hidden("key")]
            let first = try await marketer.submit(send, form)
            #expect(first.text.contains("The push service accepted it.") && !first.text.contains("submitted twice"))
            #expect(!first.hidden("key").isEmpty && first.hidden("key") != form["key"], "pressed again, it goes again")
            let second = try await marketer.submit(send, form)
            #expect(second.status == .ok && second.text.contains("The push service accepted it."))
            #expect(second.text.contains("This form was submitted twice, and the test was sent once."))
            #expect(try await Self.lines("campaign.test", console) == 1)

            let other = form.merging(["device": CampaignStory.device(2)]) { $1 }
            #expect(try await !marketer.submit(send, other).text.contains("submitted twice"))
            var draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            draft.push?.title = "Other"
            _ = try await console.services.campaigns.drafts.update(id, with: draft, app: story.app)
            #expect(try await !marketer.submit(send, form).text.contains("submitted twice"))
            #expect(try await Self.lines("campaign.test", console) == 3)
            #expect(try await Self.lines("campaign.test.begin", console) == 3)
        }
    }

    @Test("CON-5: of two presses at once one test goes, and the other tells of it; what was refused may be sent again")
    func testsAtOnce() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let (page, send) = ("\(CampaignStory.list)/\(id)", "\(CampaignStory.list)/\(id)/test")
            let key = try await marketer.get(page).hidden("key")
            let rejected = try await marketer.submit(send, ["device": CampaignStory.device(9), "key": key])
            #expect(rejected.status == .notFound && rejected.hidden("key") == key)
            let form = ["device": CampaignStory.device(1), "key": key]
            async let one = marketer.submit(send, form)
            async let two = marketer.submit(send, form)
            let answers = [try await one, try await two]
            #expect(answers.contains { $0.status == .ok && !$0.text.contains("submitted twice") })
            for answer in answers where answer.status != .ok {
                #expect(answer.status == .conflict && answer.text.contains("This test is being sent."))
                // Pressed in a moment, it tells of that one.
                #expect(answer.hidden("key") == key)
            }
            #expect(try await marketer.submit(send, form).text.contains("This form was submitted twice"))
            #expect(try await Self.lines("campaign.test", console) == 1)
            // The refused one is told of as well.
            #expect(try await Self.lines("campaign.test.begin", console) == 2)
            #expect(try await Self.lines("campaign.test.fail", console) == 1)
        }
    }

    @Test("CON-5: a comment is made once for each page; with another text it is another")
    func comments() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let form = ["text": "Looks fine.", "key": try await marketer.get(page).hidden("key")]
            for _ in 1...2 {
                let answer = try await marketer.submit("\(page)/comments", form)
                #expect(answer.status == .seeOther && answer.headers[.location] == "\(page)#comments")
            }
            let other = form.merging(["text": "Looks fine!"]) { $1 }
            #expect(try await marketer.submit("\(page)/comments", other).status == .seeOther)
            let comments = try await console.services.campaignReviews.comments(
                on: id, app: story.app, before: nil, limit: 9
            )
            #expect(comments.map(\.text) == ["Looks fine!", "Looks fine."])
            #expect(try await Self.lines("campaign.comment", console) == 2)
            #expect(try await marketer.submit("\(page)/comments", ["text": "Looks fine!"]).status == .seeOther)
            #expect(try await Self.lines("campaign.comment", console) == 3, "a form without a key")
        }
    }

    @Test("CON-12: a rehearsal is begun once for each page and version, also when it has ended meanwhile")
    func rehearsals() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)/rehearsals"
            let worker = RehearsalWorker(
                owner: "console", previews: console.services.campaigns.previews, work: AsyncSignal(),
                logger: Logger(label: "belfry.test") { _ in SwiftLogNoOpLogHandler() }
            )
            let form = ["key": try await marketer.get(page).hidden("key")]
            let first = try await marketer.submit(page, form).headers[.location]
            await worker.runUntilIdle()
            let second = try await marketer.submit(page, form).headers[.location]
            #expect(first != nil && second == first)
            #expect(try await Self.lines("campaign.rehearse", console) == 1)
            #expect(try await console.services.rehearsals.list(of: id, app: story.app).count == 1)
            let anew = ["key": try await marketer.get(page).hidden("key")]
            #expect(anew != form)
            let third = try await marketer.submit(page, anew).headers[.location]
            #expect(third != nil && third != first)
            await worker.runUntilIdle()
            var draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            draft.push?.title = "Other"
            _ = try await console.services.campaigns.drafts.update(id, with: draft, app: story.app)
            let changed = try await marketer.submit(page, anew).headers[.location]
            #expect(changed != nil && changed != third)
            #expect(try await Self.lines("campaign.rehearse", console) == 3)
            #expect(try await marketer.submit(page, [:]).headers[.location] == changed)
            #expect(try await Self.lines("campaign.rehearse", console) == 4, "a form without a key")
        }
    }

    @Test("CON-10, ADM-6: a key is made once for each page, and its secret is shown once")
    func keys() async throws {
        try await TestConsole.run { console in
            let app = try await console.services.apps.create(code: "shop", name: "Shop").app
            let admin = try await console.visitor(as: "anna", roles: [app.id: .admin])
            let ben = try await console.visitor(as: "ben", roles: [app.id: .admin])
            let page = "/console/apps/shop/settings/keys"
            func count() async throws -> Int {
                try await console.services.adminKeys.list(app: app, before: nil, limit: 50).keys.count
            }
            let before = try await count()
            let shownForm = try await admin.get(page)
            #expect(shownForm.text.contains(" data-once=\"\""))
            let form = ["label": "Back end", "scope": "read", "key": shownForm.hidden("key")]
            async let one = admin.submit("\(page)/create", form)
            async let two = admin.submit("\(page)/create", form)
            let shown = [try await one, try await two].filter { $0.status == .ok }
            let secret = try Self.secret(try #require(shown.first))
            #expect(shown.count == 1)
            let later = try await admin.submit("\(page)/create", form)
            #expect(later.status == .seeOther && later.headers[.location] == page && !later.text.contains("bk_"))
            let keysPage = try await admin.get(page).text
            #expect(keysPage.contains("Its secret was shown once.") && !keysPage.contains(secret))
            #expect(try await count() == before + 1)
            #expect(try await Self.lines("key.create", console) == 1)
            #expect(try await console.services.access.principal(bearer: secret).app == app.id)
            let theirs = try await ben.submit("\(page)/create", form)
            #expect(try Self.secret(theirs) != secret, "a form is of one person")

            let refused = try await admin.submit("\(page)/create", form.merging(["scope": "admin"]) { $1 })
            #expect(refused.status == .unprocessableContent && refused.text.contains("This form has made the key"))
            let again = form.merging(["scope": "admin", "key": refused.hidden("key")]) { $1 }
            let another = try await admin.submit("\(page)/create", again)
            #expect(try Self.secret(another) != secret)
            let name = try await console.services.access.principal(bearer: secret).name
            try await console.services.adminKeys.revoke(name, app: app)
            let revoked = try await admin.submit("\(page)/create", form)
            #expect(revoked.status == .unprocessableContent && !revoked.text.contains(secret))
            #expect(try await count() == before + 3)
        }
    }

    private static func secret(_ answer: Browser.Answer) throws -> String {
        let start = try #require(answer.text.range(of: "<code>bk_"), "\(answer.status)")
        return "bk_" + answer.text[start.upperBound...].prefix { $0 != "<" }
    }
}
