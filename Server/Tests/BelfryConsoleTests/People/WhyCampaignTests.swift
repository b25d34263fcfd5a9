import BelfryModel
import BelfryServerModel
import BelfryServices
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("CON-9: which campaign a question is about")
struct WhyCampaignTests {
    @Test("CON-9: a typed number is the id of a campaign that is there, else a part of a name")
    func numbers() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let agent = try await story.person(.viewer)
            let (_, ann) = try await story.login("ann", on: CampaignStory.device(1))
            let sale = try await story.send("Sale of 2026")
            let why = "\(PeopleStory.list)/\(ann)/why"
            let named = try await agent.get("\(why)?q=2026")
            #expect(named.status == .ok && named.text.contains("Sale of 2026"))
            #expect(named.text.contains("value=\"2026\"") && !named.text.contains("Evidence"))
            #expect(try await agent.get("\(why)?q=\(sale)").text.contains("Evidence"))
            #expect(try await agent.get("\(why)?campaign=2026").status == .notFound)
        }
    }

    @Test("CON-9: only what was launched is offered; a draft stands in no list, and is chosen nowhere")
    func drafts() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let agent = try await story.person(.viewer)
            let (_, ann) = try await story.login("ann", on: CampaignStory.device(1))
            let pages = ["?q=ann", "/\(ann)", "/\(ann)/why"]
            for page in pages {
                let text = try await agent.get(PeopleStory.list + page).text
                #expect(text.contains("No campaign was launched yet"), "\(page)")
            }
            let sale = try await story.send("Autumn sale")
            let draft = CampaignDraft(
                name: "Winter draft", kind: .push, audience: .everyone, push: PushContent(title: "Hi", body: "Soon")
            )
            let id = try await console.services.campaigns.drafts.create(draft, app: story.app).id
            for page in pages {
                let text = try await agent.get(PeopleStory.list + page).text
                #expect(text.contains("<option value=\"\(sale)\"") && !text.contains("Winter draft"), "\(page)")
            }
            let asked = try await agent.get("\(PeopleStory.list)/\(ann)/why?q=\(id)")
            #expect(asked.text.contains("The campaign has not been launched, so no device has received it."))
            let named = try await agent.get("\(PeopleStory.list)/\(ann)/why?q=Winter")
            #expect(named.text.contains("No campaign of this name was launched."))
        }
    }
}
