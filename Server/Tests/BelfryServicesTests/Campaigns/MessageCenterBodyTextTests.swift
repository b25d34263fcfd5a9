import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryServices

struct MessageCenterBodyTextTests {
    @Test("MC-8, WIRE-10: the content that all readers of a message share is stored in the API's format")
    func full() throws {
        let content = MessageCenterContent(
            center: "news", subject: "Say \"hi\"", message: "a\nb", iconUrl: "https://example.com/a b.png",
            deeplinkUrl: "shop://x?y=1&z=(é)", richUrl: "https://example.com/",
            expiresAt: Date(timeIntervalSince1970: 0),
            badge: BadgeChange(op: .clear), custom: ["b": 1.5, "a": true, "n": 3, "t": .date(Date(milliseconds: 1))],
            variants: ["fr": MessageCenterVariant()], defaults: ["x": "y"]
        )
        #expect(
            try MessageCenterBodyText.make(content)
                == #""subject":"Say \"hi\"","message":"a\u000Ab","deeplink_url":"shop%3A%2F%2Fx%3Fy%3D1%26z%3D(%C3%A9)","#
                + #""richmessage_url":"https%3A%2F%2Fexample.com%2F","icon_url":"https%3A%2F%2Fexample.com%2Fa%20b.png","#
                + #""expiry_ts":"1970-01-01T00:00:00.000Z","message_center_name":"news","has_rich_content":false,"#
                + #""custom":{"a":true,"b":1.5,"n":3,"t":"1970-01-01T00:00:00.001Z"}"#
        )
    }

    @Test("MC-8: absent fields are not written; only HTML is fetched separately")
    func plain() throws {
        #expect(
            try MessageCenterBodyText.make(
                MessageCenterContent(subject: "a", message: "b", richHtml: "<p>", custom: [:]))
                == #""subject":"a","message":"b","message_center_name":"Primary","has_rich_content":true"#
        )
    }

    private struct Custom: Decodable {
        let custom: [String: AttributeValue]
    }

    @Test("MC-8: any text and any address are read back unchanged", arguments: 1...4)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "\"", "\\", "\n", "\u{0}", "\u{1f}", "é", "👩‍👩‍👧", "%41", "/", "{}", ":", " ", "a", "\u{2028}", "~!*'()",
        ]
        for _ in 0..<100 {
            func text() -> String {
                (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in pieces.randomElement(using: &random) }
                    .joined()
            }
            let content = MessageCenterContent(
                subject: text(), message: text(), iconUrl: text(), deeplinkUrl: text(), richUrl: text(),
                custom: ["k" + text(): .string(text()), "n": .number(Double.random(in: -1e20...1e20, using: &random))]
            )
            let json = "{" + (try MessageCenterBodyText.make(content)) + "}"
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            #expect(object["subject"] as? String == content.subject)
            #expect(object["message"] as? String == content.message)
            let urls = [
                "icon_url": content.iconUrl, "deeplink_url": content.deeplinkUrl, "richmessage_url": content.richUrl,
            ]
            for (key, url) in urls {
                let encoded = try #require(object[key] as? String)
                #expect(!encoded.contains { " \"/:{}\\".contains($0) } && encoded.utf8.allSatisfy { $0 < 0x80 })
                #expect(encoded.removingPercentEncoding == url)
            }
            let custom = try JSONDecoder().decode(Custom.self, from: Data(json.utf8)).custom
            #expect(custom == content.custom)
        }
    }

    @Test("MC-8: a number that JSON cannot represent is an error with its field")
    func infinite() {
        let content = MessageCenterContent(subject: "a", message: "b", custom: ["n": .number(.infinity)])
        #expect(
            throws: RenderError(field: "custom.n", variable: "", sentence: "The number cannot be written as JSON.")
        ) { try MessageCenterBodyText.make(content) }
    }
}
