import BelfryModel
import BelfryServerModel
import Foundation
import Testing

struct PushContentJSONTests {
    private static let full = #"""
        {"title":"Hi","subtitle":"Now","body":"There","imageUrl":"https://example.com/a.png","sound":"default",
        "action":{"type":"openUrl","url":"app://x"},"buttons":[{"id":"a","text":"A"}],"collapseId":"sale",
        "ttlSeconds":60,"priority":5,"custom":{"sku":"42","count":3},"category":"offers","threadId":"t",
        "interruptionLevel":"timeSensitive","relevanceScore":0.1,"targetContentId":"sale",
        "filterCriteria":"shopping","androidChannel":"news","androidVisibility":"private",
        "analyticsLabel":"winter-sale","badge":{"op":"set","value":3},
        "variants":{"fr":{"title":"Salut","body":"Là"}},"defaults":{"city":"you"}}
        """#

    @Test("CAMP-6: a content is written as it was read, field by field")
    func roundTrip() throws {
        let content = try JSONDecoder().decode(PushContent.self, from: Data(Self.full.utf8))
        let written = try JSONEncoder().encode(content)
        #expect(try JSONDecoder().decode(PushContent.self, from: written) == content)
        let (before, after) = (try keys(Data(Self.full.utf8)), try keys(written))
        #expect(before == after && after.count == 23)
        #expect(content.badge == BadgeChange(op: .set, value: 3))
        #expect(content.relevanceScore == 0.1 && content.analyticsLabel == "winter-sale")
        #expect(content.targetContentId == "sale" && content.filterCriteria == "shopping")
        #expect(content.interruptionLevel == .timeSensitive && content.variants?["fr"]?.title == "Salut")
        #expect(content.androidVisibility == .presence)
    }

    @Test("CAMP-1: a silent push has no title and no body, and writes none")
    func silent() throws {
        let content = try JSONDecoder().decode(PushContent.self, from: Data(#"{"custom":{"sync":true}}"#.utf8))
        #expect(content.title.isEmpty && content.body.isEmpty)
        #expect(try keys(JSONEncoder().encode(content)) == ["custom"])
    }

    @Test(
        "CAMP-6: fields of another type are refused, with their place",
        arguments: [
            (#"{"title":1}"#, "title"), (#"{"interruptionLevel":"loud"}"#, "interruptionLevel"),
            (#"{"relevanceScore":"0.5"}"#, "relevanceScore"),
            (#"{"androidVisibility":"PUBLIC"}"#, "androidVisibility"),
            (#"{"variants":{"fr":{"body":1}}}"#, "variants.fr.body"), (#"{"custom":{"a":{"b":1}}}"#, "custom.a"),
            (#"{"defaults":{"city":1}}"#, "defaults.city"), (#"{"buttons":[{"id":"a"}]}"#, "buttons.Index 0"),
        ]
    )
    func illTyped(json: String, place: String) {
        do {
            _ = try JSONDecoder().decode(PushContent.self, from: Data(json.utf8))
            Issue.record("It was read: \(json)")
        } catch let error as DecodingError {
            #expect(path(of: error) == place)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("CAMP-6: a variant inherits from the content")
    func variants() throws {
        let content = try JSONDecoder().decode(PushContent.self, from: Data(Self.full.utf8))
        let french = content.variant("fr")
        #expect(french.title == "Salut" && french.body == "Là" && french.subtitle == "Now")
        #expect(
            french.imageUrl == content.imageUrl && french.action == content.action && french.defaults == ["city": "you"]
        )
        #expect(french.variants == nil)
        var plain = content
        plain.variants = nil
        #expect(content.variant(nil) == plain && content.variant("de") == plain)
    }

    private func keys(_ json: Data) throws -> Set<String> {
        Set(try #require(JSONSerialization.jsonObject(with: json) as? [String: Any]).keys)
    }

    private func path(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
            .dataCorrupted(let context):
            context.codingPath.map(\.stringValue).joined(separator: ".")
        @unknown default: ""
        }
    }
}
