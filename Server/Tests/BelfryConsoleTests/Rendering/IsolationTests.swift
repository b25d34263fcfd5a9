import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-11, SEC-7: a name moves nothing but itself, whatever its direction")
struct IsolationTests {
    /// Turns what follows around, and ends more than it begins.
    private static let name = "\u{202E}evil\u{2069}\u{2069} مرحبا"

    @Test("SEC-7: a value beside other things gets an element of its own, one that is alone keeps its own")
    func templates() {
        func isolated(_ text: String) -> String { TemplateIsolation(text).isolated }
        #expect(isolated("<p>{{a}} of {{b}}</p>") == "<p><bdi>{{a}}</bdi> of <bdi>{{b}}</bdi></p>")
        #expect(isolated("{{a}}") == "<bdi>{{a}}</bdi>")
        for alone in [
            "<td>{{a}}</td>", "<td>\n{{#a}}{{a}}{{/a}}</td>", "<a href=\"{{x}}\"{{#y}} class=\"{{y}}\"{{/y}}>{{a}}</a>",
            "<td>{{#a}}{{a}}{{/a}}{{^a}}<b>none</b>{{/a}}</td>", "<td>{{^a}}none{{/a}}{{#a}}{{a}}{{/a}}</td>",
            "<title>{{a}} · Belfry</title>", "<textarea>\n{{a}}</textarea>", "{{{a}}}", "{{> part}} text {{! why }}",
        ] {
            #expect(isolated(alone) == alone)
        }
        #expect(isolated("<p>{{#all}}{{.}}{{/all}}</p>") == "<p>{{#all}}<bdi>{{.}}</bdi>{{/all}}</p>")
        #expect(isolated("<p>{{#b}}x{{/b}}{{a}}</p>") == "<p>{{#b}}x{{/b}}<bdi>{{a}}</bdi></p>")
        #expect(isolated("<p><br>{{a}}</p>") == "<p><br><bdi>{{a}}</bdi></p>")
    }

    @Test("SEC-7: a value that stands beside other things is found, and one that nothing can close in stays found")
    func exposed() {
        func exposed(_ text: String) -> [String] { TemplateIsolation(text).exposed }
        #expect(exposed("<p>{{a}} of {{b}}</p><td>{{c}}</td>") == ["a", "b"])
        #expect(exposed("{{a}}") == ["a"] && exposed("<bdi>{{a}}</bdi> of <bdi>{{b}}</bdi>") == [])
        #expect(exposed("<title>{{a}} · Belfry</title><textarea>{{b}} </textarea>") == [])
        for stuck in ["<option>{{a}} ({{b}})</option>", "<text>{{a}} {{b}}</text>"] {
            #expect(exposed(TemplateIsolation(stuck).isolated) == ["a", "b"], "\(stuck)")
        }
    }

    @Test("SEC-7: every value on every page is isolated: by its element, or by one that it gets")
    func pages() {
        for (name, source) in PageSources.all {
            let exposed = TemplateIsolation(TemplateIsolation(source).isolated).exposed
            #expect(exposed.isEmpty, "\(name) has \(exposed) beside other things, where no element can stand")
        }
        // As they are written, pages do have names in sentences.
        #expect(PageSources.all.values.contains { !TemplateIsolation($0).exposed.isEmpty })
    }

    @Test("SEC-7: the style sheet isolates every element with which a name may stand in a line")
    func styles() throws {
        let css = String(decoding: try #require(AssetSources.all["console.css"]), as: UTF8.self)
        let rule = try #require(css.components(separatedBy: "\n").first { $0.contains("unicode-bidi: isolate") })
        let elements = Set(
            rule.prefix { $0 != ")" }.drop { $0 != "(" }.dropFirst().split(separator: ", ").map(String.init))
        for element in ["a", "b", "button", "code", "em", "kbd", "label", "q", "small", "span", "strong", "time"] {
            #expect(elements.contains(element), "\(element)")
        }
        // Those that make a line of their own are isolated by every browser; bdi is made for it.
        let blocks: Set<String> = [
            "p", "td", "th", "li", "dt", "dd", "div", "h1", "h2", "h3", "legend", "summary", "figcaption", "caption",
            "article", "section", "pre", "bdi", "label", "option", "title", "textarea", "text", "progress",
        ]
        for (name, source) in PageSources.all {
            for element in TemplateIsolation(source).holders {
                #expect(elements.contains(element) || blocks.contains(element), "\(element) in \(name)")
            }
        }
    }

    @Test("SEC-7: within a sentence a name that turns the direction is closed in, however many ends it has")
    func sentences() {
        #expect("Ann".isolated == "Ann" && "Zoë Ω Жук 漢字 👩‍👧".isolated == "Zoë Ω Жук 漢字 👩‍👧")
        #expect("مرحبا".isolated == "\u{2068}مرحبا\u{2069}")
        for text in [Self.name, "\u{2069}", "\u{2066}\u{2067}a", "\u{202B}x\u{2066}y\u{2069}\u{2069}z", "\u{200F}"] {
            var open = 0
            for (index, scalar) in text.isolated.unicodeScalars.enumerated() {
                if (0x2066...0x2068).contains(scalar.value) { open += 1 }
                if scalar.value == 0x2069 { open -= 1 }
                let isLast = index == text.isolated.unicodeScalars.count - 1
                #expect(isLast ? open == 0 : open > 0, "\(text.unicodeScalars.map(\.value))")
            }
        }
    }

    @Test("SEC-7: names of a person, an app and a campaign that turn the direction stay where they stand")
    func story() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            _ = try await console.services.apps.changeSettings(AppSettingsChange(), name: Self.name, of: story.app)
            let user = try await console.services.users.create(
                name: "mallory", displayName: Self.name, password: nil, isOperator: false,
                roles: [story.app.id: .marketer]
            )
            let browser = console.browser()
            browser.keep("belfry-session", try await console.services.signIn.begin(for: user.id, agent: "test").token)
            let id = try #require(try await story.compose(browser, ["name": Self.name]))
            let page = try await browser.get("\(CampaignStory.list)/\(id)").text
            #expect(page.contains("saved by \(Self.name.isolated) (mallory) at"))
            #expect(page.contains("<title>\(Self.name.isolated) · Belfry</title>"))
            #expect(page.contains("<h1>\(Self.name)</h1>") && page.contains("<strong>\(Self.name)</strong>"))
            let people = try await browser.get("\(CampaignStory.list)/\(id)/versions").text
            #expect(people.contains("<td>\(Self.name.isolated) (mallory)</td>"))
        }
    }
}
