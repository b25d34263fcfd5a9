import BelfryInAppRenderer
import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct PageTests {
    @Test("IAM-12: a page is one text below 20 KB, beside its images and the marketer's HTML", arguments: Gallery.pages)
    func size(page: GalleryPage) throws {
        var bare = page.content
        bare.imageUrl = bare.imageUrl.map { _ in "https://example.com/i.png" }
        if bare.html != nil { bare.html = "" }
        let html = InAppPage.make(bare, type: page.type, options: page.options)
        #expect(html.utf8.count < InAppPage.maximumBytes)
        if let folder = ProcessInfo.processInfo.environment["BELFRY_TEST_IN_APP_PAGES"] {
            try Data(page.html.utf8).write(to: URL(filePath: folder).appending(path: page.name + ".html"))
        }
    }

    @Test("IAM-12: no text of a message, however it is written, becomes a tag or an attribute", arguments: 0..<30)
    func escaping(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for type in InAppType.allCases {
            for bridge in [InAppBridge.belfry(nonce: "n"), .v3(campaignID: "7"), .preview] {
                let options = InAppPageOptions(bridge: bridge, language: "en")
                let plain = InAppPage.make(Self.content { _ in "x" }, type: type, options: options)
                let hostile = InAppPage.make(
                    Self.content { _ in "x" + Self.hostile(using: &generator) }, type: type, options: options
                )
                #expect(Self.shape(of: hostile) == Self.shape(of: plain))
            }
        }
    }

    @Test("IAM-12: the nonce and the actions stand in data that ends nowhere early")
    func data() throws {
        let options = InAppPageOptions(bridge: .belfry(nonce: "</script><script>1"))
        let html = InAppPage.make(Gallery.sale, type: .modal, options: options)
        #expect(try Self.data(of: html)["nonce"] as? String == "</script><script>1")
        #expect(try Self.data(of: html)["actions"] == nil)
        let third = InAppPage.make(Gallery.sale, type: .modal, options: InAppPageOptions(bridge: .v3(campaignID: "7")))
        let actions = try #require(try Self.data(of: third)["actions"] as? [String: [String: String]])
        #expect(actions["shop"] == ["type": "openUrl", "url": "https://example.com/sale"])
        #expect(try Self.data(of: third)["nonce"] == nil)
    }

    @Test("IAM-12: links of refused schemes are never in a page's list")
    func schemes() throws {
        var options = InAppPageOptions(bridge: .preview)
        options.linkSchemes = ["https", "javascript", "data", "file", "shop"]
        let html = InAppPage.make(Gallery.sale, type: .modal, options: options)
        #expect(try Self.data(of: html)["schemes"] as? [String] == ["https", "shop"])
    }

    @Test("IAM-12: only the page's own scripts run, unless the app allows the marketer's")
    func policy() throws {
        var page = try #require(Gallery.pages.first { $0.name == "html-hostile" })
        #expect(!page.html.contains("script-src 'unsafe-inline'"))
        #expect(page.html.contains("sandbox=\"allow-scripts\"") && !page.html.contains("allow-same-origin"))
        #expect(!page.html.contains("http-equiv=&quot;refresh"))
        // The marketer's page stands in one attribute: nothing of it is a tag of the page around.
        #expect(page.html.ranges(of: "<script").count == 2 && page.html.ranges(of: "<iframe").count == 1)
        page.options.allowsScripts = true
        #expect(page.html.contains("script-src 'unsafe-inline'") && !page.html.contains("allow-same-origin"))
        #expect(!page.html.contains("'sha256-"))
    }

    @Test(
        "IAM-12: nothing but https and data images is loaded",
        arguments: ["http://example.com/i.png", "javascript:1", "file:///i.png", "data:text/html,a", "i.png", ""]
    )
    func images(url: String) {
        let html = InAppPage.make(Gallery.withImage(url), type: .modal, options: InAppPageOptions(bridge: .preview))
        #expect(!html.contains("<img"))
    }

    @Test("IAM-12: a colour that is none is left out")
    func colors() {
        var content = Gallery.colored
        content.colors?.text = "red;}*{display:none"
        content.colors?.dark?.button = "#12345"
        let html = InAppPage.make(content, type: .modal, options: InAppPageOptions(bridge: .preview))
        #expect(html.contains(":root{--bg:#FFF4E5;--fg:\(InAppPalette.light.text);--btn:#B34700;--btx:#FFFFFF}"))
        #expect(html.contains("{:root{--bg:#2B1600;--fg:#FFE3C2;--btn:\(InAppPalette.dark.button);--btx:#2B1600}}"))
    }

    @Test("IAM-12: an action is no page to look at")
    func action() {
        let content = InAppContent(actions: [InAppAction(type: .event, name: "a")])
        let html = InAppPage.make(content, type: .action, options: InAppPageOptions(bridge: .preview))
        #expect(!html.contains("id=\"card\""))
    }
}

extension PageTests {
    /// All texts of a message, each written by a closure.
    private static func content(_ text: (String) -> String) -> InAppContent {
        InAppContent(
            title: text("title"), body: text("body"), imageUrl: "https://example.com/" + text("image"),
            imageAlt: text("alt"),
            buttons: [
                InAppButton(
                    id: text("id"), text: text("button"), action: InAppAction(type: .openUrl, url: text("url"))
                )
            ],
            action: InAppAction(type: .event, name: text("name"), attributes: [text("key"): .string(text("value"))]),
            html: text("html")
        )
    }

    private static func hostile(using generator: inout SeededGenerator) -> String {
        let pieces = [
            "<", ">", "\"", "'", "&", "</script>", "<!--", "-->", "]]>", "=", "a", "\0", "\u{2028}", "&quot;",
        ]
        return (0..<8).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }

    /// What a browser's parser turns on, outside of the page's data, where JSON has rules of its own.
    private static func shape(of html: String) -> [Int] {
        let parts = html.components(separatedBy: "id=\"page\">")
        let data = (parts.last ?? "").components(separatedBy: "</script>")
        let rest = parts[0] + data.dropFirst().joined(separator: "</script>")
        return ["<", ">", "\"", "'", "\0"].map { mark in rest.count { String($0) == mark } }
            + [data[0].count { $0 == "<" }]
    }

    private static func data(of html: String) throws -> [String: Any] {
        let start = try #require(html.range(of: "id=\"page\">")).upperBound
        let end = try #require(html.range(of: "</script>", range: start..<html.endIndex)).lowerBound
        let object = try JSONSerialization.jsonObject(with: Data(html[start..<end].utf8))
        return try #require(object as? [String: Any])
    }
}
