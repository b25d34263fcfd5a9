import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Testing

struct InAppTemplateTests {
    private static let draft = InAppDraft(
        type: .modal, trigger: InAppTrigger(event: "session:start"),
        content: InAppContent(
            title: "Hi {{city}}", body: "{{{age}}} & {{city}}", imageUrl: "https://example.com/{{city}}.png",
            imageAlt: "{{city}} at night",
            buttons: [
                InAppButton(id: "go", text: "To {{city}}", action: .init(type: .openUrl, url: "shop://c/{{city}}")),
                InAppButton(id: "{{city}}", text: "No", action: .init(type: .event, name: "{{city}}")),
            ],
            action: .init(type: .openUrl, url: "https://example.com/?q={{city}}"), colors: .init(text: "#000000")
        ),
        variants: ["fr": InAppVariant(title: "Salut {{city}}", buttons: ["go": "A {{city}}"])]
    )

    private func rendered(_ draft: InAppDraft, _ values: [String: String]) throws -> InAppContent {
        let template = try InAppTemplate(draft, schema: templateSchema, allowsScripts: false)
        return try template.render(template.variables.map { values[$0.description] })
    }

    private func errors(_ content: InAppContent, defaults: [String: String]? = nil) -> [String] {
        do throws(TemplateErrors) {
            _ = try InAppTemplate(
                InAppDraft(type: .modal, content: content, defaults: defaults), schema: templateSchema,
                allowsScripts: false)
            return []
        } catch {
            return error.errors.map { "\($0.field) \($0.error.code)" }
        }
    }

    @Test("CAMP-4, IAM-1: a value is escaped in each field of a message as that field needs it")
    func escapes() throws {
        let template = try InAppTemplate(Self.draft, schema: templateSchema, allowsScripts: false)
        #expect(template.isTemplated && template.variables == [.attribute("city"), .attribute("age")])
        let content = try rendered(Self.draft, ["city": "<São> & 'o'", "age": "31"])
        let encoded = "%3CS%C3%A3o%3E%20%26%20%27o%27"
        #expect(content.title == "Hi <São> & 'o'" && content.body == "31 & <São> & 'o'")
        #expect(content.imageUrl == "https://example.com/\(encoded).png" && content.imageAlt == "<São> & 'o' at night")
        #expect(content.buttons?[0].text == "To <São> & 'o'")
        #expect(content.buttons?[0].action.url == "shop://c/\(encoded)")
        #expect(content.action?.url == "https://example.com/?q=\(encoded)")
        // Fields that name something are not texts.
        #expect(content.buttons?[1].id == "{{city}}" && content.buttons?[1].action.name == "{{city}}")
        let page = InAppDraft(type: .html, content: InAppContent(html: "<p title='{{city}}'>{{city}}</p>"))
        #expect(try rendered(page, ["city": "a'b"]).html == "<p title='a&#39;b'>a&#39;b</p>")
        let actions = InAppDraft(
            type: .action, content: InAppContent(actions: [.init(type: .openUrl, url: "shop://{{city}}")])
        )
        #expect(try rendered(actions, ["city": "a b"]).actions?.first?.url == "shop://a%20b")
    }

    @Test("SEC-8: values that would make megabytes of a short text are a render error, in HTML and in plain text")
    func tooLong() throws {
        let html = String(repeating: "{{city}}", count: 250)
        let page = InAppDraft(type: .html, content: InAppContent(html: html))
        #expect(try rendered(page, ["city": "Paris"]).html?.utf8.count == 1_250)
        // Each becomes `&#39;`.
        let error = #expect(throws: RenderError.self) {
            try rendered(page, ["city": String(repeating: "'", count: 4_096)])
        }
        #expect(
            error?.field == "html" && error?.sentence.contains("524288 bytes") == true, "\(String(describing: error))")
        let modal = InAppDraft(type: .modal, content: InAppContent(title: "Hi", body: html))
        #expect(try rendered(modal, ["city": "Paris"]).body?.utf8.count == 1_250)
        #expect(throws: RenderError.self) { try rendered(modal, ["city": String(repeating: "x", count: 4_096)]) }
        let section = InAppDraft(type: .html, content: InAppContent(html: "{{#city}}\(html.dropLast(16)){{/city}}"))
        #expect(throws: RenderError.self) { try rendered(section, ["city": String(repeating: "'", count: 4_096)]) }
    }

    @Test("CAMP-6: a variant's texts replace those of the content, its buttons stay the same")
    func variants() throws {
        let french = try rendered(Self.draft.variant("fr"), ["city": "Paris", "age": "31"])
        #expect(french.title == "Salut Paris" && french.body == "31 & Paris")
        #expect(french.buttons?.map(\.id) == ["go", "{{city}}"] && french.buttons?.map(\.text) == ["A Paris", "No"])
    }

    @Test("CAMP-4: a message that cannot be rendered is an error; an empty text is left out")
    func missing() throws {
        #expect(throws: RenderError.self) { try rendered(Self.draft, ["city": "Paris"]) }
        var draft = InAppDraft(
            type: .modal, content: InAppContent(title: "{{#vip}}Gold{{/vip}}", body: "{{#city}}x{{/city}}"))
        let schema = ["vip": AttributeType.boolean, "city": .string]
        func made(_ values: [String?]) throws -> InAppContent {
            try InAppTemplate(draft, schema: schema, allowsScripts: false).render(values)
        }
        let untitled = try made([nil, "Paris"])
        #expect(untitled.title == nil && untitled.body == "x")
        #expect(throws: RenderError.self) { try made([nil, nil]) }
        draft.content.imageUrl = "https://example.com/a.png"
        draft.content.imageAlt = "{{#city}}The sea{{/city}}"
        let image = try made([nil, nil])
        #expect(image.title == nil && image.body == nil && image.imageAlt == nil)
        #expect(try made([nil, "Paris"]).imageAlt == "The sea")
    }

    @Test("SEC-4, IAM-12: HTML that was saved before a newer rule is not sent")
    func saved() {
        for html in [
            "<a href=\"&#x{{#city}}6a{{/city}};avascript:1\">x</a>", "<scr{{!c}}ipt>1</script>", "<script>1</script>",
            "<svg><a><animate attributeName=href to=\"java{{!c}}script:1\"/></a></svg>",
            "<a href=\"{{^city}}https://x/{{/city}}{{link}}\">x</a>",
        ] {
            let draft = InAppDraft(type: .html, content: InAppContent(html: html))
            #expect(throws: TemplateErrors.self, "\(html)") { try rendered(draft, ["city": "Paris"]) }
        }
    }

    @Test("SEC-4: a value that looks like a template tag or HTML is text")
    func values() throws {
        for html in ["<p title='{{city}}'>{{city}}</p>", "<script>let a = 1</script><p>{{city}}</p>"] {
            let draft = InAppDraft(type: .html, content: InAppContent(html: html))
            let template = try InAppTemplate(draft, schema: templateSchema, allowsScripts: true)
            let made = try template.render(["{{# <script>"]).html
            #expect(made == html.replacing("{{city}}", with: "{{# &lt;script&gt;"))
        }
    }

    @Test("CAMP-4, ADM-3: a compile error has the field's path from the content on")
    func reportedErrors() {
        let action = InAppAction(type: .openUrl, url: "javascript:1")
        let content = InAppContent(
            title: "{{shoe}}", body: "{{", imageUrl: "http://example.com", imageAlt: "{{/x}}",
            buttons: [InAppButton(id: "a", text: "{{shoe}}", action: action)], action: action, actions: [action],
            html: "<p>{{{city}}}"
        )
        #expect(
            errors(content, defaults: ["hat": "x"]) == [
                "defaults.hat undefinedAttribute", "title undefinedAttribute", "body invalidTemplate",
                "imageUrl invalidURL", "imageAlt invalidTemplate", "html unescapedTag", "action.url schemeNotAllowed",
                "buttons[0].text undefinedAttribute", "buttons[0].action.url schemeNotAllowed",
                "actions[0].url schemeNotAllowed",
            ]
        )
    }
}
