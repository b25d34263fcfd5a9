import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Testing

struct ContentTemplateTests {
    private static let content = PushContent(
        title: "Hi {{contact.city}}", subtitle: "plain", body: "{{city}}, {{device.locale}}, {{contact.key}}",
        imageUrl: "https://example.com/{{city}}.png",
        action: NotificationAction(type: .openUrl, url: "shop://c/{{city}}"),
        buttons: [NotificationButton(id: "b", text: "{{age}}", action: .init(type: .openUrl, url: "{{link}}"))],
        custom: ["sku": "{{city}}", "count": 3, "fixed": "x"]
    )

    @Test("CAMP-4: every templated field has its own placeholder, and each variable is read once")
    func compiled() throws {
        let template = try ContentTemplate(Self.content, schema: templateSchema)
        #expect(
            template.variables == [
                .attribute("city"), .device(.locale), .contactKey, .attribute("age"), .attribute("link"),
            ]
        )
        let content = template.content
        #expect(
            content.title == TextPlaceholder.marker(0) && content.subtitle == "plain"
                && content.body == TextPlaceholder.marker(1))
        #expect(content.imageUrl == TextPlaceholder.marker(2) && content.action?.url == TextPlaceholder.marker(3))
        #expect(content.buttons?.first?.text == TextPlaceholder.marker(4))
        #expect(content.buttons?.first?.action?.url == TextPlaceholder.marker(5))
        #expect(content.custom == ["sku": .string(TextPlaceholder.marker(6)), "count": 3, "fixed": "x"])
        let texts = try template.render(["São Paulo/1", "fr", "anna", "31", "https://example.com/?a=1&b=2"])
        #expect(
            texts == [
                "Hi São Paulo/1", "São Paulo/1, fr, anna", "https://example.com/S%C3%A3o%20Paulo%2F1.png",
                "shop://c/S%C3%A3o%20Paulo%2F1", "31", "https://example.com/?a=1&b=2", "São Paulo/1",
            ]
        )
    }

    @Test("CAMP-4: a content without tags has no placeholders and no variables")
    func plain() throws {
        let content = PushContent(
            title: "50 % {off}", body: "a } b }}", action: .init(type: .openUrl, url: "app://x?y=%7B"))
        let template = try ContentTemplate(content, schema: [:])
        #expect(template.variables.isEmpty && template.content == content)
        #expect(try template.render([]) == [])
    }

    @Test("CAMP-4: a default replaces a variable without a value; sections test the value itself")
    func defaults() throws {
        let body = "{{city}}{{#city}}!{{/city}}{{^city}}?{{/city}}"
        #expect(try rendered(body, ["city": "Paris"], defaults: ["city": "you"]) == "Paris!")
        #expect(try rendered(body, [:], defaults: ["city": "you"]) == "you?")
        #expect(try rendered(body, [:], defaults: ["contact.city": "you"]) == "you?")
        #expect(try rendered("{{device.locale}}", [:], defaults: ["device.locale": "{{x}}"]) == "{{x}}")
    }

    @Test("CAMP-4: a variable without a value and a default cannot render; the error says which and where")
    func missing() throws {
        let template = try ContentTemplate(Self.content, schema: templateSchema)
        #expect(
            throws: RenderError(
                field: "body", variable: "device.locale",
                sentence: "There is no value for {{device.locale}}, and no default."
            )
        ) { try template.render(["Paris", nil, "anna", "31", "https://example.com"]) }
        #expect(throws: RenderError.self) { try template.render(["Paris", "", "anna", "31", "https://example.com"]) }
        #expect(try rendered("a{{#city}}{{city}}{{/city}}") == "a")
        // As it is written, for whoever looks for it in the text.
        let prefixed = try ContentTemplate(
            PushContent(title: "a", body: "{{contact.city}} {{city}}"), schema: templateSchema)
        #expect(
            throws: RenderError(
                field: "body", variable: "city", sentence: "There is no value for {{contact.city}}, and no default."
            )
        ) { try prefixed.render([nil]) }
    }

    @Test("SEC-2: all texts of a content together have at most 4 MiB with a recipient's values")
    func manyTexts() throws {
        func template(_ count: Int) throws -> ContentTemplate {
            let pairs = (0..<count).map { ("\($0)", AttributeValue.string("{{city}}")) }
            return try ContentTemplate(
                PushContent(title: "a", body: "b", custom: Dictionary(uniqueKeysWithValues: pairs)),
                schema: templateSchema
            )
        }
        let city = String(repeating: "x", count: 65_536)
        #expect(try template(64).render([city]).count == 64)
        let error = #expect(throws: RenderError.self) { try template(65).render([city]) }
        #expect(error?.field.hasPrefix("custom.") == true)
        #expect(error?.sentence.contains("more than 4194304 bytes together") == true)
    }

    @Test("CAMP-4: a blank text is not a notification")
    func blank() throws {
        let template = try ContentTemplate(
            PushContent(title: "a", body: "{{#city}}b{{/city}} "), schema: templateSchema)
        #expect(
            throws: RenderError(field: "body", variable: "", sentence: "The text is empty.")
        ) { try template.render([nil]) }
        #expect(try template.render(["Paris"]) == ["b "])
    }

    @Test("CAMP-4: an attribute with the name of a device property is the contact's")
    func prefixes() throws {
        let content = PushContent(title: "{{device.locale}}", body: "{{contact.device.locale}}")
        let template = try ContentTemplate(content, schema: templateSchema)
        #expect(template.variables == [.device(.locale), .attribute("device.locale")])
    }

    @Test(
        "CAMP-4, SEC-4: an address that is one variable must become one that may be opened",
        arguments: [
            ("https://example.com/a?b=c#d", true), ("shop://cart", true), ("http://example.com", true),
            ("javascript:alert(1)", false), ("JaVaScript:alert(1)", false), ("data:text/html,x", false),
            ("file:///etc/passwd", false), ("nowhere", false), ("https://", false), ("https://:80/", false),
            ("https://exa mple.com", false), ("https://example.com/%4", false), (" https://example.com", false),
            ("java\nscript:x", false), ("https://example.com/é", false),
        ]
    )
    func wholeAddress(value: String, isAllowed: Bool) throws {
        let content = PushContent(title: "a", body: "b", action: .init(type: .openUrl, url: "{{link}}"))
        let template = try ContentTemplate(content, schema: templateSchema)
        if isAllowed {
            #expect(try template.render([value]) == [value])
        } else {
            let error = #expect(throws: RenderError.self) { try template.render([value]) }
            #expect(error?.field == "action.url" && error?.variable == "link")
        }
        #expect(templateErrors(with: value).isEmpty == isAllowed)
    }

    private func templateErrors(with address: String) -> [String] {
        BelfryCampaignsTests.templateErrors(
            PushContent(
                title: "a", body: "b", action: .init(type: .openUrl, url: "{{link}}"), defaults: ["link": address]
            )
        )
    }

    @Test("SEC-4: the scheme of an address is literal, and images and rich messages use https")
    func schemes() {
        func action(_ url: String, _ type: NotificationAction.Kind = .openUrl) -> [String] {
            BelfryCampaignsTests.templateErrors(PushContent(title: "a", body: "b", action: .init(type: type, url: url)))
        }
        #expect(action("{{city}}://x") == ["action.url invalidURL"])
        #expect(action("{{link}}/x") == ["action.url invalidURL"])
        #expect(action("{{#city}}https://example.com{{/city}}") == ["action.url invalidURL"])
        #expect(action("https://{{city}}.example.com/{{age}}?q={{link}}") == [])
        #expect(action("https://example.com/%{{age}}") == ["action.url invalidURL"])
        #expect(action("https://example.com/{{&link}}") == ["action.url unescapedTag"])
        #expect(action("http://example.com", .openRichMessage) == ["action.url invalidURL"])
        #expect(action("https://example.com", .openRichMessage) == [])
        let image = PushContent(title: "a", body: "b", imageUrl: "shop://x")
        #expect(BelfryCampaignsTests.templateErrors(image) == ["imageUrl invalidURL"])
    }

    @Test("CAMP-4: the minimum size that a content can have")
    func shortest() throws {
        let content = PushContent(title: "Hi {{city}}", body: "a{{#vip}}bbbb{{/vip}}c")
        let shortest = try ContentTemplate(content, schema: templateSchema).shortest
        #expect(shortest.title == "Hi " && shortest.body == "ac")
    }
}
