import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryTestSupport
import Testing

/// What a browser with Declarative Web Push makes of a push (W3C Push API, "declarative push message"): the rules of
/// its parser, written apart from the code that makes the push.
struct DeclarativePushTests {
    private static let members: Set = [
        "title", "navigate", "dir", "lang", "body", "tag", "image", "icon", "badge", "vibrate", "timestamp", "renotify",
        "silent", "requireInteraction", "data", "actions",
    ]

    @Test(
        "WEB-4: each visible push is a declarative push message, whatever a tap does",
        arguments: [
            (nil, "/"), (NotificationAction(type: .launchApp), "/"),
            (NotificationAction(type: .launchApp, url: "https://example.com/a"), "/"),
            (NotificationAction(type: .openUrl, url: "https://example.com/a"), "https://example.com/a"),
            (NotificationAction(type: .openRichMessage, url: "https://example.com/r"), "https://example.com/r"),
            (NotificationAction(type: .openRichMessage), "/"),
        ] as [(NotificationAction?, String)]
    )
    func action(_ action: NotificationAction?, goes address: String) throws {
        let content = PushContent(
            title: "Hello", body: "World", action: action,
            buttons: [
                NotificationButton(id: "buy", text: "Buy", action: .init(type: .openUrl, url: "https://example.com/b")),
                NotificationButton(id: "later", text: "Later"),
            ]
        )
        let message = try payload(content)
        #expect(message["web_push"] == 8_030 && message["mutable"] == true)
        let notification = message["notification"]
        #expect(notification["title"] == "Hello" && notification["navigate"].text == address)
        #expect(
            notification["actions"] == [
                ["action": "buy", "title": "Buy", "navigate": "https://example.com/b"],
                ["action": "later", "title": "Later", "navigate": "/"],
            ]
        )
        // A member that the parser does not know is ignored; there is one.
        #expect(Set(notification.keys).subtracting(Self.members).isEmpty)
        #expect(
            Set(try payload(PushContent(title: "a", subtitle: "b", body: "c"))["notification"].keys)
                .subtracting(Self.members) == ["subtitle"])
        #expect(message["app_badge"] == .null)
    }

    @Test("WEB-4: a worker that a declarative browser gives only the notification knows whose it is, and of what")
    func worker() throws {
        let message = try payload(PushContent(title: "a", body: "b", action: nil))
        for name in ["campaign", "sid", "to"] {
            #expect(message["notification"]["data"]["belfry"][name] == message["belfry"][name])
        }
    }

    @Test("WEB-4: a recipient's own address goes into both places, escaped once")
    func recipients() throws {
        let content = PushContent(
            title: "a", body: "b",
            action: NotificationAction(type: .openUrl, url: "https://example.com/\(TextPlaceholder.marker(0))")
        )
        let message = try payload(content, texts: [#"o"ne"#])
        #expect(message["notification"]["navigate"].text == #"https://example.com/o"ne"#)
        #expect(message["belfry"]["action"]["url"].text == #"https://example.com/o"ne"#)
    }

    @Test("WEB-4, PUSH-7: a push that shows nothing is no declarative push message")
    func silent() throws {
        for style in [PushStyle.silent, .badge] {
            let message = try payload(PushContent(title: "", body: ""), style: style)
            #expect(message.keys == ["belfry"])
        }
    }

    private func payload(
        _ content: PushContent, style: PushStyle = .alert, texts: [String] = []
    ) throws -> JSONValue {
        let template = try WebPushPayloadTemplate(content: content, style: style, campaign: Fixtures.campaign())
        return try JSONValue(
            parsing: template.payload(sid: Fixtures.message().text, recipient: "mark", texts: texts, badge: nil)
        )
    }
}
