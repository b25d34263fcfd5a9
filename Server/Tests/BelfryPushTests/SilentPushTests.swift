import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryTestSupport
import Crypto
import Foundation
import Testing

struct SilentPushTests {
    private let content = PushContent(
        title: "unseen", body: "unseen", imageUrl: "https://example.com/a.png", sound: "default",
        action: NotificationAction(type: .launchApp), buttons: [NotificationButton(id: "yes", text: "Yes")],
        custom: ["refresh": "news"], category: "c", threadId: "t", interruptionLevel: .critical, relevanceScore: 1,
        targetContentId: "w", filterCriteria: "f", androidChannel: "ch", androidVisibility: .everything
    )

    @Test("PUSH-7: a silent push to APNs is a background push of priority 5 that shows nothing")
    func apns() throws {
        let template = try APNsRequestTemplate(
            content: content, style: .silent, campaign: Fixtures.campaign(), expiresAt: Fixtures.now
        )
        let common = template.commonHeaders(credentials: try Fixtures.credentials(), providerToken: "jwt")
        #expect(common.fields.contains(HeaderField("apns-push-type", "background")))
        #expect(common.fields.contains(HeaderField("apns-priority", "5")))
        let request = try template.request(
            token: "ab", message: Fixtures.message(), recipient: "mark", common: common
        )
        let body = try JSONValue(parsing: request.body)
        #expect(body["aps"] == ["content-available": 1])
        #expect(body["refresh"] == "news")
        let sid = JSONValue.string(try Fixtures.message().text)
        #expect(body["belfry"] == ["campaign": "7", "sid": sid, "to": "mark"])
    }

    @Test(
        "PUSH-7: APNs takes no background push of priority 10", arguments: [(10, "5"), (5, "5"), (1, "1"), (nil, "5")])
    func apnsPriority(_ priority: Int?, sent: String) throws {
        let template = try APNsRequestTemplate(
            content: PushContent(title: "", body: "", priority: priority), style: .silent,
            campaign: Fixtures.campaign(), expiresAt: Fixtures.now
        )
        let common = template.commonHeaders(credentials: try Fixtures.credentials(), providerToken: "jwt")
        #expect(common.fields.contains(HeaderField("apns-priority", sent)))
    }

    @Test("PUSH-7: a silent push to FCM has only data, with normal priority")
    func fcm() throws {
        let template = try FCMRequestTemplate(
            content: content, style: .silent, campaign: Fixtures.campaign(), expiresAt: Fixtures.now
        )
        let request = try template.request(
            path: "/", token: "tok", message: Fixtures.message(), recipient: "mark", now: Fixtures.now,
            common: template.commonHeaders(accessToken: "t")
        )
        let message = try JSONValue(parsing: request.body)["message"]
        #expect(Set(message.keys) == ["android", "data", "token"])
        #expect(Set(message["android"].keys) == ["collapse_key", "priority", "ttl"])
        #expect(message["android"]["priority"] == "NORMAL")
        #expect(Set(message["data"].keys) == ["belfry", "refresh"])
        let belfry = try JSONValue(parsing: Array(message["data"]["belfry"].text.utf8))
        #expect(Set(belfry.keys) == ["campaign", "sid", "to"])
    }

    @Test("PUSH-7: a silent push to a browser has no notification, and is not urgent")
    func webPush() throws {
        let browser = DecryptingBrowser()
        let template = try WebPushRequestTemplate(
            content: content, style: .silent, campaign: Fixtures.campaign(), expiresAt: Fixtures.now
        )
        let common = template.commonHeaders(authorization: "vapid")
        #expect(common.fields.contains(HeaderField("urgency", "normal")))
        let request = try template.request(
            subscription: browser.subscription(), message: Fixtures.message(), recipient: "mark", now: Fixtures.now,
            keys: Fixtures.ephemeralKeys(), common: common
        )
        let body = try JSONValue(parsing: try browser.decrypt(request.body))
        #expect(Set(body.keys) == ["belfry", "data"])
        #expect(body["data"] == ["refresh": "news"])
        #expect(Set(body["belfry"].keys) == ["campaign", "sid", "to"])
    }
}
