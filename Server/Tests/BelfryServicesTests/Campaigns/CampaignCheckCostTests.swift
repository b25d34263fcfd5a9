import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Testing

@testable import BelfryServices

/// The texts that a check compiles, without a store: one call with an app's key must not cause unbounded work (SEC-8).
struct CampaignCheckCostTests {
    private static let schema: [String: AttributeType] = ["city": .string, "link": .string]
    private static let html = String(repeating: "<p>Hello {{city}}</p>", count: 100)

    /// The reported errors, and how many texts were compiled for them.
    private func check(_ draft: CampaignDraft) -> (errors: [String], texts: Int) {
        let texts = TextCompiler(schema: Self.schema)
        do throws(ServiceError) {
            _ = try CampaignCheck.checked(draft, centers: [MessageCenter(name: .primary)], texts: texts)
            return ([], texts.count)
        } catch {
            guard case .invalidFields(let first, let others) = error else { return (["\(error)"], texts.count) }
            return (([first] + others).map { "\($0.field) \($0.error.code)" }, texts.count)
        }
    }

    private func check(_ message: MessageCenterContent) -> (errors: [String], texts: Int) {
        check(CampaignDraft(name: "Sale", kind: .messageCenter, audience: .everyone, messageCenter: message))
    }

    private func check(_ push: PushContent) -> (errors: [String], texts: Int) {
        check(CampaignDraft(name: "Sale", kind: .push, audience: .everyone, push: push))
    }

    private func check(_ message: InAppDraft) -> (errors: [String], texts: Int) {
        check(CampaignDraft(name: "Sale", kind: .inApp, audience: .everyone, inApp: message))
    }

    private static func inApp(_ type: InAppType, _ content: InAppContent) -> InAppDraft {
        InAppDraft(type: type, trigger: InAppTrigger(event: "session:start"), content: content)
    }

    /// By different locales.
    private static func variants<Variant>(_ count: Int, _ make: (Int) -> Variant) -> [String: Variant] {
        Dictionary(
            uniqueKeysWithValues: (0..<count).map { number in
                let letters = [number / 26, number % 26].compactMap { UnicodeScalar(97 + $0).map(String.init) }
                return ("a" + letters.joined(), make(number))
            }
        )
    }

    private static func defaults(_ count: Int) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("unknown\($0)", "x") })
    }

    @Test("SEC-8, CAMP-4: a text that all variants inherit from the content is compiled once")
    func inherited() {
        var message = MessageCenterContent(subject: "{{city}}", message: "There", richHtml: Self.html)
        message.variants = Self.variants(100) { _ in MessageCenterVariant() }
        var found = check(message)
        #expect(found.errors == [] && found.texts == 3)
        message.variants = Self.variants(100) { MessageCenterVariant(subject: "{{link}} \($0)") }
        found = check(message)
        #expect(found.errors == [] && found.texts == 103)

        var push = PushContent(title: "{{city}}", body: "There", custom: ["a": "{{link}}", "b": "{{city}}"])
        push.variants = Self.variants(100) { PushVariant(title: "{{link}} \($0)") }
        found = check(push)
        // The title's text is compiled again as a custom text, because that may be empty.
        #expect(found.errors == [] && found.texts == 104)

        var inApp = Self.inApp(.html, InAppContent(html: Self.html))
        inApp.variants = Self.variants(100) { _ in InAppVariant() }
        found = check(inApp)
        #expect(found.errors == [] && found.texts == 1)
    }

    @Test("SEC-8: an invalid text is compiled once as well, and each field with it is reported")
    func faulty() {
        var message = MessageCenterContent(subject: "Hi", message: "There", richHtml: "<script>")
        message.variants = Self.variants(3) { _ in MessageCenterVariant(richHtml: "<script>") }
        let (errors, texts) = check(message)
        #expect(texts == 3)
        #expect(Set(errors.map { $0.prefix { $0 != " " } }).count == 4)
    }

    @Test("SEC-8: too many defaults are reported, and none is checked")
    func defaults() {
        var message = MessageCenterContent(subject: "Hi", message: "There", defaults: Self.defaults(20_000))
        message.variants = Self.variants(100) { _ in MessageCenterVariant() }
        #expect(check(message).errors == ["messageCenter.defaults tooMany"])
        // Up to the maximum, all are reported.
        message.defaults = Self.defaults(100)
        #expect(check(message).errors.count == 100)

        var push = PushContent(title: "a", body: "b", defaults: Self.defaults(101))
        #expect(check(push).errors == ["push.defaults tooMany"])
        push.defaults = Self.defaults(100)
        #expect(check(push).errors.count == 100)
        var inApp = Self.inApp(.modal, InAppContent(title: "a"))
        inApp.defaults = Self.defaults(101)
        #expect(check(inApp).errors == ["inApp.defaults tooMany"])
        inApp.defaults = Self.defaults(100)
        #expect(check(inApp).errors.count == 100)

        // A message takes the defaults of the push beside it, unless they are too many.
        let kept = CampaignDraft(
            name: "Sale", kind: .pushAndMessageCenter, audience: .everyone,
            push: PushContent(title: "a", body: "b", defaults: Self.defaults(101)),
            messageCenter: MessageCenterContent(defaults: Self.defaults(101))
        )
        #expect(check(kept).errors == ["push.defaults tooMany", "messageCenter.defaults tooMany"])
    }

    @Test("SEC-8: too many variants are reported, and none is checked")
    func variants() {
        var push = PushContent(title: "a", body: "b", variants: Self.variants(101) { PushVariant(title: "{{ \($0)") })
        var found = check(push)
        #expect(found.errors == ["push.variants tooMany"] && found.texts == 2)
        push.variants = Self.variants(100) { PushVariant(title: "{{ \($0)") }
        found = check(push)
        #expect(found.errors.count == 100 && found.texts == 102)

        var message = MessageCenterContent(subject: "a", message: "b")
        message.variants = Self.variants(101) { MessageCenterVariant(subject: "{{ \($0)", richHtml: " ") }
        found = check(message)
        #expect(found.errors == ["messageCenter.variants tooMany"] && found.texts == 2)

        var inApp = Self.inApp(.modal, InAppContent(title: "a"))
        inApp.variants = Self.variants(101) { InAppVariant(title: "{{ \($0)", html: " ") }
        found = check(inApp)
        #expect(found.errors == ["inApp.variants tooMany"] && found.texts == 1)
    }

    @Test("SEC-8, CAMP-6: too many variants of one content cause no errors in the other")
    func otherVariants() {
        let opensMessage = PushVariant(action: NotificationAction(type: .openRichMessage))
        let opensPage = NotificationAction(type: .openRichMessage, url: "https://example.com")
        func errors(_ push: PushContent, _ message: MessageCenterContent) -> [String] {
            check(
                CampaignDraft(
                    name: "Sale", kind: .pushAndMessageCenter, audience: .everyone, push: push, messageCenter: message
                )
            ).errors
        }
        #expect(
            errors(
                PushContent(title: "a", body: "b", variants: ["aaa": opensMessage]),
                MessageCenterContent(variants: Self.variants(101) { _ in MessageCenterVariant(richHtml: "<p>") })
            ) == ["messageCenter.variants tooMany"]
        )
        #expect(
            errors(
                PushContent(
                    title: "a", body: "b", action: opensPage,
                    variants: Self.variants(101) { _ in PushVariant(action: .init(type: .launchApp)) }
                ),
                MessageCenterContent(variants: ["aaa": MessageCenterVariant(richHtml: "<p>")])
            ) == ["push.variants tooMany"]
        )
    }

    @Test("SEC-8: too many buttons or actions are reported, and none is checked")
    func buttons() {
        let buttons = (0..<5).map { NotificationButton(id: "\($0)", text: "{{ \($0)") }
        var push = PushContent(title: "a", body: "b", buttons: buttons)
        push.variants = ["fr": PushVariant(buttons: buttons), "de": PushVariant(title: "{{ ")]
        let found = check(push)
        #expect(
            found.errors == [
                "push.buttons tooMany", "push.variants.fr.buttons tooMany",
                "push.variants.de.title invalidTemplate",
            ])
        #expect(found.texts == 3)

        let action = InAppAction(type: .close)
        var inApp = Self.inApp(
            .modal, InAppContent(title: "a", buttons: (0..<6).map { .init(id: "\($0)", text: "{{ ", action: action) })
        )
        inApp.variants = ["fr": InAppVariant(buttons: ["none": "{{ ", "0": "{{ "])]
        #expect(check(inApp) == (["inApp.content.buttons tooMany"], 1))
        let actions = Self.inApp(.action, InAppContent(actions: Array(repeating: action, count: 11)))
        #expect(check(actions) == (["inApp.content.actions tooMany"], 0))
    }

    @Test("SEC-8: pairs that fit into no payload are compiled for the content and for no variant")
    func custom() {
        func pairs(_ count: Int) -> [String: AttributeValue] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", .string("{{shoe}} \($0)")) })
        }
        var push = PushContent(title: "a", body: "b", custom: pairs(820))
        push.variants = Self.variants(100) { PushVariant(title: "{{ \($0)") }
        var found = check(push)
        #expect(found.errors.count == 820 && found.texts == 822)
        push.custom = Dictionary(uniqueKeysWithValues: (0..<820).map { ("\($0)", 1) })
        found = check(push)
        #expect(found.errors == ["push payloadTooLarge"] && found.texts == 2)

        var message = MessageCenterContent(subject: "a", message: "b", custom: pairs(1_639))
        message.variants = Self.variants(100) { _ in MessageCenterVariant() }
        found = check(message)
        #expect(found.errors == ["messageCenter.custom tooLong"] && found.texts == 2)
    }

    @Test("SEC-8: a content that is too large is reported once, and not again for its variants")
    func size() {
        var push = PushContent(title: String(repeating: "x", count: 5_000), body: "b")
        push.variants = Self.variants(100) { PushVariant(body: "\($0)") }
        #expect(check(push).errors == ["push payloadTooLarge"])
        push.title = "a"
        push.variants?["fr"] = nil
        push.variants?["aaa"] = PushVariant(title: String(repeating: "x", count: 5_000))
        #expect(check(push).errors == ["push.variants.aaa payloadTooLarge"])
    }
}
