import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-8: message centers, their messages, and what a contact sees")
struct MessageCenterPagesTests {
    private static let base = "/console/apps/shop"

    /// A message for a center, composed and launched.
    private static func placed(
        _ console: TestConsole, _ story: CampaignStory, _ marketer: Browser, _ changes: [String: [String]] = [:]
    ) async throws -> CampaignID {
        let page = try await marketer.get("\(CampaignStory.list)/new?kind=messageCenter")
        let form = try #require(PageForm(page.text, id: "compose"))
        let filled = CampaignStory.changed(
            form,
            [
                "name": ["Offer"], "centerSubject": ["For {{city}}"], "centerMessage": ["Read me"],
                "center": ["Offers"], "richHtml": ["<p>Rich {{city}}</p>"], "badge": ["increment"],
            ].merging(changes) { $1 })
        let saved = try await marketer.send("\(CampaignStory.list)/new", filled)
        #expect(saved.status == .seeOther, "\(saved.text.prefix(3_000))")
        let id = try #require(CampaignStory.id(saved))
        let draft = try await marketer.get("\(CampaignStory.list)/\(id)")
        #expect(
            try await marketer.submit("\(CampaignStory.list)/\(id)/launch", ["version": draft.hidden("version")]).status
                == .seeOther)
        await console.dispatcher.runUntilIdle()
        return id
    }

    @Test("CON-5, CON-8: a message is composed, placed, listed, seen by its contact and recalled from them alone")
    func story() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 2)
            _ = try await console.services.messageCenters.save(
                "Offers", MessageCenterService.Change(label: "Offers & <more>"), app: story.app
            )
            let marketer = try await story.person(.marketer)
            let ann = try await story.person("ann@example.com", device: 1, ["city": "Paris"])
            _ = try await story.person("ben@example.com", device: 2, ["city": "Rome"])
            let id = try await Self.placed(console, story, marketer)

            let campaign = try await marketer.get("\(CampaignStory.list)/\(id)")
            #expect(
                campaign.text.contains("page?part=rich")
                    && campaign.text.contains("The message center &#39;Offers&#39;."))
            let rich = try await marketer.get("\(CampaignStory.list)/\(id)/page?part=rich&look=light")
            #expect(
                rich.text.contains("Rich city") && rich.headers[.contentSecurityPolicy]?.hasPrefix("sandbox") == true)

            let centers = try await marketer.get("\(Self.base)/centers")
            #expect(centers.text.contains("Offers &amp; &lt;more&gt;") && centers.text.contains("Primary"))
            let center = try await marketer.get("\(Self.base)/centers/Offers")
            #expect(center.text.contains("Offer") && center.text.contains("\(CampaignStory.list)/\(id)/messages"))
            #expect(try await marketer.get("\(Self.base)/centers/Primary").text.contains("No message here yet"))
            #expect(try await marketer.get("\(Self.base)/centers/Nowhere").status == .notFound)

            let list = "\(CampaignStory.list)/\(id)/messages"
            let messages = try await marketer.get(list)
            #expect(messages.text.contains("ann@example.com") && messages.text.contains("ben@example.com"))
            #expect(messages.text.contains("/console/apps/shop/people/\(ann)"))

            let inbox = try await marketer.get("\(Self.base)/inbox?key=ann%40example.com")
            for words in ["For Paris", "Read me", "Unread", CampaignStory.device(1)] {
                #expect(inbox.text.contains(words), "\(words)")
            }
            let unknown = try await marketer.get("\(Self.base)/inbox?key=%3Cb%3E")
            #expect(
                unknown.status == .notFound && unknown.text.contains("value=\"&lt;b&gt;\"")
                    && unknown.text.contains("Nobody has this key."))

            let question = try await marketer.get("\(list)/recall?contact=ann%40example.com")
            #expect(question.status == .ok && question.text.contains("from ann@example.com?"))
            #expect(try await marketer.submit("\(list)/recall", ["contact": "ann@example.com"]).status == .seeOther)
            let without = try await marketer.get("\(Self.base)/inbox?key=ann%40example.com")
            #expect(!without.text.contains("For Paris"))
            #expect(try await marketer.get("\(Self.base)/inbox?key=ben%40example.com").text.contains("For Rome"))
            #expect(try await marketer.get(list).text.contains("Recalled"))
            let nobody = try await marketer.submit("\(list)/recall", ["contact": "nobody"])
            #expect(nobody.status == .notFound && nobody.text.contains("There is no contact"))
        }
    }

    @Test("CON-8: a viewer sees messages and recalls none")
    func viewer() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            _ = try await console.services.messageCenters.save("Offers", MessageCenterService.Change(), app: story.app)
            let marketer = try await story.person(.marketer)
            _ = try await story.person("ann@example.com", device: 1)
            let id = try await Self.placed(console, story, marketer, ["centerSubject": ["Plain"], "richHtml": [""]])
            let viewer = try await story.person(.viewer)
            let list = "\(CampaignStory.list)/\(id)/messages"
            let page = try await viewer.get(list)
            #expect(page.status == .ok && page.text.contains("ann@example.com") && !page.text.contains("/recall"))
            #expect(try await viewer.submit("\(list)/recall", ["contact": "ann@example.com"]).status == .forbidden)
            #expect(try await viewer.get("\(Self.base)/centers").status == .ok)
        }
    }

    @Test("CON-8: hostile names of people and messages stand escaped on the pages of centers")
    func hostile() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            _ = try await console.services.messageCenters.save("Offers", MessageCenterService.Change(), app: story.app)
            let marketer = try await story.person(.marketer)
            _ = try await story.person(HostileMarkup.script, device: 1, ["city": .string(HostileMarkup.script)])
            let id = try await Self.placed(
                console, story, marketer,
                [
                    "name": ["<script>alert(1)</script>"], "centerSubject": [HostileMarkup.script],
                    "centerMessage": [HostileMarkup.script], "richHtml": [""],
                ]
            )
            let key = PersonAddress.encoded(HostileMarkup.script)
            for address in [
                "\(Self.base)/centers", "\(Self.base)/centers/Offers", "\(CampaignStory.list)/\(id)/messages",
                "\(CampaignStory.list)/\(id)", "\(Self.base)/inbox?key=\(key)",
                "\(CampaignStory.list)/\(id)/messages/recall?contact=\(key)",
            ] {
                let page = try await marketer.get(address)
                #expect(page.status == .ok, "\(address)")
                #expect(!page.text.contains("<script>alert") && !page.text.contains("<img src=x"), "\(address)")
            }
        }
    }
}
