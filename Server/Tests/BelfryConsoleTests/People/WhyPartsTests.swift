import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-9: what somebody lacks who was left out of an audience")
struct WhyPartsTests {
    @Test("CON-9, LED-2: who was not in the audience is told which parts of it hold for them now, and which do not")
    func parts() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let agent = try await story.person(.viewer)
            let (_, ann) = try await story.login("ann", on: CampaignStory.device(1))
            let draft = CampaignDraft(
                name: "For some", kind: .push, audience: .all([.known(true), .tag("vip")]),
                push: PushContent(title: "Hi", body: "Only today")
            )
            let id = try await console.services.campaigns.drafts.create(draft, app: story.app).id
            _ = try await console.services.campaigns.life.launch(id, app: story.app)
            await console.dispatcher.runUntilIdle()
            let page = try await agent.get("\(PeopleStory.list)/\(ann)/why?campaign=\(id)")
            #expect(page.text.contains("The device was not in the campaign&#39;s audience when it was planned."))
            #expect(page.text.contains("The conditions of the audience, and whether this device meets them now:"))
            let yes = try #require(page.text.range(of: ">Yes</span>"))
            let no = try #require(page.text.range(of: ">No</span>"))
            try #require(yes.upperBound < no.lowerBound)
            #expect(page.text[yes.upperBound..<no.lowerBound].contains("Devices of known contacts."))
            #expect(page.text[no.upperBound...].contains("whose contact has the tag"))
            // Whom it reached has nothing to lack.
            let sale = try await story.send("For all")
            let reached = try await agent.get("\(PeopleStory.list)/\(ann)/why?campaign=\(sale)")
            #expect(!reached.text.contains("The conditions of the audience"))
        }
    }

    @Test("CON-9, CON-11: a part is said as it holds, and so is one that takes too long to find out")
    func words() {
        func line(_ holds: Bool?) -> WhyAnswer.AudiencePartLine {
            WhyAnswer.AudiencePartLine(AudiencePart(condition: .known(true), holds: holds))
        }
        #expect(line(true).partChip.word == "Yes" && line(false).partChip.word == "No")
        #expect(line(nil).partChip.word == "Not known" && line(nil).partWords == "Devices of known contacts.")
    }
}
