import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryTestSupport
import Foundation
import Testing

struct FCMRequestTests {
    private let token = "dXJ:APA91b-x_y"

    @Test("PUSH-2: a message has the parts of HTTP v1, with the belfry object as a string in its data")
    func message() throws {
        let content = PushContent(
            title: "Hello", body: "World", imageUrl: "https://example.com/a.png", sound: "chime",
            action: NotificationAction(type: .openUrl, url: "app://offer/1"),
            buttons: [NotificationButton(id: "yes", text: "Yes \"now\"")], collapseId: "score",
            custom: [
                "shop": "Paris", "count": 3, "ratio": 0.5, "vip": true, "since": .date(Date(timeIntervalSince1970: 0)),
            ],
            androidChannel: "offers"
        )
        let request = try makeRequest(content)
        #expect(request.path == "/v1/projects/demo-1/messages:send")
        #expect(
            request.common.fields == [
                HeaderField("authorization", "Bearer ya29.x"),
                HeaderField("content-type", "application/json; charset=utf-8"),
            ]
        )
        #expect(request.fields.isEmpty)
        let body = try JSONValue(parsing: request.body)
        #expect(body.keys == ["message"])
        let message = body["message"]
        #expect(Set(message.keys) == ["android", "data", "notification", "token"])
        #expect(message["token"] == .string(token))
        #expect(message["notification"] == ["title": "Hello", "body": "World"])
        #expect(
            message["android"] == [
                "priority": "HIGH", "ttl": "3600s", "collapse_key": "score",
                "notification": [
                    "channel_id": "offers", "image": "https://example.com/a.png", "sound": "chime", "tag": "score",
                ],
            ]
        )
        #expect(Set(message["data"].keys) == ["belfry", "shop", "count", "ratio", "vip", "since"])
        #expect(message["data"]["shop"] == "Paris")
        #expect(message["data"]["count"] == "3")
        #expect(message["data"]["ratio"] == "0.5")
        #expect(message["data"]["vip"] == "true")
        #expect(message["data"]["since"] == "1970-01-01T00:00:00.000Z")
        let belfry = try JSONValue(parsing: Array(message["data"]["belfry"].text.utf8))
        #expect(Set(belfry.keys) == ["action", "buttons", "campaign", "sid", "to"])
        #expect(belfry["sid"] == .string(try Fixtures.message().text))
        #expect(belfry["to"] == "mark")
        #expect(belfry["action"] == ["type": "openUrl", "url": "app://offer/1"])
        #expect(belfry["buttons"] == [["id": "yes", "text": "Yes \"now\""]])
    }

    @Test("PUSH-2: a Firebase installation id is addressed as one, anything else as a registration token")
    func installationID() throws {
        let content = PushContent(title: "Hello", body: "World")
        for id in ["cIBFn0zWRz6HdXpUGIo_Aq", "f---------------------", "d123456789012345678901"] {
            let message = try JSONValue(parsing: makeRequest(content, token: id).body)["message"]
            #expect(Set(message.keys) == ["android", "data", "fid", "notification"])
            #expect(message["fid"] == .string(id))
        }
        for token in [
            "aIBFn0zWRz6HdXpUGIo_Aq", "cIBFn0zWRz6HdXpUGIo_A", "cIBFn0zWRz6HdXpUGIo_Aqq", "cIBFn0zWRz6:dXpUGIo_Aq",
            "cIBFn0zWRz6HdXpUGIo_Aq:APA91b",
        ] {
            let message = try JSONValue(parsing: makeRequest(content, token: token).body)["message"]
            #expect(Set(message.keys) == ["android", "data", "notification", "token"])
            #expect(message["token"] == .string(token))
        }
    }

    @Test("PUSH-9: the label for Google's reports is among the message's options and not counted")
    func analyticsLabel() throws {
        let plain = PushContent(title: "a", body: "b")
        var labelled = plain
        labelled.analyticsLabel = "winter-sale"
        let message = try JSONValue(parsing: makeRequest(labelled).body)["message"]
        #expect(Set(message.keys) == ["android", "data", "fcm_options", "notification", "token"])
        #expect(message["fcm_options"] == ["analytics_label": "winter-sale"])
        let sizes = try [plain, labelled].map {
            try FCMPayloadTemplate(content: $0, campaign: Fixtures.campaign()).size
        }
        #expect(sizes[0] == sizes[1])
    }

    @Test(
        "PUSH-9: what a locked screen shows is said in Google's words, and counted",
        arguments: zip(LockScreenVisibility.allCases, ["PUBLIC", "PRIVATE", "SECRET"])
    )
    func visibility(_ visibility: LockScreenVisibility, sent: String) throws {
        let plain = PushContent(title: "a", body: "b")
        var content = plain
        content.androidVisibility = visibility
        let message = try JSONValue(parsing: makeRequest(content).body)["message"]
        #expect(message["android"]["notification"] == ["tag": "belfry-7", "visibility": .string(sent)])
        let unsaid = try JSONValue(parsing: makeRequest(plain).body)["message"]
        #expect(unsaid["android"]["notification"] == ["tag": "belfry-7"])
        let sizes = try [plain, content].map {
            try FCMPayloadTemplate(content: $0, campaign: Fixtures.campaign()).size
        }
        #expect(sizes[1] == sizes[0] + "visibility".utf8.count + sent.utf8.count)
    }

    @Test("PUSH-2: FCM knows two priorities", arguments: [(nil, "HIGH"), (10, "HIGH"), (5, "NORMAL"), (1, "NORMAL")])
    func priority(_ priority: Int?, sent: String) throws {
        let request = try makeRequest(PushContent(title: "a", body: "b", priority: priority))
        let android = try JSONValue(parsing: request.body)["message"]["android"]
        #expect(android["priority"] == .string(sent))
        #expect(android["collapse_key"] == "belfry-7")
    }

    @Test("PUSH-2: the time to live is the remaining time, 0 only if the content says so, four weeks at most")
    func timeToLive() throws {
        let plain = PushContent(title: "a", body: "b")
        let table: [(content: PushContent, left: TimeInterval, sent: String)] = [
            (plain, 0.2, "1s"), (plain, -50, "1s"), (plain, 59.1, "60s"), (plain, 1e300, "2419200s"),
            (PushContent(title: "a", body: "b", ttlSeconds: 0), 50, "0s"),
        ]
        for (content, left, sent) in table {
            let request = try makeRequest(content, expiresAt: Fixtures.now.addingTimeInterval(left))
            #expect(try JSONValue(parsing: request.body)["message"]["android"]["ttl"] == .string(sent), "\(left)")
        }
    }

    @Test("PUSH-2: keys that FCM reserves are not sent, because it would reject the whole message")
    func reservedKeys() throws {
        let reserved = ["from", "message_type", "google", "google.x", "gcm", "gcm.notification.x", "belfry"]
        let allowed = ["From", "fromage", "goggle", "collapse_key", "notification"]
        for key in reserved { #expect(FCMPayloadTemplate.isReserved(key)) }
        for key in allowed { #expect(!FCMPayloadTemplate.isReserved(key)) }
        let custom = Dictionary(uniqueKeysWithValues: (reserved + allowed).map { ($0, AttributeValue.string("x")) })
        let request = try makeRequest(PushContent(title: "a", body: "b", custom: custom))
        let data = try JSONValue(parsing: request.body)["message"]["data"]
        #expect(Set(data.keys) == Set(allowed + ["belfry"]))
        #expect(data["belfry"] != "x")
    }

    @Test("PUSH-21: the message stays one message, whatever a device sent as its token")
    func hostileTokens() throws {
        let content = PushContent(title: "a", body: "b")
        for token in ["\"}}", "a\\", "a\"b\\c", String(repeating: "a", count: 4_096)] {
            let message = try JSONValue(parsing: makeRequest(content, token: token).body)["message"]
            #expect(message["token"] == .string(token))
        }
        for token in ["", String(repeating: "a", count: 4_097)] {
            #expect(throws: PushRequestError.tokenMalformed) { try makeRequest(content, token: token) }
        }
    }

    @Test(
        "PUSH-2: FCM's limit of 4,096 bytes counts keys and values, not their escapes",
        arguments: ["x", "é", "\""])
    func size(_ filling: String) throws {
        let campaign = try Fixtures.campaign()
        let room = try 4_096 - FCMPayloadTemplate(content: PushContent(title: "a", body: ""), campaign: campaign).size
        let width = filling.utf8.count
        let body = String(repeating: filling, count: room / width) + String(repeating: "x", count: room % width)
        let full = PushContent(title: "a", body: body)
        #expect(try FCMPayloadTemplate(content: full, campaign: campaign).size == 4_096)
        let message = try JSONValue(parsing: makeRequest(full, recipient: "ibkvewEO91kg").body)["message"]
        #expect(
            Self.counted(message["data"]) + Self.counted(message["notification"])
                + Self.counted(message["android"]["notification"]) == 4_096)
        let over = PushContent(title: "a", body: body + "x")
        #expect(throws: PushRequestError.payloadTooLarge(bytes: 4_097)) {
            try makeRequest(over, recipient: "ibkvewEO91kg")
        }
    }

    private static func counted(_ value: JSONValue) -> Int {
        value.keys.reduce(0) { $0 + $1.utf8.count + value[$1].text.utf8.count }
    }

    private func makeRequest(
        _ content: PushContent,
        token: String? = nil,
        recipient: String = "mark",
        expiresAt: Date = Fixtures.now.addingTimeInterval(3_600)
    ) throws -> PushRequest {
        let template = try FCMRequestTemplate(
            content: content, campaign: Fixtures.campaign(), expiresAt: expiresAt
        )
        return try template.request(
            path: FCMRequestTemplate.path(projectID: "demo-1"), token: token ?? self.token,
            message: Fixtures.message(), recipient: recipient, now: Fixtures.now,
            common: template.commonHeaders(accessToken: "ya29.x")
        )
    }
}
