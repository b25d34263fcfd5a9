import BelfryModel
import BelfryServerModel
import BelfryServices
import Testing

@testable import BelfryConsole

@Suite("CON-5: the search in the list of campaigns")
struct CampaignSearchPageTests {
    private static func model(
        _ filter: CampaignFilter = CampaignFilter(), next: Int64? = nil, isCutShort: Bool = false,
        isFirstPage: Bool = true
    ) -> CampaignListModel {
        CampaignListModel(
            FoundCampaigns(campaigns: [], next: next, isCutShort: isCutShort), filter: filter, reviews: [:],
            asksForApproval: false, isFirstPage: isFirstPage, mayCompose: true, base: "/c", formToken: "t",
            formKey: "k"
        )
    }

    @Test("CON-11: an empty list says what to do first, an empty search what to try instead")
    func empty() {
        #expect(Self.model().isEmpty && Self.model().foundNothing == nil)
        let searched = Self.model(CampaignFilter(text: "x"))
        #expect(!searched.isEmpty && searched.foundNothing?.hasPrefix("No campaign is like this.") == true)
        let cut = Self.model(CampaignFilter(text: "x"), next: 7, isCutShort: true)
        #expect(cut.foundNothing == "None of the newest 2,000 matches. Search the older ones.")
        #expect(cut.olderTitle == "Search older ones" && cut.olderAddress == "/c?q=x&before=7")
    }

    @Test("CON-5: the links to further pages keep what was searched for")
    func links() {
        let filter = CampaignFilter(text: "50% off & more", status: .draft, kind: .push)
        let model = Self.model(filter, next: 9, isFirstPage: false)
        let query = "q=50%25%20off%20%26%20more&status=draft&kind=push"
        #expect(model.olderAddress == "/c?\(query)&before=9" && model.firstAddress == "/c?\(query)")
        #expect(Self.model(next: 9).olderAddress == "/c?before=9" && Self.model().firstAddress == "/c")
        #expect(model.statuses.first { $0.isChosen }?.choiceValue == "draft")
        #expect(model.kinds.first { $0.isChosen }?.choiceValue == "push")
    }

    @Test("CON-5: campaigns are found by a part of their name, a status and a kind; what is typed stays")
    func pages() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            for name in ["Autumn sale", "Winter <sale>", "Welcome"] {
                let draft = CampaignDraft(
                    name: name, kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B")
                )
                _ = try await console.services.campaigns.drafts.create(draft, app: story.app)
            }
            let viewer = try await story.person(.viewer)
            let found = try await viewer.get("\(CampaignStory.list)?q=SALE&status=draft&kind=").text
            #expect(found.contains("Autumn sale") && found.contains("Winter &lt;sale&gt;"))
            #expect(!found.contains(">Welcome<") && found.contains("value=\"SALE\""))
            let none = try await viewer.get("\(CampaignStory.list)?q=sale&status=paused").text
            #expect(none.contains("No campaign is like this.") && !none.contains("Autumn sale"))
            let odd = try await viewer.get("\(CampaignStory.list)?q=&status=nonsense&kind=nonsense").text
            #expect(odd.contains(">Welcome<") && odd.contains("Autumn sale"))
        }
    }

    @Test("CON-5: parts of campaigns have names that people know")
    func words() {
        #expect(DifferenceWords.field("push.title") == "Title")
        #expect(DifferenceWords.field("push.buttons[1].text") == "Push: buttons 2, text")
        #expect(DifferenceWords.field("inApp.content.buttonText") == "In-app message: content, button text")
        #expect(DifferenceWords.field("schedule.quietHours.from") == "When: quiet hours, from")
        #expect(DifferenceWords.field("odd") == "odd")
    }
}
