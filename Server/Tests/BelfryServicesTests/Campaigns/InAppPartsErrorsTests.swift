import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

@testable import BelfryServices

/// The errors in the buttons, colors and variants of an in-app message.
struct InAppPartsErrorsTests {
    private func errors(_ change: (inout InAppDraft) -> Void) -> [String] {
        rejections(change).map { "\($0.field) \($0.code)" }
    }

    private func rejections(_ change: (inout InAppDraft) -> Void) -> [(field: String, code: String, message: String)] {
        var message = InAppDraft(
            type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "Hi")
        )
        change(&message)
        let draft = CampaignDraft(name: "Sale", kind: .inApp, audience: .everyone, inApp: message)
        do throws(ServiceError) {
            _ = try CampaignCheck.checked(draft, centers: [], texts: TextCompiler(schema: ["city": .string]))
            return []
        } catch {
            guard case .invalidFields(let first, let others) = error else { return [("\(error)", "", "")] }
            return ([first] + others).map { ($0.field, $0.error.code, $0.error.message) }
        }
    }

    private func button(_ action: InAppAction) -> InAppButton { button("go", "Go", action) }

    private func button(_ id: String, _ text: String, _ action: InAppAction) -> InAppButton {
        InAppButton(id: id, text: text, action: action)
    }

    @Test("IAM-12: a button has a unique id, a text, and an action with its required fields")
    func buttons() {
        let close = InAppAction(type: .close)
        #expect(errors { $0.content.buttons = [button(close), button("b", "B", close)] } == [])
        #expect(errors { $0.content.buttons = (0..<5).map { button("\($0)", "x", close) } } == [])
        #expect(
            errors { $0.content.buttons = (0..<6).map { button("\($0)", "x", close) } } == [
                "inApp.content.buttons tooMany"
            ])
        #expect(
            errors { $0.content.buttons = [button("a", "", close), button("a", " ", close)] } == [
                "inApp.content.buttons[0].text blank", "inApp.content.buttons[1].id duplicate",
                "inApp.content.buttons[1].text blank",
            ])
        for id in ["", " ", String(repeating: "x", count: 65), "a\0"] {
            #expect(
                errors { $0.content.buttons = [button(id, "x", close)] } == [
                    "inApp.content.buttons[0].id invalidLength"
                ])
        }
        let long = String(repeating: "x", count: 65)
        #expect(errors { $0.content.buttons = [button("a", long, close)] } == ["inApp.content.buttons[0].text tooLong"])
    }

    @Test("IAM-12: an action opens an address, or tracks an event, and has no unused fields")
    func actions() {
        let place = "inApp.content.buttons[0].action"
        func errors(_ action: InAppAction) -> [String] { self.errors { $0.content.buttons = [button(action)] } }
        #expect(errors(.init(type: .openUrl)) == ["\(place).url missing"])
        #expect(errors(.init(type: .openUrl, url: "shop://x")) == [] && errors(.init(type: .pushSettings)) == [])
        #expect(errors(.init(type: .openUrl, url: "javascript:1")) == ["\(place).url schemeNotAllowed"])
        #expect(errors(.init(type: .event)) == ["\(place).name missing"])
        #expect(errors(.init(type: .event, name: " ")) == ["\(place).name invalidName"])
        #expect(errors(.init(type: .event, name: "bonus", attributes: ["a": 1])) == [])
        let many = Dictionary(uniqueKeysWithValues: (0..<65).map { ("k\($0)", AttributeValue.number(1)) })
        #expect(errors(.init(type: .event, name: "bonus", attributes: many)) == ["\(place).attributes tooMany"])
        #expect(
            errors(.init(type: .event, name: "a", attributes: ["a": .number(.infinity)])) == [
                "\(place).attributes notEncodable"
            ])
        #expect(
            errors(.init(type: .close, url: "shop://x", name: "a", attributes: [:])) == [
                "\(place).url notTogether", "\(place).name notTogether", "\(place).attributes notTogether",
            ])
        #expect(self.errors { $0.content.action = .init(type: .openUrl) } == ["inApp.content.action.url missing"])
    }

    @Test("IAM-14: a text with too little contrast is refused, light and dark")
    func contrast() throws {
        let colors = "inApp.content.colors"
        func errors(_ own: InAppColors) -> [String] { self.errors { $0.content.colors = own } }
        #expect(errors(InAppColors()) == [])
        #expect(
            errors(InAppColors(background: "#000000", text: "#FFFFFF", button: "#ffffff", buttonText: "#000000")) == [])
        #expect(errors(InAppColors(background: "#777777", text: "#888888")) == ["\(colors).text lowContrast"])
        #expect(errors(InAppColors(button: "#FFFF00", buttonText: "#FFFFFF")) == ["\(colors).buttonText lowContrast"])
        #expect(errors(InAppColors(background: "#767676", text: "#FFFFFF")) == [])
        #expect(errors(InAppColors(background: "#787878", text: "#FFFFFF")) == ["\(colors).text lowContrast"])
        // With one of the two, the other is the message's own by itself.
        #expect(errors(InAppColors(background: "#000000")) == ["\(colors).background lowContrast"])
        #expect(errors(InAppColors(text: "#FFFFFF")) == ["\(colors).text lowContrast"])
        #expect(
            errors(InAppColors(dark: InAppDarkColors(background: "#FFFFFF"))) == [
                "\(colors).dark.background lowContrast"
            ])
        #expect(errors(InAppColors(dark: InAppDarkColors(background: "#FFFFFF", text: "#000000"))) == [])
        #expect(
            errors(InAppColors(background: "white", text: "#fff", dark: InAppDarkColors(button: "#12345G"))) == [
                "\(colors).text invalidColor", "\(colors).background invalidColor",
                "\(colors).dark.button invalidColor",
            ])
        let rejection = try #require(rejections { $0.content.colors = InAppColors(text: "#777777") }.first)
        #expect(rejection.message.contains("#777777 on #FFFFFF has a contrast of 4.4 to 1"))
    }

    @Test("CAMP-6: variants are for locales, know the buttons, and have only what the type shows")
    func variants() {
        let close = InAppAction(type: .close)
        #expect(
            errors {
                $0.content.buttons = [button(close)]
                $0.variants = ["fr": InAppVariant(title: "Salut", buttons: ["go": "Va"]), "de": InAppVariant()]
            } == [])
        #expect(
            errors {
                $0.content.buttons = [button(close)]
                $0.variants = [
                    "fr-CA": InAppVariant(title: " ", html: "<p>"),
                    "fr_CA": InAppVariant(buttons: ["stop": "x", "go": ""]),
                    "x": InAppVariant(),
                ]
            } == [
                "inApp.variants.fr-CA.html notTogether", "inApp.variants.fr-CA.title blank",
                "inApp.variants.fr_CA duplicate", "inApp.variants.fr_CA.buttons.go blank",
                "inApp.variants.fr_CA.buttons.stop unknownButton", "inApp.variants.x invalidLocale",
            ])
        #expect(
            errors {
                ($0.type, $0.content) = (.html, InAppContent(html: "<p>"))
                $0.variants = ["fr": InAppVariant(title: "a", html: "<script>")]
            } == ["inApp.variants.fr.title notTogether", "inApp.variants.fr.html scriptNotAllowed"])
    }

    @Test("CAMP-4: errors of a template are reported once, where it is written")
    func templates() {
        #expect(
            errors {
                $0.content = InAppContent(title: "{{shoe}}", buttons: [button(.init(type: .close))])
                $0.defaults = ["hat": "x", "city": ""]
                $0.variants = [
                    "fr": InAppVariant(body: "{{", buttons: ["go": "{{hat}}"]), "de": InAppVariant(title: "{{city}}"),
                ]
            } == [
                "inApp.defaults.city blank", "inApp.defaults.hat undefinedAttribute",
                "inApp.content.title undefinedAttribute", "inApp.variants.fr.body invalidTemplate",
                "inApp.variants.fr.buttons.go undefinedAttribute",
            ])
        #expect(
            errors { $0.defaults = ["city": String(repeating: "x", count: 1_001)] } == ["inApp.defaults.city tooLong"])
    }
}
