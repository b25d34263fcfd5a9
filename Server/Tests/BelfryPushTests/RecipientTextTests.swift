import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

/// The texts for one recipient are inserted at the same places in the payloads of all services.
struct RecipientTextTests {
    /// Each of these is a separate placeholder; the URL and the button are in FCM's JSON inside a string.
    private let content = PushContent(
        title: TextPlaceholder.marker(0), subtitle: TextPlaceholder.marker(1), body: TextPlaceholder.marker(2),
        imageUrl: TextPlaceholder.marker(3),
        action: NotificationAction(type: .openUrl, url: TextPlaceholder.marker(4)),
        buttons: [NotificationButton(id: "yes", text: TextPlaceholder.marker(5))],
        custom: [
            "again": .string(TextPlaceholder.marker(0)), "eleventh": .string(TextPlaceholder.marker(10)),
            "fixed": "yes",
        ]
    )

    @Test("CAMP-4: any text of any recipient arrives unchanged, at each service", arguments: 1...4)
    func randomTexts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let browser = DecryptingBrowser()
        for _ in 0..<60 {
            let texts = (0...10).map { _ in Self.text(using: &random) }
            let apns = try JSONValue(parsing: apnsBody(texts))
            #expect(apns["aps"]["alert"] == Self.strings(["title": texts[0], "subtitle": texts[1], "body": texts[2]]))
            #expect(apns["belfry"]["image"].text == texts[3])
            try check(belfry: apns["belfry"], custom: apns, texts)

            let message = try JSONValue(parsing: fcmBody(texts))["message"]
            #expect(message["notification"] == Self.strings(["title": texts[0], "body": texts[2]]))
            #expect(message["android"]["notification"]["image"].text == texts[3])
            let inner = try JSONValue(parsing: Array(message["data"]["belfry"].text.utf8))
            try check(belfry: inner, custom: message["data"], texts)

            let page = try JSONValue(parsing: browser.decrypt(webPushBody(texts, browser)))
            #expect(page["notification"]["title"].text == texts[0])
            #expect(page["notification"]["image"].text == texts[3])
            try check(belfry: page["belfry"], custom: page["data"], texts)
        }
    }

    @Test("CAMP-4: a payload that a recipient's text makes too large is refused for that recipient alone")
    func tooLarge() throws {
        let campaign = try Fixtures.campaign()
        let plain = PushContent(title: "a", body: TextPlaceholder.marker(0))
        let sizes = [
            try 4_096 - APNsPayloadTemplate(content: plain, campaign: campaign).size,
            try 4_096 - FCMPayloadTemplate(content: plain, campaign: campaign).size,
            try 3_993 - WebPushPayloadTemplate(content: plain, campaign: campaign).size,
        ]
        let makers: [([String]) throws -> [UInt8]] = [
            { try apnsBody($0, plain) }, { try fcmBody($0, plain) },
            { try webPushBody($0, DecryptingBrowser(), plain) },
        ]
        for (room, make) in zip(sizes, makers) {
            let fits = String(repeating: "x", count: room)
            #expect(throws: Never.self) { try make([fits]) }
            let error = #expect(throws: PushRequestError.self) { try make([fits + "x"]) }
            guard case .payloadTooLarge = error else {
                Issue.record("another fault: \(String(describing: error))")
                continue
            }
        }
    }

    @Test("CAMP-4: a placeholder without a rendered text is an error, never an empty place")
    func missingText() throws {
        let texts = Array(repeating: "x", count: 10)
        #expect(throws: PushRequestError.contentNotEncodable) { try apnsBody(texts) }
        #expect(throws: PushRequestError.contentNotEncodable) { try fcmBody(texts) }
        #expect(throws: PushRequestError.contentNotEncodable) { try webPushBody(texts, DecryptingBrowser()) }
    }

    @Test("CAMP-4: a text that only looks like a placeholder stays as it is")
    func falseGaps() throws {
        let open = String(decoding: TextPlaceholder.opening, as: UTF8.self)
        let close = String(decoding: TextPlaceholder.closing, as: UTF8.self)
        let odd = [
            open, close, open + close, open + "x" + close, open + "-1" + close, open + "+1" + close,
            open + "01" + close,
            open + "1", open + String(repeating: "1", count: 40) + close, close + "0" + open,
        ]
        for text in odd {
            let body = try JSONValue(parsing: apnsBody([], PushContent(title: text, body: "b")))
            #expect(body["aps"]["alert"]["title"].text == text)
            let message = try JSONValue(parsing: fcmBody([], PushContent(title: text, body: "b")))["message"]
            #expect(message["notification"]["title"].text == text)
        }
    }

    private func check(belfry: JSONValue, custom: JSONValue, _ texts: [String]) throws {
        let sid = try Fixtures.message().text
        #expect(belfry["sid"].text == sid)
        #expect(belfry["action"]["url"].text == texts[4])
        #expect(belfry["buttons"] == [Self.strings(["id": "yes", "text": texts[5]])])
        #expect(custom["again"].text == texts[0])
        #expect(custom["eleventh"].text == texts[10])
        #expect(custom["fixed"] == "yes")
    }

    private func apnsBody(_ texts: [String], _ content: PushContent? = nil) throws -> [UInt8] {
        try APNsPayloadTemplate(content: content ?? self.content, campaign: Fixtures.campaign())
            .payload(sid: Fixtures.message().text, recipient: "ibkvewEO91kg", texts: texts)
    }

    private func fcmBody(_ texts: [String], _ content: PushContent? = nil) throws -> [UInt8] {
        let template = try FCMRequestTemplate(
            content: content ?? self.content, campaign: Fixtures.campaign(), expiresAt: Fixtures.now
        )
        return try template.request(
            path: "/", token: "t", message: Fixtures.message(), recipient: "ibkvewEO91kg", texts: texts,
            now: Fixtures.now, common: template.commonHeaders(accessToken: "t")
        ).body
    }

    private func webPushBody(
        _ texts: [String], _ browser: DecryptingBrowser, _ content: PushContent? = nil
    ) throws -> [UInt8] {
        let template = try WebPushRequestTemplate(
            content: content ?? self.content, campaign: Fixtures.campaign(), expiresAt: Fixtures.now
        )
        return try template.request(
            subscription: browser.subscription(), message: Fixtures.message(), recipient: "ibkvewEO91kg", texts: texts,
            now: Fixtures.now, keys: Fixtures.ephemeralKeys(), common: template.commonHeaders(authorization: "v")
        ).body
    }

    private static func strings(_ values: [String: String]) -> JSONValue {
        .object(values.mapValues(JSONValue.string))
    }

    /// Up to 12 characters, many of them such as JSON escapes.
    private static func text(using random: inout SeededGenerator) -> String {
        let scalars = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ -> Unicode.Scalar? in
            switch Int.random(in: 0..<4, using: &random) {
            case 0: Array("\"\\/{}[]:,\u{7f}\u{2028}".unicodeScalars).randomElement(using: &random)
            case 1: Unicode.Scalar(UInt32.random(in: 0...0x1f, using: &random))
            case 2: Unicode.Scalar(UInt32.random(in: 0x20...0x7e, using: &random))
            default: Unicode.Scalar(UInt32.random(in: 0x80...0x1ffff, using: &random))
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
