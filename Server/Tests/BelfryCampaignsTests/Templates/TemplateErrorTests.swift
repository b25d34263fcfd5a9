import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Testing

struct TemplateErrorTests {
    @Test(
        "CAMP-4: an invalid template is refused with the place",
        arguments: [
            ("Hi {{city", "At line 1, column 4: this tag has no '}}'."),
            ("Hi {{{city}}", "At line 1, column 4: this tag has no '}}}'."),
            ("é\n\n 👩‍👩‍👧 {{#city}}x", "At line 3, column 4: 'city' is opened here, but never closed."),
            ("x{{/city}}", "At line 1, column 2: 'city' is closed here, but was never opened."),
            (
                "{{#city}}{{#age}}{{/city}}{{/age}}",
                "At line 1, column 18: 'city' is closed here, but 'age' was opened last."
            ),
            ("{{}}", "At line 1, column 1: this tag has no name."),
            ("{{#}}{{/}}", "At line 1, column 1: this tag has no name."),
            ("{{> header}}", "At line 1, column 1: a text cannot include another one ('> header')."),
            ("{{<base}}", "At line 1, column 1: a text cannot include another one ('<base')."),
            ("{{=<% %>=}}", "At line 1, column 1: the delimiters of tags cannot be changed ('=<% %>=')."),
            ("{{ci{ty}}", "At line 1, column 1: 'ci{ty' is not a name."),
        ]
    )
    func syntax(body: String, message: String) {
        let error = bodyError(body)
        #expect(error?.code == "invalidTemplate")
        #expect(error?.message == message)
    }

    @Test("CAMP-4: an undefined attribute is refused, with the nearest name")
    func undefined() {
        #expect(bodyError("{{cty}}")?.message == "The app has no attribute 'cty'. Did you mean 'city'?")
        #expect(bodyError("{{#shoe}}{{/shoe}}")?.code == "undefinedAttribute")
        #expect(bodyError("{{contact.shoe}}")?.code == "undefinedAttribute")
        #expect(bodyError("{{.}}")?.code == "undefinedAttribute")
        #expect(bodyError("{{device.pushToken}}")?.code == "undefinedVariable")
        #expect(bodyError("{{device.}}")?.code == "undefinedVariable")
    }

    @Test("CAMP-4: every error of a content is found, each with its field")
    func all() {
        let content = PushContent(
            title: "{{x}}", subtitle: "{{", body: "{{/a}}", imageUrl: "http://example.com/{{city}}",
            action: NotificationAction(type: .openUrl, url: "{{{link}}}"),
            buttons: [
                NotificationButton(id: "a", text: "fine"),
                NotificationButton(id: "b", text: "{{#", action: .init(type: .openUrl, url: "javascript:{{city}}")),
            ],
            custom: ["sku": "{{y}}", "count": 3], defaults: ["z": "1", "city": ""]
        )
        #expect(
            templateErrors(content) == [
                "defaults.city blank", "defaults.z undefinedAttribute", "title undefinedAttribute",
                "subtitle invalidTemplate", "body invalidTemplate", "imageUrl invalidURL", "action.url unescapedTag",
                "buttons[1].text invalidTemplate", "buttons[1].action.url schemeNotAllowed",
                "custom.sku undefinedAttribute",
            ]
        )
    }

    @Test("CAMP-4: limits on tags, depth and bytes")
    func bounds() {
        let tag = "{{vip}}"
        #expect(bodyError(String(repeating: tag, count: 256)) == nil)
        #expect(bodyError(String(repeating: tag, count: 257))?.code == "invalidTemplate")
        func nested(_ depth: Int) -> String {
            String(repeating: "{{#vip}}", count: depth) + "x" + String(repeating: "{{/vip}}", count: depth)
        }
        #expect(bodyError(nested(16)) == nil)
        #expect(bodyError(nested(17))?.code == "invalidTemplate")
        #expect(bodyError(tag + String(repeating: "x", count: 16_384 - tag.count)) == nil)
        #expect(bodyError(tag + String(repeating: "x", count: 16_385 - tag.count))?.code == "invalidTemplate")
    }

    @Test("CAMP-4: a text that consists of comments is blank")
    func comments() {
        #expect(bodyError("{{! later }} ")?.code == "blank")
    }

    @Test("CAMP-4: two spellings of one variable have one default")
    func defaults() {
        let content = PushContent(title: "a", body: "b", defaults: ["city": "a", "contact.city": "b"])
        #expect(templateErrors(content) == ["defaults.contact.city duplicate"])
    }

    @Test("CAMP-4: a text cannot contain a placeholder's own encoding", arguments: [0, 7])
    func forged(index: Int) {
        #expect(bodyError("a\(TextPlaceholder.marker(index))")?.code == "invalidCharacter")
        #expect(bodyError("{{city}}\(TextPlaceholder.marker(index))")?.code == "invalidCharacter")
    }
}
