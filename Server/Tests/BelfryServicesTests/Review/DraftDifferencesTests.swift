import BelfryModel
import BelfryServerModel
import BelfryServices
import Testing

@Suite("CON-5: what two versions say differently")
struct DraftDifferencesTests {
    private static let base = CampaignDraft(
        name: "Sale", kind: .push, audience: .everyone,
        push: PushContent(
            title: "Hi", body: "There", ttlSeconds: 60, custom: ["sku": 42]
        )
    )

    private static func difference(_ change: (inout CampaignDraft) -> Void) throws -> [DraftDifference] {
        var changed = base
        change(&changed)
        return try DraftDifferences(from: base, to: changed).parts
    }

    @Test("CON-5: each part that differs is named with both values, in the order of the campaign")
    func parts() throws {
        let found = try Self.difference { draft in
            draft.push?.body = "Here"
            draft.push?.ttlSeconds = nil
            draft.push?.custom = ["sku": 42, "shop": "north"]
            draft.name = "Autumn"
            draft.audience = .tag("a")
        }
        #expect(
            found == [
                DraftDifference(field: "name", old: "Sale", new: "Autumn"),
                DraftDifference(field: "audience", old: #"{"everyone":true}"#, new: #"{"tag":"a"}"#),
                DraftDifference(field: "push.body", old: "There", new: "Here"),
                DraftDifference(field: "push.custom.shop", old: nil, new: "north"),
                DraftDifference(field: "push.ttlSeconds", old: "60", new: nil),
            ]
        )
        #expect(try Self.difference { _ in }.isEmpty)
    }

    @Test("CON-5: entries of lists are told by their place, the tenth after the second")
    func lists() throws {
        var (old, new) = (Self.base, Self.base)
        old.audience = .tag("a")
        new.audience = .tag("a")
        old.push?.buttons = (0..<12).map { NotificationButton(id: "b\($0)", text: "Text \($0)") }
        new.push?.buttons = (0..<12).map { number in
            NotificationButton(id: "b\(number)", text: [2, 10].contains(number) ? "New" : "Text \(number)")
        }
        let fields = try DraftDifferences(from: old, to: new).parts.map(\.field)
        #expect(fields == ["push.buttons[2].text", "push.buttons[10].text"])
    }

    @Test("CON-5, SEC-7: a text that is another by its bytes alone differs, too")
    func bytes() throws {
        var (old, new) = (Self.base, Self.base)
        old.push?.body = "5 \u{212A}"
        new.push?.body = "5 K"
        #expect(old == new)
        #expect(try DraftDifferences(from: old, to: new).parts.map(\.field) == ["push.body"])
    }

    @Test("CON-5: the first version differs from nothing in all that it says")
    func first() throws {
        let found = try DraftDifferences(from: nil, to: Self.base)
        #expect(found.others == 0 && found.parts.allSatisfy { $0.old == nil && $0.new != nil })
        #expect(found.parts.map(\.field).prefix(3) == ["name", "kind", "audience"])
    }

    @Test("SEC-2: long texts are told from their first difference on, and many parts are counted")
    func bounds() throws {
        let long = String(repeating: "é", count: 5_000)
        var (old, new) = (Self.base, Self.base)
        old.push?.body = long + "one"
        new.push?.body = long + "two"
        let part = try #require(try DraftDifferences(from: old, to: new).parts.first)
        let lead = "…" + String(repeating: "é", count: 40)
        #expect(part.old == lead + "one" && part.new == lead + "two")
        new.push?.body = String(repeating: "x", count: 5_000)
        let other = try #require(try DraftDifferences(from: Self.base, to: new).parts.first)
        #expect(other.new?.unicodeScalars.count == DraftDifferences.maximumLength + 1 && other.old == "There")
        new = Self.base
        new.push?.custom = Dictionary(uniqueKeysWithValues: (0..<500).map { ("key\($0)", 1) })
        let many = try DraftDifferences(from: Self.base, to: new)
        #expect(many.parts.count == DraftDifferences.maximumParts && many.others == 501 - DraftDifferences.maximumParts)
    }
}
