import BelfryModel
import BelfryServerModel
import BelfryServices
import Testing

@testable import BelfryConsole

/// To Swift `ë` as one code point and as two is one text; to an audience or an address it is two.
@Suite("CON-5: what looks alike and has other bytes is another text")
struct ComposeBytesTests {
    private static let basis = ComposeBasis(schema: ["city": .string], zone: AppZone(named: "Europe/Paris"))
    private static let composed = "Zo\u{EB}"
    private static let decomposed = "Zoe\u{308}"

    private static func push(_ text: String) -> CampaignDraft {
        var push = PushContent(title: text, body: "B")
        push.subtitle = text
        push.defaults = ["city": text]
        push.buttons = [
            NotificationButton(id: "a", text: text, action: NotificationAction(type: .openUrl, url: "shop://\(text)"))
        ]
        push.variants = ["de": PushVariant(title: text)]
        return CampaignDraft(
            name: "N", kind: .push, audience: .all([.attribute("city", .equal(.string(text))), .tag("a")]), push: push
        )
    }

    private static func inApp(_ text: String) -> CampaignDraft {
        let filter = Condition.attribute("city", .equal(.string(text)))
        var message = InAppDraft(
            type: .modal, trigger: InAppTrigger(event: "purchase", filter: filter), content: InAppContent(body: "B")
        )
        message.content.buttons = [
            InAppButton(id: "a", text: text, action: InAppAction(type: .openUrl, url: "shop://\(text)"))
        ]
        message.variants = ["de": InAppVariant(title: text, buttons: ["a": text])]
        return CampaignDraft(name: "N", kind: .inApp, audience: .everyone, inApp: message)
    }

    @Test("CON-5: what is typed for a text that looks alike is saved", arguments: [CampaignKind.push, .inApp])
    func typed(_ kind: CampaignKind) throws {
        let draft = kind == .push ? Self.push : Self.inApp
        for (was, typed) in [(Self.decomposed, Self.composed), (Self.composed, Self.decomposed)] {
            let (base, wanted) = (draft(was), draft(typed))
            #expect(base == wanted)
            let made = try ComposeForm(wanted, Self.basis).draft(over: base, Self.basis)
            #expect(try DraftVersion(made) == DraftVersion(wanted))
            #expect(try DraftVersion(made) != DraftVersion(base))
        }
    }

    @Test("CON-5: another person's change of bytes alone is brought in beside what was typed")
    func merged() throws {
        let (base, now) = (Self.push(Self.decomposed), Self.push(Self.composed))
        var fields = ComposeForm(base, Self.basis).fields
        fields.set("body", ["Mine"])
        let merge = ComposeMerge(ComposeForm(fields, kind: .push), from: base, over: now, Self.basis)
        let marked = ["title", "subtitle", "defaults", "audience", "buttonText.0", "buttonLink.0", "variantTitle.0"]
        #expect(Set(merge.marks.keys) == Set(marked) && merge.marks.values.allSatisfy { $0 == .theirs })
        var wanted = now
        wanted.push?.body = "Mine"
        let saved = try ComposeForm(merge.fields, kind: .push).draft(over: now, Self.basis)
        #expect(try DraftVersion(saved) == DraftVersion(wanted))
    }
}
