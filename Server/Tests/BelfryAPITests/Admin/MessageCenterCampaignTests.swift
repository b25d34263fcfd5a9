import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@testable import BelfryServices

@Suite("Campaigns that keep a message, over the admin API")
struct MessageCenterCampaignTests {
    private static func body(
        _ content: String, kind: String = "messageCenter", push: String? = nil
    ) -> String {
        let push = push.map { #","push":\#($0)"# } ?? ""
        return #"{"name":"News","kind":"\#(kind)","audience":{"everyone":true}\#(push),"messageCenter":\#(content)}"#
    }

    private static let push = #"{"title":"Hi","body":"There"}"#

    @Test("ADM-2, MC-3: a message is saved as it was written, its date in the app's zone, and read back in UTC")
    func saved() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"timeZone":"Europe/Paris"}"#)
            let content = #"""
                {"center":"Primary","subject":"Hi","message":"There","iconUrl":"https://example.com/a.png",
                "deeplinkUrl":"shop://x","richHtml":"<p>","expiresAt":"2026-12-01T09:00:00",
                "badge":{"op":"increment","value":2},"custom":{"sku":"42"},
                "variants":{"fr":{"subject":"Salut","richUrl":"https://example.com/fr"}},"defaults":null}
                """#
            let created = try await server.admin(.post, "/apps/shop/campaigns", Self.body(content))
            #expect(created.status == .created)
            let response = try await server.admin(.get, "/apps/shop/campaigns/1")
            let message = MessageCenterContent(
                center: "Primary", subject: "Hi", message: "There", iconUrl: "https://example.com/a.png",
                deeplinkUrl: "shop://x", richHtml: "<p>", expiresAt: Timestamp.date("2026-12-01T08:00:00Z"),
                badge: BadgeChange(op: .increment, value: 2), custom: ["sku": "42"],
                variants: ["fr": MessageCenterVariant(subject: "Salut", richUrl: "https://example.com/fr")]
            )
            #expect(try response.json(CampaignResponse.self).messageCenter == message)
            #expect(response.text.contains(#""expiresAt":"2026-12-01T08:00:00.000Z""#))
            let kept = Self.body("{}", kind: "pushAndMessageCenter", push: Self.push)
            #expect(try await server.admin(.put, "/apps/shop/campaigns/1", kept).status == .ok)
            let updated = try await server.admin(.get, "/apps/shop/campaigns/1").json(CampaignResponse.self)
            #expect(updated.kind == .pushAndMessageCenter && updated.messageCenter == MessageCenterContent())
        }
    }

    /// Bodies that are refused, with the status and the target. None changes anything, so one server takes them all.
    private static let bad: [(String, Int, String)] = [
        (body(#"{"subject":1,"message":"m"}"#), 400, "messageCenter.subject"),
        (body(#"{"subject":"s","message":"m","expiresAt":"soon"}"#), 400, "messageCenter.expiresAt"),
        (body(#"{"subject":"s","message":"m","badge":{"op":"add"}}"#), 400, "messageCenter.badge.op"),
        (body(#"{"subject":"s","message":"m","badge":{}}"#), 400, "messageCenter.badge.op"),
        (
            body(#"{"subject":"s","message":"m","badge":{"op":"set","value":1.5}}"#), 400,
            "messageCenter.badge.value"
        ),
        (body(#"{"subject":"s","message":"m","custom":{"a":[]}}"#), 400, "messageCenter.custom.a"),
        (body(#"{"subject":"s","message":"m","variants":[]}"#), 400, "messageCenter.variants"),
        (body(#"{"message":"m"}"#), 422, "messageCenter.subject"),
        (body(#"{"subject":"s","message":"m","center":"news"}"#), 422, "messageCenter.center"),
        (body(#"{"subject":"s","message":"m","center":"a b"}"#), 422, "messageCenter.center"),
        (body(#"{"subject":"s","message":"m","richHtml":"{{{x}}}"}"#), 422, "messageCenter.richHtml"),
        (body(#"{"subject":"s","message":"m","badge":{"op":"set","value":-1}}"#), 422, "messageCenter.badge.value"),
        (body(#"{"subject":"s","message":"m"}"#, push: push), 422, "push"),
        (body(#"{"subject":"s","message":"m"}"#, kind: "push", push: push), 422, "messageCenter"),
        (body("null"), 422, "messageCenter"), (body("{}", kind: "pushAndMessageCenter"), 422, "push"),
    ]

    @Test("ADM-3: a bad message is a 400 for its shape and a 422 for its meaning, by field, and changes nothing")
    func badMessages() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            for (body, status, target) in Self.bad {
                let response = try await server.admin(.post, "/apps/shop/campaigns", body)
                #expect(response.status.code == status, "\(body)")
                #expect(try response.json(ErrorBody.self).error.target == target, "\(body)")
                #expect(try await server.contents() == before, "\(body)")
            }
        }
    }

    @Test("ADM-3: every unreadable date of a campaign is reported")
    func dates() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let content = #"{"subject":"s","message":"m","expiresAt":"later"},"schedule":{"at":"soon"}"#
            let response = try await server.admin(.post, "/apps/shop/campaigns", Self.body(content))
            #expect(response.status == .badRequest)
            let error = try response.json(ErrorBody.self)
            #expect(
                [error.error.target] + (error.details ?? []).map(\.target) == [
                    "messageCenter.expiresAt", "schedule.at",
                ]
            )
        }
    }

    @Test("MC-8, WIRE-10: a device gets exactly what a campaign keeps, including its addresses")
    func bodies() throws {
        let content = MessageCenterContent(
            center: "news", subject: "Say \"hi\"", message: "a\nb", iconUrl: "https://example.com/a%20b.png",
            deeplinkUrl: "shop://x?y=1&z=(é)", richHtml: "<p>", expiresAt: Date(timeIntervalSince1970: 0),
            custom: ["sku": "42", "count": 3, "vip": true]
        )
        let members = try MessageCenterBodyText.make(content)
        let json = #"{"id":"a","sent_ts":"2026-11-21T12:00:00.000Z","state":"read",\#(members)}"#
        let body = try JSONDecoder().decode(MessageCenterMessageBody.self, from: Data(json.utf8))
        #expect(
            body
                == MessageCenterMessageBody(
                    id: "a", sentAt: "2026-11-21T12:00:00.000Z", subject: content.subject, message: content.message,
                    deeplinkURL: content.deeplinkUrl.map(WireURL.encoded),
                    iconURL: content.iconUrl.map(WireURL.encoded),
                    expiresAt: "1970-01-01T00:00:00.000Z", center: "news", hasRichContent: true, state: .read,
                    custom: content.custom
                )
        )
        #expect(body.deeplinkURL.flatMap(WireURL.decoded) == content.deeplinkUrl)
    }
}
