import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Testing

/// The message that a campaign stores in a message center, with or without a push.
struct KeptMessageTests {
    private static func draft(
        _ message: MessageCenterContent?, push: PushContent?, kind: CampaignKind = .pushAndMessageCenter
    ) -> CampaignDraft {
        CampaignDraft(name: "n", kind: kind, audience: .everyone, push: push, messageCenter: message)
    }

    @Test("MC-3: a kept push is its own message, in each of its languages")
    func pushAlone() {
        var push = PushContent(title: "Sale", body: "Now", action: .init(type: .openUrl, url: "shop://sale"))
        push.variants = [
            "fr": PushVariant(title: "Soldes"),
            "de": PushVariant(title: "Ausverkauf", action: .init(type: .openRichMessage, url: "https://example.com")),
            "it": PushVariant(action: .init(type: .launchApp)),
        ]
        push.defaults = ["city": "you"]
        let draft = Self.draft(nil, push: push)
        #expect(draft.keptMessageLocales == ["de", "fr", "it"])
        let defaults = ["city": "you"]
        #expect(
            draft.keptMessage(nil)
                == MessageCenterContent(subject: "Sale", message: "Now", deeplinkUrl: "shop://sale", defaults: defaults)
        )
        #expect(draft.keptMessage("fr").subject == "Soldes" && draft.keptMessage("fr").message == "Now")
        #expect(
            draft.keptMessage("de")
                == MessageCenterContent(
                    subject: "Ausverkauf", message: "Now", richUrl: "https://example.com", defaults: defaults
                )
        )
        #expect(draft.keptMessage("it").deeplinkUrl == nil)
    }

    @Test("MC-3: the message's own texts count, even if only the push has the language")
    func ownWords() {
        var push = PushContent(title: "Sale", body: "Now", action: .init(type: .openUrl, url: "shop://sale"))
        push.variants = ["fr": PushVariant(title: "Soldes", body: "Ici"), "fr-CA": PushVariant(title: "Rabais")]
        var message = MessageCenterContent(center: "news", subject: "All about it", richHtml: "<p>")
        message.variants = ["FR_ca": MessageCenterVariant(subject: "Tout"), "nl": MessageCenterVariant(message: "Nu")]
        let draft = Self.draft(message, push: push)
        // Two spellings of a locale count as one.
        #expect(draft.keptMessageLocales == ["FR_ca", "nl", "fr"])
        let french = draft.keptMessage("fr")
        #expect(french.subject == "All about it" && french.message == "Ici")
        #expect(french.richHtml == "<p>" && french.deeplinkUrl == nil && french.center == "news")
        #expect(draft.keptMessage("FR_ca").subject == "Tout" && draft.keptMessage("FR_ca").message == "Now")
        #expect(draft.keptMessage("nl").subject == "All about it" && draft.keptMessage("nl").message == "Nu")
        #expect(draft.keptMessage(nil).variants == nil && draft.keptMessage("fr").variants == nil)
    }

    @Test("MC-3: a message without a push has only its own texts")
    func messageAlone() {
        var message = MessageCenterContent(subject: "a", message: "b", defaults: ["city": "x"])
        #expect(Self.draft(message, push: nil, kind: .messageCenter).keptMessage(nil) == message)
        message.variants = ["fr": MessageCenterVariant(subject: "c", richUrl: "https://example.com")]
        let draft = Self.draft(message, push: nil, kind: .messageCenter)
        #expect(draft.keptMessageLocales == ["fr"])
        #expect(draft.keptMessage("fr").subject == "c" && draft.keptMessage("fr").richUrl == "https://example.com")
        // A locale that only looks like another.
        #expect(draft.keptMessage("frr").subject == "a")
    }

    @Test("CAMP-4: the message's default of a variable replaces the push's, in any spelling")
    func defaults() {
        let push = PushContent(
            title: "a", body: "b",
            defaults: ["contact.city": "p", "age": "p", "contact.key": "p", "device.locale": "p"]
        )
        let message = MessageCenterContent(defaults: ["city": "m", "contact.age": "m", "contact.device.locale": "m"])
        #expect(
            Self.draft(message, push: push).keptMessage(nil).defaults == [
                "city": "m", "contact.age": "m", "contact.device.locale": "m", "contact.key": "p",
                "device.locale": "p",
            ]
        )
    }

    @Test("MC-3: the message of a language compiles if the push and the message do", arguments: 1...4)
    func everyLanguage(seed: UInt64) throws {
        var dice = TemplateDice(seed: seed)
        let locales = ["fr", "fr-CA", "FR_ca", "de", "zh-Hant"]
        for _ in 0..<100 {
            func word() -> String? { dice.pick([nil, "plain", "{{city}}", "{{age}}!"]) }
            var push = PushContent(title: word() ?? "t", body: word() ?? "b", defaults: ["city": "p"])
            push.variants = [:]
            var message = MessageCenterContent(subject: word() ?? "", message: word() ?? "")
            message.variants = [:]
            for _ in 0..<dice.roll(4) {
                push.variants?[dice.pick(locales)] = PushVariant(title: word(), body: word())
                message.variants?[dice.pick(locales)] = MessageCenterVariant(subject: word(), message: word())
            }
            let draft = Self.draft(message, push: push)
            for key in [nil] + draft.keptMessageLocales as [String?] {
                let template = try MessageCenterTemplate(draft.keptMessage(key), schema: templateSchema)
                let kept = try template.render(template.variables.map { $0 == .attribute("age") ? "31" : nil })
                // Its own words before the push's, its language before no language.
                let own = message.variant(LocaleMatch.best(of: (message.variants ?? [:]).keys, for: key))
                let other = push.variant(LocaleMatch.best(of: (push.variants ?? [:]).keys, for: key))
                func said(_ text: String) -> String {
                    text.replacing("{{city}}", with: "p").replacing("{{age}}", with: "31")
                }
                #expect(kept.subject == said(own.subject.isEmpty ? other.title : own.subject))
                #expect(kept.message == said(own.message.isEmpty ? other.body : own.message))
            }
        }
    }
}

extension CampaignDraft {
    fileprivate var keptMessageLocales: [String] { KeptMessages(self).locales }

    fileprivate func keptMessage(_ locale: String?) -> MessageCenterContent { KeptMessages(self).message(locale) }
}
