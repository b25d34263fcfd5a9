import BelfryModel
import BelfryServerModel
import Foundation
import Testing

struct MessageCenterJSONTests {
    private static let full = #"""
        {"badge":{"op":"increment","value":2},"center":"Offers","custom":{"count":3,"sku":"42"},
        "deeplinkUrl":"app://offer","defaults":{"city":"you"},"expiresAt":"2026-12-24T18:00:00.000Z",
        "iconUrl":"https://example.com/i.png","message":"There","richHtml":"<p>Hi</p>","richUrl":"https://example.com/r",
        "subject":"Hi","variants":{"fr":{"message":"Là","richUrl":"https://example.com/fr","subject":"Salut"}}}
        """#.replacing("\n", with: "")

    @Test("MC-8: a message's content is written as it was read, field by field")
    func roundTrip() throws {
        let content = try read(Self.full)
        #expect(content.center == "Offers" && content.badge == BadgeChange(op: .increment, value: 2))
        #expect(content.expiresAt == Timestamp.date("2026-12-24T18:00:00Z"))
        #expect(content.variants?["fr"]?.subject == "Salut" && content.custom == ["sku": "42", "count": 3])
        #expect(try written(content) == Self.full)
    }

    @Test("MC-3: with a push subject and message may be absent, and are then not written")
    func nothing() throws {
        let content = try read("{}")
        #expect(content == MessageCenterContent())
        #expect(try written(content) == "{}")
    }

    @Test(
        "MC-8: fields of another type are refused",
        arguments: [
            #"{"subject":1}"#, #"{"expiresAt":"2026-12-24T18:00:00"}"#, #"{"expiresAt":5}"#, #"{"badge":{"op":"add"}}"#,
            #"{"badge":{"value":1}}"#, #"{"badge":{"op":"set","value":1.5}}"#, #"{"custom":{"a":[1]}}"#,
            #"{"variants":{"fr":{"subject":1}}}"#,
        ]
    )
    func rejected(json: String) {
        #expect(throws: DecodingError.self) { try read(json) }
    }

    @Test("MC-8: a variant inherits from the content; its rich content replaces both kinds")
    func variants() throws {
        let content = try read(Self.full)
        let french = content.variant("fr")
        #expect(french.subject == "Salut" && french.message == "Là" && french.iconUrl == content.iconUrl)
        #expect(french.richUrl == "https://example.com/fr" && french.richHtml == nil)
        #expect(french.variants == nil && french.defaults == ["city": "you"] && french.badge == content.badge)
        var plain = content
        plain.variants = nil
        #expect(content.variant(nil) == plain && content.variant("de") == plain)
    }

    @Test("MC-3, BADGE-1: a draft keeps its message, and its badge is in one of the two contents")
    func draft() throws {
        var draft = CampaignDraft(
            name: "Sale", kind: .messageCenter, audience: .everyone, messageCenter: try read(Self.full)
        )
        let read = try JSONDecoder().decode(CampaignDraft.self, from: JSONEncoder().encode(draft))
        #expect(read == draft && read.badgeChange == BadgeChange(op: .increment, value: 2))
        draft.messageCenter = nil
        #expect(draft.badgeChange == nil)
        draft.push = PushContent(title: "Sale", body: "Today", badge: BadgeChange(op: .clear))
        #expect(draft.badgeChange == BadgeChange(op: .clear))
        let keeping = CampaignKind.allCases.filter(\.keepsMessage)
        #expect(keeping == [.pushAndMessageCenter, .messageCenter])
    }

    private func read(_ json: String) throws -> MessageCenterContent {
        try JSONDecoder().decode(MessageCenterContent.self, from: Data(json.utf8))
    }

    private func written(_ content: MessageCenterContent) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(content), as: UTF8.self)
    }
}
