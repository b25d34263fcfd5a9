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
}
