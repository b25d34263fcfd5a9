import BelfryModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-2: search and the command palette")
struct SearchPagesTests {
    private static let page = "/console/apps/shop/search"

    @Test("CON-2: one search finds pages, campaigns and devices, as a page without scripts")
    func search() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let none = try await marketer.get(Self.page)
            #expect(none.status == .ok && none.text.contains("Type a part of a campaign"))
            let found = try await marketer.get("\(Self.page)?q=autumn").text
            #expect(found.contains("href=\"/console/apps/shop/campaigns/\(id)\"") && found.contains("1 entry found."))
            let pages = try await marketer.get("\(Self.page)?q=calen").text
            #expect(pages.contains("href=\"/console/apps/shop/calendar\""))
            let device = try await marketer.get("\(Self.page)?q=\(CampaignStory.device(1))").text
            #expect(device.contains("/console/apps/shop/people?q=\(CampaignStory.device(1))"))
            let viewer = try await story.person(.viewer)
            let places = try await viewer.get("\(Self.page)?q=compose").text
            #expect(!places.contains("/campaigns/new"))
            #expect(try await marketer.get("\(Self.page)?q=compose").text.contains("/campaigns/new"))
            let outsider = try await console.visitor(as: "outsider")
            #expect(try await outsider.get("\(Self.page)?q=autumn").status == .notFound)
        }
    }

    @Test("CON-2: the palette gets options that say where they lead, and the page has a way to it without scripts")
    func palette() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            _ = try await story.compose(marketer)
            let page = try await marketer.get("/console/apps/shop").text
            #expect(page.contains("href=\"\(Self.page)\" data-palette"))
            #expect(page.contains("role=\"combobox\"") && page.contains("aria-controls=\"palette-list\""))
            #expect(page.contains("id=\"keys-on\"") && page.contains("<kbd>g</kbd> <kbd>k</kbd>"))
            let options = try await marketer.get("\(Self.page)?q=sale", isFragment: true).text
            #expect(
                options.contains("role=\"option\"") && options.contains("data-address=\"/console/apps/shop/campaigns/"))
            #expect(!options.contains("<html"))
            let nothing = try await marketer.get("\(Self.page)?q=%3Cscript%3E", isFragment: true).text
            #expect(nothing.contains("aria-disabled") && !nothing.contains("<script>"))
        }
    }

    @Test("CON-2: each part of the navigation has a key of its own, and none is a key that means something else")
    func keys() {
        let keys = NavigationSection.allCases.map(\.key)
        #expect(Set(keys).count == keys.count, "\(keys)")
        #expect(keys.allSatisfy { $0.utf8.count == 1 && !["g", "n", "/", "?"].contains($0) })
    }

    @Test("SEC-7: what was looked for comes back escaped, in addresses, too")
    func hostile() async throws {
        let text = "\"><script>\u{301}&x=1#'"
        let model = SearchModel(
            text, SearchResults(campaigns: [], contacts: [], devices: []), places: [], base: "/console/apps/shop"
        )
        let html = try PageTemplates(PageSources.all).render("search", model)
        // By bytes: beside a mark the last sign of the tag is another character.
        #expect(!html.utf8.contains("<script>".utf8) && html.utf8.contains("&quot;&gt;&lt;script&gt;".utf8))
        #expect(
            PersonAddress.of(device: text, contact: nil, base: "/b")
                == "/b/people?q=%22%3E%3Cscript%3E%CC%81%26x%3D1%23'")
    }
}
