import BelfryInAppRenderer
import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct PageTests {
    @Test("IAM-12: a page is one text below 20 KB, without images and the marketer's HTML", arguments: Gallery.pages)
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

    @Test("IAM-12: no text of a message becomes a tag or an attribute, however it is written", arguments: 0..<30)
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

    @Test("IAM-12: the nonce and the actions are in data that cannot be ended early")
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

    @Test(
        "SEC-4, SEC-7: nothing ends the data's script, whatever is next to a tag",
        arguments: ["", "\u{0600}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F468}\u{200D}", "\r", "\u{110BD}"]
    )
    func dataBesideMarks(mark: String) throws {
        let name = "a\(mark)</script>\(mark)<script>1\(mark)<!--\(mark)>&\u{2028}\(mark)\u{2029}"
        let content = InAppContent(
            title: "x", buttons: [InAppButton(id: "go", text: "x", action: InAppAction(type: .event, name: name))]
        )
        let page = InAppPage.make(content, type: .modal, options: InAppPageOptions(bridge: .v3(campaignID: "7")))
        let bytes = Array(page.utf8)
        let start = try #require(Self.place(of: "id=\"page\">", in: bytes, from: 0)) + 10
        let end = try #require(Self.place(of: "</script", in: bytes, from: start))
        let data = bytes[start..<end]
        #expect(!data.contains { "<>&".utf8.contains($0) })
        #expect(Self.place(of: "\u{2028}", in: Array(data), from: 0) == nil)
        #expect(Self.place(of: "\u{2029}", in: Array(data), from: 0) == nil)
        #expect(bytes[end...].starts(with: "</script>\n<script>(function".utf8))
        let read = try #require(try JSONSerialization.jsonObject(with: Data(data)) as? [String: Any])
        let actions = try #require(read["actions"] as? [String: [String: String]])
        #expect(actions["go"]?["name"].map { Array($0.utf8) } == Array(name.utf8))
    }

    @Test("SEC-7: other scalars of those bytes are left as they are")
    func dataOfOthers() throws {
        let text = "\u{2027}\u{202A}\u{A8}\u{A9}\u{20A8}\u{E0A8}é"
        let options = InAppPageOptions(bridge: .belfry(nonce: text))
        let page = InAppPage.make(Gallery.sale, type: .modal, options: options)
        #expect(page.contains(text))
        #expect(try Self.data(of: page)["nonce"] as? String == text)
    }

    @Test(
        "SEC-4, SEC-7: no combining mark next to a quote, a sign or a name in a message becomes markup",
        arguments: ["\u{0600}", "\u{301}", "\u{200D}", "\u{FE0F}"]
    )
    func marks(mark: String) {
        for type in InAppType.allCases {
            let options = InAppPageOptions(bridge: .v3(campaignID: "7"), language: "en\(mark)_x\(mark)\" a=\"")
            let plain = InAppPage.make(Self.content { _ in "x" }, type: type, options: options)
            let marked = InAppPage.make(
                Self.content { _ in "x\(mark)\"\(mark)'\(mark)<\(mark)b\(mark)>\(mark)&\(mark)" }, type: type,
                options: options
            )
            #expect(Self.shape(of: marked) == Self.shape(of: plain))
            #expect(!marked.contains(" a=\""))
        }
        let html = "<meta\(mark) HTTP-Equiv\(mark)=refresh><meta http-equiv=refresh\(mark)>"
        let page = InAppPage.make(InAppContent(html: html), type: .html, options: InAppPageOptions(bridge: .preview))
        let frame = page.unicodeScalars.split(separator: "\"").map { String(String.UnicodeScalarView($0)) }
        let source = frame.first { $0.utf8.starts(with: "&lt;!DOCTYPE".utf8) } ?? ""
        #expect(Self.count("data-equiv", in: source) == 2 && Self.count("HTTP-Equiv", in: source) == 0)
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
        // The marketer's page is in one attribute: nothing of it is a tag of the page around.
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

    @Test("IAM-12: an invalid colour is left out")
    func colors() {
        var content = Gallery.colored
        content.colors?.text = "red;}*{display:none"
        content.colors?.dark?.button = "#12345"
        let html = InAppPage.make(content, type: .modal, options: InAppPageOptions(bridge: .preview))
        #expect(html.contains(":root{--bg:#FFF4E5;--fg:\(InAppPalette.light.text);--btn:#B34700;--btx:#FFFFFF}"))
        #expect(html.contains("{:root{--bg:#2B1600;--fg:#FFE3C2;--btn:\(InAppPalette.dark.button);--btx:#2B1600}}"))
    }

    @Test("IAM-12: a message of type action has no page")
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
            "\u{0600}",
            "\u{301}", "\u{200D}", "\u{FE0F}", "\r",
        ]
        return (0..<8).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }

    /// What a browser's parser turns on, outside of the page's data, where JSON has rules of its own. By bytes, as a
    /// browser reads.
    private static func shape(of html: String) -> [Int] {
        let bytes = Array(html.utf8)
        let start = place(of: "id=\"page\">", in: bytes, from: 0) ?? 0
        let end = place(of: "</script", in: bytes, from: start) ?? bytes.count
        let rest = bytes[..<start] + bytes[end...]
        return "<>\"'\0".utf8.map { mark in rest.count { $0 == mark } }
            + "<>&".utf8.map { mark in bytes[(start + 10)..<end].count { $0 == mark } }
    }

    private static func place(of text: String, in bytes: [UInt8], from start: Int) -> Int? {
        let data = Data(bytes)
        return data.range(of: Data(text.utf8), in: start..<data.count)?.lowerBound
    }

    private static func count(_ text: String, in whole: String) -> Int {
        let bytes = Array(whole.utf8)
        return bytes.indices.count { bytes[$0...].starts(with: text.utf8) }
    }

    private static func data(of html: String) throws -> [String: Any] {
        let start = try #require(html.range(of: "id=\"page\">")).upperBound
        let end = try #require(html.range(of: "</script>", range: start..<html.endIndex)).lowerBound
        let object = try JSONSerialization.jsonObject(with: Data(html[start..<end].utf8))
        return try #require(object as? [String: Any])
    }
}
