import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

/// The push that tells a device to fetch (PUSH-7).
struct SyncPushTests {
    private let device = DeviceID(stored: "00000000-0000-4000-8000-000000000001")
    private static let expiresAt = Date(timeIntervalSince1970: 2_000_000_000)

    private var sid: MessageID { .make(silentPush: 1_795_262_400_000, device: device) }

    @Test("PUSH-7, IAM-2: for APNs it is a background push with what to fetch, and no campaign")
    func apns() throws {
        let template = try APNsRequestTemplate(
            content: SilentPush.content(of: .inApp), style: .silent, extras: PushExtras(.inApp), campaign: nil,
            expiresAt: Self.expiresAt
        )
        let common = template.commonHeaders(credentials: try Fixtures.credentials(), providerToken: "jwt")
        #expect(common.fields.contains(HeaderField("apns-push-type", "background")))
        #expect(common.fields.contains(HeaderField("apns-priority", "5")))
        let request = try template.request(token: "ab", message: sid, recipient: "mark", common: common)
        #expect(
            request.fields == [
                HeaderField("apns-id", sid.text), HeaderField("apns-collapse-id", "belfry-sync-1"),
                HeaderField("apns-expiration", "2000000000"),
            ]
        )
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"aps":{"content-available":1},"belfry":{"sid":"\#(sid.text)","sync":["inApp"],"to":"mark"}}"#
        )
    }

    @Test("PUSH-7: for FCM it is only data; several reasons are several words")
    func fcm() throws {
        let reasons: SilentPushReasons = [.inApp, .messageCenter]
        let template = try FCMRequestTemplate(
            content: SilentPush.content(of: reasons), style: .silent, extras: PushExtras(reasons), campaign: nil,
            expiresAt: Self.expiresAt
        )
        let request = try template.request(
            path: "/p", token: "tok", message: sid, recipient: "mark", now: Self.expiresAt.addingTimeInterval(-60),
            common: template.commonHeaders(accessToken: "access")
        )
        let message = try JSONValue(parsing: request.body)["message"]
        #expect(Set(message.keys) == ["android", "data", "token"])
        #expect(message["android"] == ["collapse_key": "belfry-sync-3", "priority": "NORMAL", "ttl": "60s"])
        let belfry = try JSONValue(parsing: Array(message["data"]["belfry"].text.utf8))
        #expect(Set(belfry.keys) == ["sid", "sync", "to"] && belfry["sync"] == ["inApp", "messageCenter"])
    }

    @Test("PUSH-7: pushes with different content do not replace each other at the push service")
    func collapseIDs() {
        let all: [SilentPushReasons] = [.inApp, .messageCenter, [.inApp, .messageCenter]]
        #expect(Set(all.map { SilentPush.content(of: $0).collapseId }).count == 3)
    }

    @Test("PUSH-7: its id is the same at each attempt, differs for each push and device, and has no campaign")
    func id() throws {
        #expect(sid == MessageID.make(silentPush: 1_795_262_400_000, device: device))
        #expect(sid != MessageID.make(silentPush: 1_795_262_400_001, device: device))
        let other = DeviceID(stored: "00000000-0000-4000-8000-000000000002")
        #expect(sid != MessageID.make(silentPush: 1_795_262_400_000, device: other))
        #expect(sid.campaign == nil)
        let text = sid.text
        #expect(MessageID(text) == sid && Array(text)[14] == "8" && "89ab".contains(Array(text)[19]))
    }
}
