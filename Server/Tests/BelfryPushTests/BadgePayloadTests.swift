import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

/// The badge and the word to fetch in the payloads of all services.
struct BadgePayloadTests {
    private static let all = PushExtras(keepsMessage: true, changesBadge: true)
    private static let nothing = PushContent(title: "", body: "")
    private let content = PushContent(title: "Hi", body: "There")
    private let badge = Badge(count: 12, revision: 340)
    private let sid = "00000000-0007-84e0-909e-e7f2717728b2"
    private let browser = DecryptingBrowser()

    @Test("BADGE-1, PUSH-1: for APNs the badge is a number in aps and in belfry, and the device is told to fetch")
    func apns() throws {
        let body = try apnsBody(content, .alert, Self.all, badge)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"aps":{"alert":{"body":"There","title":"Hi"},"badge":12,"mutable-content":1},"belfry":{"badge":{"count":12,"#
                + #""revision":340},"campaign":"7","sid":"\#(sid)","sync":["messageCenter"],"to":"mark"}}"#
        )
    }

    @Test("BADGE-1, PUSH-2: for FCM the badge is the notification's count, and a number in the belfry text")
    func fcm() throws {
        let body = try fcmBody(content, .alert, Self.all, badge)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"message":{"android":{"collapse_key":"belfry-7","notification":{"notification_count":12,"#
                + #""tag":"belfry-7"},"priority":"HIGH","ttl":"60s"},"data":{"belfry":"{\"badge\":{\"count\":12,"#
                + #"\"revision\":340},\"campaign\":\"7\",\"sid\":\"\#(sid)\",\"sync\":[\"messageCenter\"],"#
                + #"\"to\":\"mark\"}"},"notification":{"body":"There","title":"Hi"},"token":"tok"}}"#
        )
    }

    @Test("BADGE-1, PUSH-3, WEB-4: for a browser the badge is a number in app_badge and in the belfry object")
    func webPush() throws {
        let body = try webPushBody(content, .alert, Self.all, badge)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"app_badge":12,"belfry":{"badge":{"count":12,"revision":340},"campaign":"7","sid":"\#(sid)","#
                + #""sync":["messageCenter"],"to":"mark"},"mutable":true,"notification":{"body":"There","#
                + #""data":{"belfry":{"campaign":"7","sid":"\#(sid)","to":"mark"}},"navigate":"/","#
                + #""tag":"belfry-7","title":"Hi"},"web_push":8030}"#
        )
    }

    @Test("BADGE-1: a badge alone shows nothing else, is an alert to APNs and data to FCM, with low priority")
    func badgeAlone() throws {
        let template = try APNsRequestTemplate(
            content: Self.nothing, style: .badge, extras: Self.all, campaign: Fixtures.campaign(),
            expiresAt: Fixtures.now
        )
        let common = template.commonHeaders(credentials: try Fixtures.credentials(), providerToken: "jwt")
        #expect(common.fields.contains(HeaderField("apns-push-type", "alert")))
        #expect(common.fields.contains(HeaderField("apns-priority", "5")))
        let apns = try JSONValue(parsing: apnsBody(Self.nothing, .badge, Self.all, badge))
        #expect(apns["aps"] == ["badge": 12, "content-available": 1])
        #expect(Set(apns["belfry"].keys) == ["badge", "campaign", "sid", "sync", "to"])

        let message = try JSONValue(parsing: fcmBody(Self.nothing, .badge, Self.all, badge))["message"]
        #expect(Set(message.keys) == ["android", "data", "token"])
        #expect(Set(message["android"].keys) == ["collapse_key", "priority", "ttl"])
        #expect(message["android"]["priority"] == "NORMAL")
        let belfry = try JSONValue(parsing: Array(message["data"]["belfry"].text.utf8))
        #expect(belfry["badge"] == ["count": 12, "revision": 340])

        let page = try JSONValue(parsing: webPushBody(Self.nothing, .badge, Self.all, badge))
        #expect(page.keys == ["belfry"] && page["belfry"]["badge"] == ["count": 12, "revision": 340])
    }

    @Test("MC-4: a campaign that keeps a message without a badge only says that; another says neither")
    func without() throws {
        let kept = try JSONValue(parsing: apnsBody(content, .alert, PushExtras(keepsMessage: true), nil))
        #expect(Set(kept["aps"].keys) == ["alert", "mutable-content"])
        #expect(Set(kept["belfry"].keys) == ["campaign", "sid", "sync", "to"])
        #expect(kept["belfry"]["sync"] == ["messageCenter"])
        let plain = try JSONValue(parsing: apnsBody(content, .alert, .none, badge))
        #expect(
            Set(plain["aps"].keys) == ["alert", "mutable-content"]
                && Set(plain["belfry"].keys) == ["campaign", "sid", "to"])
        let shown = try JSONValue(parsing: fcmBody(content, .alert, .none, badge))["message"]["android"]["notification"]
        #expect(shown.keys == ["tag"])
    }

    @Test("BADGE-5: any badge is a number next to any text, at each service", arguments: 1...4)
    func numbers(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let hostile = ["\"", "\\", "\\\"", "\"}", "12", "{\"count\":1}", "é\u{0}"]
        for _ in 0..<100 {
            let badge = Badge(
                count: .random(in: 0...9_999, using: &random),
                revision: .random(in: 0...Int64.max >> 12, using: &random)
            )
            let text = (0..<3).compactMap { _ in hostile.randomElement(using: &random) }.joined()
            let content = PushContent(
                title: TextPlaceholder.marker(0), body: text,
                custom: ["before": .string(text), "zz": .string(TextPlaceholder.marker(1))]
            )
            let numbers: JSONValue = .object([
                "count": .number(Double(badge.count)), "revision": .number(Double(badge.revision)),
            ])
            let apns = try JSONValue(parsing: apnsBody(content, .alert, Self.all, badge, [text, text]))
            #expect(apns["belfry"]["badge"] == numbers && apns["aps"]["badge"] == .number(Double(badge.count)))
            #expect(apns["aps"]["alert"]["title"].text == text && apns["zz"].text == text)

            let message = try JSONValue(parsing: fcmBody(content, .alert, Self.all, badge, [text, text]))["message"]
            let shown = message["android"]["notification"]
            #expect(shown["notification_count"] == .number(Double(badge.count)))
            #expect(try JSONValue(parsing: Array(message["data"]["belfry"].text.utf8))["badge"] == numbers)
            #expect(message["data"]["before"].text == text && message["data"]["zz"].text == text)

            let page = try JSONValue(parsing: webPushBody(content, .alert, Self.all, badge, [text, text]))
            #expect(page["belfry"]["badge"] == numbers && page["data"]["zz"].text == text)
        }
    }

    @Test("BADGE-5: a push that changes badges is not built for a recipient whose badge is unknown")
    func missing() {
        #expect(throws: PushRequestError.contentNotEncodable) { try apnsBody(content, .alert, Self.all, nil) }
        #expect(throws: PushRequestError.contentNotEncodable) { try fcmBody(content, .badge, Self.all, nil) }
        #expect(throws: PushRequestError.contentNotEncodable) { try webPushBody(content, .alert, Self.all, nil) }
    }

    @Test("PUSH-1, PUSH-2, PUSH-3: the reported size is that of the smallest badge; each digit more counts")
    func sizes() throws {
        let campaign = try Fixtures.campaign()
        let mark = String(repeating: "m", count: RecipientTag.length)
        let apns = try APNsPayloadTemplate(content: content, extras: Self.all, campaign: campaign)
        let least = Badge(count: 1, revision: 1)
        #expect(try apns.payload(sid: sid, recipient: mark, badge: least).count == apns.size)
        #expect(try apns.payload(sid: sid, recipient: mark, badge: badge).count == apns.size + 4)

        let room = try 4_096 - FCMPayloadTemplate(content: content, extras: Self.all, campaign: campaign).size
        let full = PushContent(title: "Hi", body: "There" + String(repeating: "x", count: room))
        #expect(throws: Never.self) { try fcmBody(full, .alert, Self.all, least, recipient: mark) }
        // 12 is in two places, 340 in one.
        #expect(throws: PushRequestError.payloadTooLarge(bytes: 4_100)) {
            try fcmBody(full, .alert, Self.all, badge, recipient: mark)
        }
    }

    @Test("BADGE-1: a campaign's actions decide the fields of its pushes")
    func extras() {
        let increment = BadgeChange(op: .increment)
        func extras(_ kind: CampaignKind, _ push: BadgeChange?, _ message: BadgeChange?) -> PushExtras {
            PushExtras(
                CampaignDraft(
                    name: "n", kind: kind, audience: .everyone,
                    push: PushContent(title: "a", body: "b", badge: push),
                    messageCenter: MessageCenterContent(badge: message)
                )
            )
        }
        #expect(extras(.push, nil, nil) == .none)
        #expect(extras(.push, increment, nil) == PushExtras(changesBadge: true))
        #expect(extras(.pushAndMessageCenter, nil, nil) == PushExtras(keepsMessage: true))
        #expect(extras(.messageCenter, nil, increment) == Self.all)
    }

    private func apnsBody(
        _ content: PushContent, _ style: PushStyle, _ extras: PushExtras, _ badge: Badge?, _ texts: [String] = []
    ) throws -> [UInt8] {
        try APNsPayloadTemplate(content: content, style: style, extras: extras, campaign: Fixtures.campaign())
            .payload(sid: sid, recipient: "mark", texts: texts, badge: badge)
    }

    private func fcmBody(
        _ content: PushContent, _ style: PushStyle, _ extras: PushExtras, _ badge: Badge?, _ texts: [String] = [],
        recipient: String = "mark"
    ) throws -> [UInt8] {
        let template = try FCMRequestTemplate(
            content: content, style: style, extras: extras, campaign: Fixtures.campaign(),
            expiresAt: Fixtures.now.addingTimeInterval(60)
        )
        return try template.request(
            path: "/", token: "tok", message: try #require(MessageID(sid)), recipient: recipient, texts: texts,
            badge: badge, now: Fixtures.now, common: template.commonHeaders(accessToken: "t")
        ).body
    }

    private func webPushBody(
        _ content: PushContent, _ style: PushStyle, _ extras: PushExtras, _ badge: Badge?, _ texts: [String] = []
    ) throws -> [UInt8] {
        let template = try WebPushRequestTemplate(
            content: content, style: style, extras: extras, campaign: Fixtures.campaign(), expiresAt: Fixtures.now
        )
        let request = try template.request(
            subscription: browser.subscription(), message: try #require(MessageID(sid)), recipient: "mark",
            texts: texts, badge: badge, now: Fixtures.now, keys: Fixtures.ephemeralKeys(),
            common: template.commonHeaders(authorization: "v")
        )
        return try browser.decrypt(request.body)
    }
}
