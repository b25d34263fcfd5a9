import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

struct APNsPayloadTests {
    private static let sid = "00000000-0007-84e0-909e-e7f2717728b2"
    private static let mark = "ibkvewEO91kg"

    private static let hostile = [
        "", "plain", "\"quoted\"", "back\\slash", "a/b", "</script>", "line\nbreak\r\t", "\u{0}\u{1}\u{1f}\u{7f}",
        "\u{2028}\u{2029}", "👩‍👩‍👧‍👦 🇫🇷", "e\u{301}", "with \u{feff}bom", "\u{202e}rtl", "\"}},\"aps\":{\"alert\":\"x\"}",
        "\\u0022", "%00", "\u{fffd}", "𝄞",
    ]

    @Test("PUSH-1: a full content becomes the payload of the device API")
    func fullContent() throws {
        let content = PushContent(
            title: "Hello",
            subtitle: "There",
            body: "World",
            imageUrl: "https://example.com/a.png",
            sound: "default",
            action: NotificationAction(type: .openUrl, url: "app://offer/1"),
            buttons: [NotificationButton(id: "yes", text: "Yes", action: NotificationAction(type: .launchApp))],
            custom: ["shop": "Paris", "count": 3, "ratio": 0.5, "vip": true]
        )
        let payload = try object(content)
        #expect(Set(payload.keys) == ["aps", "belfry", "shop", "count", "ratio", "vip"])
        let aps = try #require(payload["aps"] as? [String: Any])
        #expect(Set(aps.keys) == ["alert", "sound", "mutable-content"])
        #expect(aps["alert"] as? [String: String] == ["title": "Hello", "subtitle": "There", "body": "World"])
        #expect(aps["sound"] as? String == "default")
        #expect(aps["mutable-content"] as? Int == 1)
        let belfry = try #require(payload["belfry"] as? [String: Any])
        #expect(Set(belfry.keys) == ["sid", "campaign", "to", "action", "image", "buttons"])
        #expect(belfry["sid"] as? String == Self.sid)
        #expect(belfry["campaign"] as? String == "7")
        #expect(belfry["to"] as? String == Self.mark)
        #expect(belfry["image"] as? String == "https://example.com/a.png")
        #expect(belfry["action"] as? [String: String] == ["type": "openUrl", "url": "app://offer/1"])
        let button = try #require((belfry["buttons"] as? [[String: Any]])?.first)
        #expect(button["id"] as? String == "yes")
        #expect(button["text"] as? String == "Yes")
        #expect(payload["shop"] as? String == "Paris")
        #expect(payload["count"] as? Int == 3)
        #expect(payload["ratio"] as? Double == 0.5)
        #expect(payload["vip"] as? Bool == true)
    }

    @Test("PUSH-1: a plain content has no more than the necessary fields")
    func plainContent() throws {
        let payload = try object(PushContent(title: "Hello", body: "World", buttons: [], custom: [:]))
        #expect(Set(payload.keys) == ["aps", "belfry"])
        let aps = try #require(payload["aps"] as? [String: Any])
        #expect(Set(aps.keys) == ["alert", "mutable-content"])
        #expect(aps["alert"] as? [String: String] == ["title": "Hello", "body": "World"])
        let belfry = try #require(payload["belfry"] as? [String: Any])
        #expect(Set(belfry.keys) == ["sid", "campaign", "to"])
    }

    @Test("CAMP-6: category, thread and interruption level have Apple's names")
    func appleWords() throws {
        let levels: [(InterruptionLevel, String)] = [
            (.passive, "passive"), (.active, "active"), (.timeSensitive, "time-sensitive"), (.critical, "critical"),
        ]
        #expect(levels.map(\.0) == InterruptionLevel.allCases)
        for (level, word) in levels {
            let content = PushContent(
                title: "a", body: "b", category: "OFFER", threadId: "shop-1", interruptionLevel: level,
                androidChannel: "offers"
            )
            let aps = try #require(try object(content)["aps"] as? [String: Any])
            #expect(Set(aps.keys) == ["alert", "category", "thread-id", "interruption-level", "mutable-content"])
            #expect(aps["category"] as? String == "OFFER")
            #expect(aps["thread-id"] as? String == "shop-1")
            #expect(aps["interruption-level"] as? String == word)
        }
    }

    @Test("PUSH-9: the relevance score is a number next to the alert", arguments: [0, 0.1, 0.75, 1])
    func relevance(score: Double) throws {
        let aps = try #require(
            try object(PushContent(title: "a", body: "b", relevanceScore: score))["aps"] as? [String: Any])
        #expect(Set(aps.keys) == ["alert", "relevance-score", "mutable-content"])
        #expect(aps["relevance-score"] as? Double == score)
    }

    @Test("PUSH-9: the window of a tap and the text for Focus filters are next to the alert")
    func windowAndFocus() throws {
        let content = PushContent(title: "a", body: "b", targetContentId: "order-7", filterCriteria: "work")
        let aps = try #require(try object(content)["aps"] as? [String: Any])
        #expect(Set(aps.keys) == ["alert", "target-content-id", "filter-criteria", "mutable-content"])
        #expect(aps["target-content-id"] as? String == "order-7")
        #expect(aps["filter-criteria"] as? String == "work")
    }

    @Test("PUSH-8: everything that shows something calls the app's service extension; what shows nothing does not")
    func mutableContent() throws {
        let button = NotificationButton(id: "yes", text: "Yes")
        for content in [
            PushContent(title: "a", body: "b"), PushContent(title: "a", body: "b", buttons: [button]),
            PushContent(title: "a", body: "b", imageUrl: "https://example.com/a.png"),
        ] {
            #expect((try object(content)["aps"] as? [String: Any])?["mutable-content"] as? Int == 1)
        }
        for style in [PushStyle.silent, .badge] {
            let template = try APNsPayloadTemplate(
                content: PushContent(title: "", body: ""), style: style,
                extras: PushExtras(changesBadge: style == .badge), campaign: nil
            )
            let bytes = try template.payload(
                sid: Self.sid, recipient: Self.mark, badge: style == .badge ? Badge(count: 1, revision: 1) : nil
            )
            #expect(!String(decoding: bytes, as: UTF8.self).contains("mutable-content"))
        }
    }

    @Test("PUSH-1: no text of a marketer or a device breaks the JSON", arguments: hostile)
    func hostileText(_ text: String) throws {
        let content = PushContent(
            title: text,
            subtitle: text,
            body: text,
            sound: text,
            action: NotificationAction(type: .openUrl, url: text),
            custom: ["k" + text: .string(text)]
        )
        let payload = try object(content, sid: text, recipient: text)
        let aps = try #require(payload["aps"] as? [String: Any])
        #expect(aps["alert"] as? [String: String] == ["title": text, "subtitle": text, "body": text])
        #expect(aps["sound"] as? String == text)
        #expect(payload["k" + text] as? String == text)
        let belfry = try #require(payload["belfry"] as? [String: Any])
        #expect(belfry["sid"] as? String == text)
        #expect(belfry["to"] as? String == text)
        #expect((belfry["action"] as? [String: String])?["url"] == text)
    }

    @Test("PUSH-1: random texts survive the placeholders of the template", arguments: 1...4)
    func randomText(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let scalars = (0..<20).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2ff, using: &random)) }
            let text = String(String.UnicodeScalarView(scalars))
            let belfry = try object(PushContent(title: text, body: ""), recipient: text)["belfry"] as? [String: Any]
            try #require(belfry?["to"] as? String == text)
        }
    }

    @Test("PUSH-1: custom keys 'aps' and 'belfry' never replace Belfry's")
    func reservedKeys() throws {
        let content = PushContent(title: "a", body: "b", custom: ["aps": "x", "belfry": "y"])
        let bytes = try APNsPayloadTemplate(content: content, campaign: Fixtures.campaign())
            .payload(sid: Self.sid, recipient: Self.mark)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.components(separatedBy: "\"aps\"").count == 2)
        #expect(text.components(separatedBy: "\"belfry\"").count == 2)
    }

    @Test("PUSH-1: 4,096 bytes are sent, 4,097 are not, and the reason says how many", arguments: ["x", "é", "😀"])
    func sizeLimit(_ filling: String) throws {
        let empty = try template(body: "").size
        let room = APNsPayloadTemplate.maximumBytes - empty
        let width = filling.utf8.count
        let padding = String(repeating: "x", count: room % width)
        let body = String(repeating: filling, count: room / width) + padding
        let exact = try template(body: body)
        #expect(exact.size == 4_096)
        #expect(try exact.payload(sid: Self.sid, recipient: Self.mark).count == 4_096)
        let over = try template(body: body + "x")
        #expect(over.size == 4_097)
        #expect(throws: PushRequestError.payloadTooLarge(bytes: 4_097)) {
            try over.payload(sid: Self.sid, recipient: Self.mark)
        }
        #expect(PushRequestError.payloadTooLarge(bytes: 4_097).outcome == .payloadError(reason: "payloadTooLarge"))
    }

    @Test("PUSH-1: a number that JSON cannot represent is refused, not sent")
    func infiniteNumber() throws {
        let content = PushContent(title: "a", body: "b", custom: ["n": .number(.infinity)])
        #expect(throws: PushRequestError.contentNotEncodable) {
            try APNsPayloadTemplate(content: content, campaign: Fixtures.campaign())
        }
    }

    private func template(body: String) throws -> APNsPayloadTemplate {
        try APNsPayloadTemplate(content: PushContent(title: "a", body: body), campaign: Fixtures.campaign())
    }

    private func object(
        _ content: PushContent,
        sid: String = sid,
        recipient: String = mark
    ) throws -> [String: Any] {
        let template = try APNsPayloadTemplate(content: content, campaign: Fixtures.campaign())
        let bytes = try template.payload(sid: sid, recipient: recipient)
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }
}
