import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Testing

struct MessageCenterTemplateTests {
    private static let content = MessageCenterContent(
        center: "news", subject: "Hi {{city}}", message: "{{city}} & {{{age}}}",
        iconUrl: "https://example.com/{{city}}.png", deeplinkUrl: "shop://c/{{city}}",
        richUrl: "https://example.com/?q={{city}}", richHtml: "<p title='{{city}}'>{{city}}</p>",
        badge: BadgeChange(op: .increment), custom: ["sku": "{{city}}", "count": 3, "fixed": "x"]
    )

    private static func rendered(_ content: MessageCenterContent, _ values: [String: String]) throws
        -> MessageCenterContent
    {
        let template = try MessageCenterTemplate(content, schema: templateSchema)
        return try template.render(template.variables.map { values[$0.description] })
    }

    private static func errors(_ content: MessageCenterContent) -> [String] {
        do throws(TemplateErrors) {
            _ = try MessageCenterTemplate(content, schema: templateSchema)
            return []
        } catch {
            return error.errors.map { "\($0.field) \($0.error.code)" }
        }
    }

    @Test("CAMP-4, MC-8: a value is escaped in each field of a message as that field needs it")
    func escapes() throws {
        let template = try MessageCenterTemplate(Self.content, schema: templateSchema)
        #expect(template.variables == [.attribute("city"), .attribute("age")])
        #expect(template.isTemplated && template.hasTemplatedRichHTML)
        let message = try template.render(["<São> & 'o'", "31"])
        #expect(message.subject == "Hi <São> & 'o'" && message.message == "<São> & 'o' & 31")
        let encoded = "%3CS%C3%A3o%3E%20%26%20%27o%27"
        #expect(message.iconUrl == "https://example.com/\(encoded).png")
        #expect(message.deeplinkUrl == "shop://c/\(encoded)")
        #expect(message.richUrl == "https://example.com/?q=\(encoded)")
        let html = "&lt;São&gt; &amp; &#39;o&#39;"
        #expect(message.richHtml == "<p title='\(html)'>\(html)</p>")
        #expect(message.custom == ["sku": "<São> & 'o'", "count": 3, "fixed": "x"])
        #expect(message.center == "news" && message.badge == BadgeChange(op: .increment))
        #expect(message.variants == nil && message.defaults == nil)
    }

    @Test("CAMP-4: a message without tags is the same for all and unchanged")
    func plain() throws {
        let content = MessageCenterContent(
            subject: "50 % {off}", message: "a } b }}", deeplinkUrl: "app://x?y=%7B",
            richHtml: "<style>a{b:c}</style><p>&amp;"
        )
        let template = try MessageCenterTemplate(content, schema: [:])
        #expect(!template.isTemplated && !template.hasTemplatedRichHTML && template.variables.isEmpty)
        #expect(try template.render([]) == content)
        let subjectOnly = MessageCenterContent(subject: "{{city}}", message: "b", richHtml: "<p>")
        let half = try MessageCenterTemplate(subjectOnly, schema: templateSchema)
        #expect(half.isTemplated && !half.hasTemplatedRichHTML)
    }

    @Test("CAMP-4, SEC-4: HTML accepts no unescaped value, and every error names its field")
    func reportedErrors() {
        let content = MessageCenterContent(
            subject: "{{shoe}}", message: "{{", iconUrl: "http://example.com", deeplinkUrl: "javascript:x",
            richUrl: "shop://x", richHtml: "<p>{{{city}}}</p>", custom: ["sku": "{{#city}}"],
            defaults: ["shoe": "x"]
        )
        #expect(
            Self.errors(content) == [
                "defaults.shoe undefinedAttribute", "subject undefinedAttribute", "message invalidTemplate",
                "iconUrl invalidURL", "deeplinkUrl schemeNotAllowed", "richUrl invalidURL", "richHtml unescapedTag",
                "custom.sku invalidTemplate",
            ]
        )
        let raw = MessageCenterContent(subject: "a", message: "b", richHtml: "{{&city}}")
        #expect(Self.errors(raw) == ["richHtml unescapedTag"])
        let gap = MessageCenterContent(subject: "a", message: "b", richHtml: "<p>" + TextPlaceholder.marker(0))
        #expect(Self.errors(gap) == ["richHtml invalidCharacter"])
    }

    @Test("CAMP-4: a missing value is an error with its field; defaults and sections help")
    func missing() throws {
        let fault = #expect(throws: RenderError.self) { try Self.rendered(Self.content, ["city": "Paris"]) }
        #expect(fault?.field == "message" && fault?.variable == "age")
        let blank = MessageCenterContent(subject: "{{#vip}}a{{/vip}} ", message: "b")
        #expect(throws: RenderError.self) { try Self.rendered(blank, [:]) }
        let html = MessageCenterContent(
            subject: "a", message: "b", richHtml: "<p>{{city}}{{^city}}!{{/city}}", defaults: ["city": "<you>"]
        )
        #expect(try Self.rendered(html, [:]).richHtml == "<p>&lt;you&gt;!")
    }

    @Test("CAMP-4, SEC-4: a value stays text between the tags, whatever it contains", arguments: 1...4)
    func values(seed: UInt64) throws {
        var dice = TemplateDice(seed: seed)
        let content = MessageCenterContent(subject: "a", message: "b", richHtml: "<p>{{city}}</p>")
        for _ in 0..<200 {
            let value = dice.value()
            let html = try #require(try Self.rendered(content, ["city": value]).richHtml)
            let inside = html.dropFirst("<p>".count).dropLast("</p>".count)
            #expect(!inside.contains { "<>\"'\0".contains($0) })
            let text = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
                .reduce(String(inside)) { $0.replacing($1.0, with: $1.1) }
            #expect(Array(text.utf8) == Array(value.replacing("\0", with: "\u{FFFD}").utf8))
        }
    }

    @Test("CAMP-4: HTML with tags may be as long as rich content, another text may not")
    func length() {
        let tag = "{{city}}"
        let limit = MessageCenterLimits.maximumRichHTMLBytes
        func html(_ bytes: Int) -> MessageCenterContent {
            MessageCenterContent(
                subject: "a", message: "b", richHtml: tag + String(repeating: "x", count: bytes - tag.utf8.count)
            )
        }
        #expect(Self.errors(html(limit)) == [])
        #expect(Self.errors(html(limit + 1)) == ["richHtml invalidTemplate"])
        let text = MessageCenterContent(subject: "a", message: tag + String(repeating: "x", count: 16_384))
        #expect(Self.errors(text) == ["message invalidTemplate"])
    }
}
