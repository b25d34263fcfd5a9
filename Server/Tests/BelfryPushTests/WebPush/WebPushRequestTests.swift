import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryTestSupport
import Crypto
import Foundation
import Testing

struct WebPushRequestTests {
    private let browser = DecryptingBrowser()

    @Test("PUSH-3: a request has the path and the header fields of RFC 8030, and a message that the browser decrypts")
    func request() throws {
        let content = PushContent(
            title: "Hello", subtitle: "There", body: "World", imageUrl: "https://example.com/a.png",
            action: NotificationAction(type: .openUrl, url: "https://example.com/offer"),
            buttons: [NotificationButton(id: "yes", text: "Yes")],
            custom: ["shop": "Paris", "count": 3, "notification": "mine"]
        )
        let request = try makeRequest(content)
        #expect(request.path == "/send/abc?x=1")
        #expect(
            request.common.fields == [
                HeaderField("authorization", "vapid t=a, k=b"), HeaderField("content-encoding", "aes128gcm"),
                HeaderField("content-type", "application/octet-stream"), HeaderField("urgency", "high"),
            ]
        )
        #expect(request.fields == [HeaderField("ttl", "3600"), HeaderField("topic", "belfry-7")])
        let message = try JSONValue(parsing: browser.decrypt(request.body))
        #expect(Set(message.keys) == ["belfry", "data", "mutable", "notification", "web_push"])
        let sid = try Fixtures.message().text
        #expect(
            message["notification"] == [
                "title": "Hello", "subtitle": "There", "body": "World", "image": "https://example.com/a.png",
                "tag": "belfry-7", "navigate": "https://example.com/offer",
                "actions": [["action": "yes", "title": "Yes", "navigate": "/"]],
                "data": ["belfry": ["campaign": "7", "sid": .string(sid), "to": "mark"]],
            ]
        )
        #expect(message["data"] == ["shop": "Paris", "count": 3, "notification": "mine"])
        #expect(Set(message["belfry"].keys) == ["action", "buttons", "campaign", "sid", "to"])
        #expect(message["belfry"]["sid"] == .string(sid))
        #expect(message["belfry"]["action"]["url"] == "https://example.com/offer")
    }

    @Test("PUSH-3: the time to live is the remaining time, 0 only if the content says so, four weeks at most")
    func timeToLive() throws {
        let plain = PushContent(title: "a", body: "b")
        let table: [(content: PushContent, left: TimeInterval, sent: String)] = [
            (plain, 0.2, "1"), (plain, -50, "1"), (plain, 59.1, "60"), (plain, .infinity, "2419200"),
            (PushContent(title: "a", body: "b", ttlSeconds: 0), 0, "0"),
            (PushContent(title: "a", body: "b", ttlSeconds: -1), 90, "0"),
        ]
        for (content, left, sent) in table {
            let request = try makeRequest(content, expiresAt: Fixtures.now.addingTimeInterval(left))
            #expect(request.fields.contains(HeaderField("ttl", sent)), "\(left)")
        }
    }

    @Test("PUSH-3: urgency follows the priority", arguments: [(nil, "high"), (10, "high"), (5, "normal"), (1, "low")])
    func urgency(_ priority: Int?, expected: String) throws {
        let request = try makeRequest(PushContent(title: "a", body: "b", priority: priority))
        #expect(request.common.fields.contains(HeaderField("urgency", expected)))
    }

    @Test("PUSH-5: the topic has at most 32 letters of base64url, and differs where the collapse ids differ")
    func topic() throws {
        let longest = try Fixtures.campaign(CampaignID.maximum)
        let own = ["score", "a_b-C", String(repeating: "x", count: 32)]
        for id in own { #expect(try topic(id) == id) }
        #expect(try topic(nil) == "belfry-7" && topic("") == "belfry-7")
        #expect(try topic(nil, campaign: longest) == "belfry-281474976710655")
        let unfit = [
            "a b", "a\r\nb: c", "a.b", "é", String(repeating: "x", count: 33), String(repeating: "x", count: 64),
        ]
        let sent = try unfit.map { try topic($0) }
        #expect(Set(sent).count == unfit.count)
        for topic in sent {
            #expect(topic.utf8.count == 32)
            #expect(topic.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
        }
    }

    @Test("PUSH-3: a message is measured before it is built, and refused with its size when it is too large")
    func size() throws {
        let campaign = try Fixtures.campaign()
        let room =
            try 3_993 - WebPushPayloadTemplate(content: PushContent(title: "a", body: ""), campaign: campaign).size
        let full = PushContent(title: "a", body: String(repeating: "x", count: room))
        #expect(try WebPushPayloadTemplate(content: full, campaign: campaign).size == 3_993)
        #expect(try makeRequest(full, recipient: "ibkvewEO91kg").body.count == 4_096)
        let over = PushContent(title: "a", body: String(repeating: "x", count: room + 1))
        #expect(throws: PushRequestError.payloadTooLarge(bytes: 3_994)) {
            try makeRequest(over, recipient: "ibkvewEO91kg")
        }
        let infinite = PushContent(title: "a", body: "b", custom: ["n": .number(.infinity)])
        #expect(throws: PushRequestError.contentNotEncodable) { try makeRequest(infinite) }
    }

    private func topic(_ collapseID: String?, campaign: CampaignID? = nil) throws -> String {
        let request = try makeRequest(PushContent(title: "a", body: "b", collapseId: collapseID), campaign: campaign)
        return try #require(request.fields.first { $0.name == "topic" }).value
    }

    private func makeRequest(
        _ content: PushContent,
        campaign: CampaignID? = nil,
        recipient: String = "mark",
        expiresAt: Date = Fixtures.now.addingTimeInterval(3_600)
    ) throws -> PushRequest {
        let template = try WebPushRequestTemplate(
            content: content, campaign: campaign ?? Fixtures.campaign(), expiresAt: expiresAt
        )
        return try template.request(
            subscription: browser.subscription(), message: Fixtures.message(), recipient: recipient,
            now: Fixtures.now, keys: Fixtures.ephemeralKeys(),
            common: template.commonHeaders(authorization: "vapid t=a, k=b")
        )
    }
}
