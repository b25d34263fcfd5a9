import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryTestSupport
import Foundation
import Testing

/// What pushes say to clients of Mobile Engage v3. How these read them, the process tests show with a client of theirs.
@Suite("Pushes for v3 clients")
struct V3PayloadTests {
    private static let text = #"Hello "Anna" \ {é}"#
    private let content = PushContent(
        title: V3PayloadTests.text, body: "World", imageUrl: "https://example.com/a.png",
        action: NotificationAction(type: .openUrl, url: "shop://bag?a=1&b=2"),
        buttons: [
            NotificationButton(
                id: "web", text: "Web", action: NotificationAction(type: .openUrl, url: "https://example.com")),
            NotificationButton(
                id: "rich", text: "Page",
                action: NotificationAction(type: .openRichMessage, url: "https://example.com/r")),
            NotificationButton(id: "go", text: "Go \"now\"", action: NotificationAction(type: .launchApp)),
            NotificationButton(id: "plain", text: "Plain"),
        ],
        collapseId: "score", custom: ["shop": "Paris", "count": 3], androidChannel: "offers",
        androidVisibility: .nothing
    )
    private static let actions: JSONValue = [
        ["id": "web", "title": "Web", "type": "OpenExternalUrl", "url": "https://example.com"],
        ["id": "rich", "title": "Page", "type": "OpenExternalUrl", "url": "https://example.com/r"],
        ["id": "go", "title": "Go \"now\"", "type": "LaunchApp"],
        ["id": "plain", "title": "Plain", "type": "LaunchApp"],
    ]
    private static let defaultAction: JSONValue = ["type": "OpenExternalUrl", "url": "shop://bag?a=1&b=2"]

    @Test("WIRE-29: a client is served in the flat form from 3.7.4 on; no client of v3, no form of v3")
    func formats() {
        let table: [(String, PushFormat)] = [
            ("3.7.4", .v3Flat), ("3.7.3", .v3), ("3.10.2", .v3Flat), ("4.0.0", .v3Flat), ("3.7", .v3), ("3.0.0", .v3),
            ("3.8", .v3Flat), ("3.7.4-rc1", .v3Flat), ("", .v3), ("x", .v3), ("99999999999999999999.1.1", .v3),
        ]
        for (version, format) in table { #expect(PushFormat(V3Client(version: version)) == format, "\(version)") }
        #expect(PushFormat(nil) == .belfry)
    }

    @Test(
        "WIRE-29, PUSH-1: APNs' payload has what these clients read, beside Belfry's own object",
        arguments: [
            PushFormat.v3, .v3Flat,
        ])
    func apns(format: PushFormat) throws {
        var content = content
        content.custom = ["shop": "Paris", "u": "x", "ems": "x", "ems_msg": "x", "image_url": "x"]
        let payload = try apnsPayload(content, .alert, format)
        #expect(Set(payload.keys) == ["aps", "belfry", "ems", "ems_msg", "image_url", "shop", "u"])
        let sid = JSONValue.string(try Fixtures.message().text)
        #expect(payload["u"] == ["sid": sid] && payload["belfry"]["sid"] == sid)
        #expect(payload["image_url"] == "https://example.com/a.png")
        #expect(payload["aps"]["mutable-content"] == 1)
        #expect(
            payload["ems"] == [
                "multichannelId": "7", "default_action": Self.defaultAction, "actions": Self.actions,
            ]
        )
        // Their other half is what a client of ours gets.
        let ours = try apnsPayload(content, .alert, .belfry)
        #expect(payload["aps"] == ours["aps"] && payload["belfry"] == ours["belfry"])
        #expect(Set(ours.keys) == ["aps", "belfry", "ems", "ems_msg", "image_url", "shop", "u"])
        #expect(ours["u"] == "x")
    }

    @Test("WIRE-29, PUSH-2: FCM's message has data alone; for clients before 3.7.4 the vendor's part is JSON text")
    func nested() throws {
        let message = try fcmMessage(content, .alert, .v3)
        #expect(Set(message.keys) == ["android", "data", "token"])
        #expect(message["android"] == ["priority": "HIGH", "ttl": "60s", "collapse_key": "score"])
        let data = message["data"]
        let sid = try Fixtures.message().text
        #expect(
            Set(data.keys) == [
                "belfry", "body", "channel_id", "count", "ems", "ems_msg", "image_url", "message_id", "shop", "title",
                "u",
            ]
        )
        #expect(data["title"] == .string(Self.text) && data["body"] == "World")
        #expect(data["channel_id"] == "offers" && data["message_id"] == .string(sid) && data["count"] == "3")
        #expect(try JSONValue(parsing: Array(data["u"].text.utf8)) == ["sid": .string(sid)])
        #expect(
            try JSONValue(parsing: Array(data["ems"].text.utf8)) == [
                "multichannelId": "7", "default_action": Self.defaultAction, "actions": Self.actions,
                "notificationMethod": ["collapseId": "score", "operation": "INIT"],
            ]
        )
        #expect(try JSONValue(parsing: Array(data["belfry"].text.utf8))["sid"] == .string(sid))
    }

    @Test("WIRE-29, PUSH-2: from 3.7.4 on the keys are flat, and the app's own have a place of their own")
    func flat() throws {
        let data = try fcmMessage(content, .alert, .v3Flat)["data"]
        let sid = JSONValue.string(try Fixtures.message().text)
        let plain: [String: JSONValue] = [
            "ems.version": "FCM_V2", "ems.message_id": sid, "ems.sid": sid, "ems.multichannel_id": "7",
            "notification.title": .string(Self.text), "notification.body": "World",
            "notification.image": "https://example.com/a.png", "notification.channel_id": "offers",
            "ems.notification_method.collapse_key": "score", "ems.notification_method.operation": "INIT",
            "ems.tap_actions.default_action.type": "OpenExternalUrl",
            "ems.tap_actions.default_action.url": "shop://bag?a=1&b=2",
        ]
        #expect(Set(data.keys) == Set(plain.keys).union(["belfry", "ems.actions", "ems.root_params"]))
        for (key, value) in plain { #expect(data[key] == value, "\(key)") }
        #expect(try JSONValue(parsing: Array(data["ems.actions"].text.utf8)) == Self.actions)
        #expect(try JSONValue(parsing: Array(data["ems.root_params"].text.utf8)) == ["shop": "Paris", "count": "3"])
    }

    @Test("WIRE-29: a push that names no channel uses one that the app has")
    func channel() throws {
        var content = content
        content.androidChannel = nil
        #expect(try fcmMessage(content, .alert, .v3, channel: "news\"")["data"]["channel_id"] == "news\"")
        #expect(try fcmMessage(content, .alert, .v3Flat, channel: "news")["data"]["notification.channel_id"] == "news")
    }

    @Test("WIRE-29: a silent push shows nothing, and an app's keys pass for nothing of the vendor's")
    func silent() throws {
        let content = PushContent(
            title: "", body: "", custom: ["title": "x", "u": "x", "shop": "Paris", "icon_url": "x", "channel_id": "x"]
        )
        for style in [PushStyle.silent, .badge] {
            let nested = try fcmMessage(content, style, .v3)["data"]
            #expect(Set(nested.keys) == ["belfry", "ems", "ems_msg", "message_id", "shop", "u"])
            #expect(try JSONValue(parsing: Array(nested["ems"].text.utf8)) == ["multichannelId": "7", "silent": true])
            let flat = try fcmMessage(content, style, .v3Flat)["data"]
            #expect(
                Set(flat.keys) == [
                    "belfry", "ems.message_id", "ems.multichannel_id", "ems.root_params", "ems.sid", "ems.silent",
                    "ems.version",
                ]
            )
            #expect(flat["ems.silent"] == "true")
            #expect(try apnsPayload(content, style, .v3)["ems"] == ["multichannelId": "7"])
        }
    }

    @Test(
        "WIRE-29, PUSH-7: a push that belongs to no campaign has nothing for these clients",
        arguments: [
            PushFormat.v3, .v3Flat,
        ])
    func syncPush(format: PushFormat) throws {
        let content = SilentPush.content(of: .inApp)
        func bodies(_ format: PushFormat) throws -> [[UInt8]] {
            let apns = try APNsPayloadTemplate(content: content, style: .silent, format: format, campaign: nil)
            let fcm = try FCMRequestTemplate(
                content: content, style: .silent, format: format, campaign: nil, expiresAt: Fixtures.now
            )
            let request = try fcm.request(
                path: "/", token: "tok", message: Fixtures.message(), recipient: "mark", now: Fixtures.now,
                common: fcm.commonHeaders(accessToken: "x")
            )
            return [try apns.payload(sid: "s", recipient: "mark"), request.body]
        }
        #expect(try bodies(format) == bodies(.belfry))
    }

    @Test(
        "WIRE-29, PUSH-1, PUSH-2: the services' limits hold, counted as the services count",
        arguments: ["x", "é", "\""])
    func size(filling: String) throws {
        let campaign = try Fixtures.campaign()
        for format in [PushFormat.v3, .v3Flat] {
            func content(_ body: String) -> PushContent {
                PushContent(title: filling, body: body, custom: ["k": "\"v\""])
            }
            let room = try 4_096 - FCMPayloadTemplate(content: content(""), format: format, campaign: campaign).size
            let width = filling.utf8.count
            let body = String(repeating: filling, count: room / width) + String(repeating: "x", count: room % width)
            let data = try fcmMessage(content(body), .alert, format, recipient: "ibkvewEO91kg")["data"]
            #expect(data.keys.reduce(0) { $0 + $1.utf8.count + data[$1].text.utf8.count } == 4_096)
            #expect(throws: PushRequestError.payloadTooLarge(bytes: 4_097)) {
                try fcmMessage(content(body + "x"), .alert, format, recipient: "ibkvewEO91kg")
            }
        }
        let small = PushContent(title: "a", body: "")
        let size = try APNsPayloadTemplate(content: small, format: .v3, campaign: campaign).size
        let full = PushContent(title: "a", body: String(repeating: "x", count: 4_096 - size))
        #expect(try APNsPayloadTemplate(content: full, format: .v3, campaign: campaign).size == 4_096)
        let over = PushContent(title: "a", body: String(repeating: "x", count: 4_097 - size))
        #expect(throws: PushRequestError.payloadTooLarge(bytes: 4_097)) {
            let sid = try Fixtures.message().text
            _ = try APNsPayloadTemplate(content: over, format: .v3, campaign: campaign)
                .payload(sid: sid, recipient: "ibkvewEO91kg")
        }
    }

    private func apnsPayload(_ content: PushContent, _ style: PushStyle, _ format: PushFormat) throws -> JSONValue {
        let template = try APNsPayloadTemplate(
            content: content, style: style, format: format, campaign: Fixtures.campaign()
        )
        return try JSONValue(parsing: template.payload(sid: Fixtures.message().text, recipient: "mark"))
    }

    @discardableResult
    private func fcmMessage(
        _ content: PushContent, _ style: PushStyle, _ format: PushFormat, channel: String? = nil,
        recipient: String = "mark"
    ) throws -> JSONValue {
        let template = try FCMRequestTemplate(
            content: content, style: style, format: format, campaign: Fixtures.campaign(),
            expiresAt: Fixtures.now.addingTimeInterval(60)
        )
        let request = try template.request(
            path: "/", token: "tok", message: Fixtures.message(), recipient: recipient, channel: channel,
            now: Fixtures.now, common: template.commonHeaders(accessToken: "x")
        )
        return try JSONValue(parsing: request.body)["message"]
    }
}
