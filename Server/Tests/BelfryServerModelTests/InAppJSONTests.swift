import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Foundation
import Testing

struct InAppJSONTests {
    private static let full = #"""
        {"content":{"action":{"type":"pushSettings"},"actions":[{"attributes":{"n":1},"name":"rated","type":"event"}],
        "body":"There","buttons":[{"action":{"type":"close"},"id":"no","text":"No"},
        {"action":{"type":"openUrl","url":"app://x"},"id":"yes","text":"Yes"}],
        "colors":{"background":"#FFFFFF","dark":{"text":"#EEEEEE"}},"html":"<p>","imageAlt":"A shoe",
        "imageUrl":"https://example.com/i.png","layout":"titleImageBody","title":"Hi"},"defaults":{"city":"you"},
        "delaySeconds":5,"displayLimit":2,"endsAt":"2026-12-24T18:00:00.000Z","priority":7,
        "startsAt":"2026-12-01T09:00:00.000Z","trigger":{"event":"purchase","occurrence":3,
        "where":{"attribute":"sku","op":"==","value":"42"}},"type":"modal",
        "variants":{"fr":{"buttons":{"yes":"Oui"},"title":"Salut"}},"viewId":"home"}
        """#.replacing("\n", with: "")

    private func read(_ json: String) throws -> InAppDraft { try decoded(InAppDraft.self, json) }

    @Test("IAM-1: an in-app message is written as it was read, field by field")
    func roundTrip() throws {
        let draft = try read(Self.full)
        #expect(draft.type == .modal && draft.priority == 7 && draft.displayLimit == 2 && draft.delaySeconds == 5)
        #expect(draft.startsAt == Timestamp.date("2026-12-01T09:00:00Z"))
        #expect(draft.endsAt == Timestamp.date("2026-12-24T18:00:00Z"))
        #expect(
            draft.trigger
                == InAppTrigger(event: "purchase", filter: .attribute("sku", .equal("42")), occurrence: 3)
        )
        #expect(draft.content.buttons?.map(\.id) == ["no", "yes"] && draft.content.layout == .titleImageBody)
        #expect(try encoded(draft) == Self.full)
    }

    @Test("IAM-1: defaults of a message are as documented; an inline one may be shown as often as allowed")
    func defaults() throws {
        let draft = try read(#"{"type":"modal","content":{}}"#)
        #expect(draft == InAppDraft(type: .modal, content: InAppContent()))
        #expect(draft.effectivePriority == 999 && draft.effectiveDisplayLimit == 1 && draft.effectiveDelaySeconds == 0)
        #expect(InAppDraft(type: .inline, content: InAppContent()).effectiveDisplayLimit == 1_000)
        #expect(InAppDraft(type: .inline, displayLimit: 1, content: InAppContent()).effectiveDisplayLimit == 1)
        #expect(InAppTrigger(event: " a ").eventName == "a" && InAppTrigger(event: "a").neededOccurrence == 1)
        #expect(InAppTrigger(event: "a", occurrence: 4).neededOccurrence == 4)
        #expect(try encoded(draft) == #"{"content":{},"type":"modal"}"#)
    }

    @Test("IAM-1: a message is over from its end on", arguments: [(-1, false), (0, true), (1, true)])
    func ends(_ second: Double, _ isOver: Bool) {
        let end = Date(timeIntervalSince1970: 1_795_262_400)
        let draft = InAppDraft(type: .modal, endsAt: end, content: InAppContent())
        #expect(draft.hasEnded(by: end.addingTimeInterval(second)) == isOver)
        #expect(!InAppDraft(type: .modal, content: InAppContent()).hasEnded(by: .distantFuture))
    }

    @Test(
        "ADM-3: a field of the wrong type is reported by name",
        arguments: [
            (#"{"content":{}}"#, "type"), (#"{"type":"popup","content":{}}"#, "type"),
            (#"{"type":"modal"}"#, "content"),
            (#"{"type":"modal","content":{},"endsAt":"2026-12-24T18:00:00"}"#, "endsAt"),
            (#"{"type":"modal","content":{},"startsAt":5}"#, "startsAt"),
            (#"{"type":"modal","content":{},"priority":"1"}"#, "priority"),
            (#"{"type":"modal","content":{},"trigger":{}}"#, "trigger.event"),
            (#"{"type":"modal","content":{},"trigger":{"event":"a","where":{"x":1}}}"#, "trigger.where"),
            (#"{"type":"modal","content":{"buttons":[{"id":"a","text":"b"}]}}"#, "content.buttons.0.action"),
            (#"{"type":"modal","content":{"action":{"type":"jump"}}}"#, "content.action.type"),
            (#"{"type":"modal","content":{"layout":"bodyFirst"}}"#, "content.layout"),
            (#"{"type":"modal","content":{},"variants":{"fr":{"buttons":["x"]}}}"#, "variants.fr.buttons"),
        ]
    )
    func rejected(_ json: String, _ field: String) {
        #expect(decodingErrorField { try read(json) } == field)
    }

    @Test("CAMP-6: a variant changes texts, but not the buttons and their actions")
    func variants() throws {
        let draft = try read(Self.full)
        let french = draft.variant("fr")
        #expect(french.content.title == "Salut" && french.content.body == "There" && french.content.html == "<p>")
        #expect(french.content.buttons?.map(\.text) == ["No", "Oui"])
        #expect(french.content.buttons?.map(\.action) == draft.content.buttons?.map(\.action))
        #expect(french.variants == nil && french.trigger == draft.trigger && french.defaults == draft.defaults)
        var plain = draft
        plain.variants = nil
        #expect(draft.variant(nil) == plain && draft.variant("de") == plain)
        let all = InAppVariant(title: "t", body: "b", imageUrl: "i", imageAlt: "a", html: "h")
        let other = InAppDraft(type: .html, content: draft.content, variants: ["de": all]).variant("de").content
        #expect([other.title, other.body, other.imageUrl, other.imageAlt, other.html] == ["t", "b", "i", "a", "h"])
    }

    @Test("ADM-2: a campaign keeps its in-app message; older campaigns have none")
    func campaign() throws {
        let json = #"{"audience":{"everyone":true},"inApp":{"content":{},"type":"full"},"kind":"inApp","name":"n"}"#
        let draft = try decoded(CampaignDraft.self, json)
        #expect(draft.inApp?.type == .full && draft.kind.isInApp && !draft.kind.keepsMessage)
        #expect(try encoded(draft) == json)
        let old = try decoded(CampaignDraft.self, #"{"name":"n","kind":"push","audience":{"everyone":true}}"#)
        #expect(old.inApp == nil && !old.kind.isInApp)
    }
}
