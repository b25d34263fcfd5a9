import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-1, SEC-7: pages and what stands in them")
struct RenderingTests {
    @Test(
        "SEC-7: no value of a page becomes markup, whatever marks stand beside its signs", arguments: HostileText.marks)
    func escaping(_ text: String) throws {
        let page = try PageTemplates([
            "page": "<p title=\"{{value}}\">{{value}}{{> part}}</p>", "part": "<b>{{value}}</b>",
        ])
        let value = text + "\"><script>\u{301}<\u{200d}img src='x' onerror=\u{600}\"'\u{fe0f}&\u{0}"
        let html = try page.render("page", ["value": value])
        let inside = html.utf8.dropFirst("<p title=\"".utf8.count)
        // Those of the template, and of the element that isolates the value.
        #expect(inside.filter { $0 == UInt8(ascii: "<") }.count == 5, "\(html)")
        #expect(inside.filter { $0 == UInt8(ascii: "\"") }.count == 1)
        #expect(!html.utf8.contains(UInt8(ascii: "'")) && !html.utf8.contains(0))
    }

    @Test("SEC-7: a template escapes in loops, in partials and in blocks alike")
    func everywhere() throws {
        let pages = try PageTemplates([
            "outer": "{{<frame}}{{$body}}{{#list}}{{.}}{{/list}}{{/body}}{{/frame}}",
            "frame": "<i>{{$body}}{{/body}}</i>{{x}}",
        ])
        struct Model: Sendable {
            let list = ["<\u{301}a", "\"\u{301}"]
            let x = "'\u{600}"
        }
        let list = "<bdi>&lt;\u{301}a</bdi><bdi>&quot;\u{301}</bdi>"
        #expect(try pages.render("outer", Model()) == "<i>\(list)</i><bdi>&#39;\u{600}</bdi>")
    }

    @Test("CON-1: every page is compiled in, and no page has a script or a style of its own")
    func sources() throws {
        _ = try PageTemplates(PageSources.all)
        for (name, source) in PageSources.all {
            #expect(!source.contains(" style=") && !source.contains("<style"), "\(name)")
            #expect(!source.contains(" onclick") && !source.contains("javascript:"), "\(name)")
            let scripts = source.components(separatedBy: "<script").dropFirst()
            #expect(scripts.allSatisfy { $0.hasPrefix(" type=\"module\" src=") }, "\(name)")
            // Only the layouts take what another template has rendered.
            let raw = source.components(separatedBy: "{{{").count - 1
            #expect(raw == (name.hasPrefix("layout") ? 1 : 0), "\(name)")
        }
    }

    @Test("CON-1: the policy allows nothing unsafe, and a page loads only the console's own files")
    func policy() async throws {
        #expect(!PageRenderer.policy.contains("unsafe"))
        try await TestConsole.run { console in
            let page = try await console.browser().get("/console/sign-in")
            #expect(page.headers[.contentSecurityPolicy] == PageRenderer.policy)
            let files = page.text.components(separatedBy: "/console/assets/").dropFirst().map {
                $0.prefix { $0 != "\"" }
            }
            #expect(Set(files.map { $0.split(separator: "/")[1] }) == ["belfry.svg", "console.css", "console.js"])
            for file in files {
                let asset = try await console.browser().get("/console/assets/\(file)")
                #expect(asset.status == .ok && asset.headers[.cacheControl]?.contains("immutable") == true)
            }
        }
    }

    @Test("CON-7: an event of a live page has as many lines as its text, and nothing in it ends the event")
    func liveEvent() {
        let event = String(
            decoding: PageRenderer.event(named: "progress", data: "<p>\n\n\revent: x</p>"), as: UTF8.self)
        #expect(event == "event: progress\ndata: <p>\ndata: \ndata: event: x</p>\n\n")
    }

    @Test("CON-11: figures read as people write them")
    func figures() {
        #expect([0, 7, 999, 1_000, 1_234_567].map { Figures.count($0) } == ["0", "7", "999", "1,000", "1,234,567"])
        #expect(Figures.share(0, of: 9) == "0 %" && Figures.share(1, of: 1_000) == "< 1 %")
        #expect(Figures.share(999, of: 1_000) == "> 99 %" && Figures.share(9, of: 9) == "100 %")
        #expect(Figures.share(1, of: 0) == "–")
        #expect(Moment.text(Date(timeIntervalSince1970: 1_795_000_000)) == "18 Nov 2026, 11:06 UTC")
    }

    @Test("SEC-6: forms are read by bytes within limits; what is no form is none")
    func forms() {
        let form = FormFields("a=1&b=%C3%A9+x&a=2&empty=&none".utf8)
        #expect(form?.all("a") == ["1", "2"] && form?["b"] == "é x" && form?["empty"] == "" && form?["missing"] == "")
        #expect(FormFields("a=b%0D%0Ac".utf8)?["a"] == "b\nc")
        for text in ["a=%", "a=%4", "a=%zz", "a=%FF", "a=%00"] { #expect(FormFields(text.utf8) == nil, "\(text)") }
        #expect(FormFields(String(repeating: "a&", count: FormFields.maximumFields + 1).utf8) == nil)
    }
}
