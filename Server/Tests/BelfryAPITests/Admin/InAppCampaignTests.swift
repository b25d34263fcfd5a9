import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("In-app campaigns over the admin API")
struct InAppCampaignTests {
    private static let path = "/apps/shop/campaigns"

    private static func body(
        _ message: String = #"{"type":"modal","trigger":{"event":"session:start"},"content":{"title":"Hi"}}"#,
        _ more: String = ""
    ) -> String {
        #"{"name":"News","kind":"inApp","audience":{"everyone":true},"inApp":\#(message)\#(more)}"#
    }

    /// A modal with more in its content, and more beside it.
    private static func modal(_ content: String, _ more: String = "") -> String {
        body(#"{"type":"modal","trigger":{"event":"a"},"content":{"title":"Hi"\#(content)}\#(more)}"#)
    }

    @Test("ADM-2, IAM-1: a message is saved as it was written, its dates in the app's zone, and read back in UTC")
    func saved() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"timeZone":"Europe/Paris"}"#)
            let message = ##"""
                {"type":"bannerTop","priority":5,"trigger":{"event":"purchase","where":
                {"attribute":"price","op":">","value":10},"occurrence":2},"startsAt":"2026-12-01T09:00:00",
                "endsAt":"2026-12-02T09:00:00Z","displayLimit":3,"delaySeconds":10,"content":{"title":"Hi",
                "body":"There","buttons":[{"id":"go","text":"Go","action":{"type":"openUrl","url":"shop://x"}}],
                "colors":{"text":"#000000"}},"variants":{"fr":{"title":"Salut","buttons":{"go":"Va"}}},"defaults":null}
                """##
            let created = try await server.admin(.post, Self.path, Self.body(message))
            #expect(created.status == .created)
            let response = try await server.admin(.get, "\(Self.path)/1")
            let expected = InAppDraft(
                type: .bannerTop, priority: 5,
                trigger: InAppTrigger(event: "purchase", filter: .attribute("price", .greater(10)), occurrence: 2),
                startsAt: Timestamp.date("2026-12-01T08:00:00Z"), endsAt: Timestamp.date("2026-12-02T09:00:00Z"),
                displayLimit: 3, delaySeconds: 10,
                content: InAppContent(
                    title: "Hi", body: "There",
                    buttons: [InAppButton(id: "go", text: "Go", action: .init(type: .openUrl, url: "shop://x"))],
                    colors: InAppColors(text: "#000000")
                ),
                variants: ["fr": InAppVariant(title: "Salut", buttons: ["go": "Va"])]
            )
            let campaign = try response.json(CampaignResponse.self)
            #expect(campaign.inApp == expected && campaign.inAppVersion == 1 && campaign.kind == .inApp)
            #expect(campaign.inAppCounts == InAppCounts())
            #expect(response.text.contains(#""startsAt":"2026-12-01T08:00:00.000Z""#))
        }
    }

    @Test("CAMP-2, IAM-4, IAM-10: one is launched without credentials, edited, deleted and recalled")
    func life() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.post, Self.path, Self.body())
            let path = "\(Self.path)/1"
            for (step, status) in [("launch", CampaignStatus.active), ("pause", .paused), ("resume", .active)] {
                for _ in 0..<2 {
                    let response = try await server.admin(.post, "\(path)/\(step)")
                    #expect(response.status == .accepted)
                    #expect(try response.json(CampaignStatusResponse.self).status == status)
                }
            }
            let edit = Self.body(
                #"{"type":"modal","trigger":{"event":"a"},"content":{"title":"New"},"resetDisplays":true}"#
            )
            let edited = try await server.admin(.put, path, edit)
            #expect(edited.status == .ok)
            #expect(try edited.json(CampaignStatusResponse.self).status == .active)
            var campaign = try await server.admin(.get, path).json(CampaignResponse.self)
            #expect(campaign.inAppVersion == 2 && campaign.inApp?.content.title == "New" && campaign.deletedAt == nil)

            for _ in 0..<2 {
                let deleted = try await server.admin(.delete, path)
                #expect(deleted.status == .noContent && deleted.text.isEmpty)
            }
            campaign = try await server.admin(.get, path).json(CampaignResponse.self)
            #expect(campaign.status == .cancelled && campaign.deletedAt != nil && campaign.recalledAt == nil)
            let list = try await server.admin(.get, Self.path).json(CampaignListResponse.self)
            #expect(list.campaigns.isEmpty)
            for _ in 0..<2 {
                let recalled = try await server.admin(.post, "\(path)/recall")
                #expect(recalled.status == .accepted)
                #expect(try recalled.json(CampaignStatusResponse.self).status == .cancelled)
            }
            campaign = try await server.admin(.get, path).json(CampaignResponse.self)
            #expect(campaign.recalledAt != nil)
            try expectError(try await server.admin(.put, path, Self.body()), .conflict, "conflict")
        }
    }

    @Test("ADM-2: an impossible deletion or recall is a conflict; a deleted draft is gone")
    func conflicts() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.post, Self.path, Self.body())
            try expectError(try await server.admin(.post, "\(Self.path)/1/recall"), .conflict, "conflict")
            #expect(try await server.admin(.delete, "\(Self.path)/1").status == .noContent)
            for method in [HTTPRequest.Method.get, .delete] {
                let response = try await server.admin(method, "\(Self.path)/1")
                try expectError(response, .notFound, "notFound", target: "campaign")
            }
            let message = #"{"name":"n","kind":"messageCenter","audience":{"everyone":true},"#
            _ = try await server.admin(.post, Self.path, message + #""messageCenter":{"subject":"s","message":"m"}}"#)
            _ = try await server.admin(.post, "\(Self.path)/2/launch")
            let response = try await server.admin(.delete, "\(Self.path)/2")
            try expectError(response, .conflict, "conflict")
            #expect(response.text.contains("Cancel it first"))
            #expect(try await server.admin(.post, "\(Self.path)/2/recall").status == .accepted)
            let reader = try await server.makeKey(["read"])
            for (method, path) in [(HTTPRequest.Method.delete, "/2"), (.post, "/2/recall")] {
                let response = try await server.admin(method, Self.path + path, key: reader)
                try expectError(response, .forbidden, "forbidden")
            }
        }
    }

    /// Bodies that are refused, with the status and the target. None changes anything, so one server takes them all.
    private static let bad: [(String, Int, String)] = [
        (body(#"{"type":"modal","content":{"title":"Hi"}}"#), 422, "inApp.trigger"),
        (body(#"{"type":"modal","trigger":{},"content":{"title":"Hi"}}"#), 400, "inApp.trigger.event"),
        (body(#"{"type":"modal","trigger":{"event":" "},"content":{"title":"Hi"}}"#), 422, "inApp.trigger.event"),
        (body(#"{"type":"modal","trigger":{"event":1},"content":{"title":"Hi"}}"#), 400, "inApp.trigger.event"),
        (body(#"{"type":"modal","trigger":{"event":"a"}}"#), 400, "inApp.content"),
        (body(#"{"trigger":{"event":"a"},"content":{"title":"Hi"}}"#), 400, "inApp.type"),
        (body(#"{"type":"popup","content":{"title":"Hi"}}"#), 400, "inApp.type"),
        (modal("", #","trgger":{}"#), 422, "inApp.trgger"),
        (modal(#","buttons":[{"id":"a","text":"A"}]"#), 400, "inApp.content.buttons[0].action"),
        (
            modal(#","buttons":[{"id":"a","text":"A","action":{"type":"openUrl"}}]"#), 422,
            "inApp.content.buttons[0].action.url"
        ),
        (
            modal(#","buttons":[{"id":"a","text":"A","action":{"type":"jump"}}]"#), 400,
            "inApp.content.buttons[0].action.type"
        ),
        (
            modal(#","buttons":[{"id":"a","text":"A","action":{"type":"close","uri":"x"}}]"#), 422,
            "inApp.content.buttons[0].action.uri"
        ),
        (modal(#","colors":{"text":"red"}"#), 422, "inApp.content.colors.text"),
        (modal(##","colors":{"background":"#000000"}"##), 422, "inApp.content.colors.background"),
        (modal("", #","startsAt":"2027-01-02T00:00:00Z","endsAt":"2027-01-01T00:00:00Z""#), 422, "inApp.endsAt"),
        (modal("", #","endsAt":"soon""#), 400, "inApp.endsAt"),
        (modal("", #","displayLimit":0"#), 422, "inApp.displayLimit"),
        (modal("", #","resetDisplays":"yes""#), 400, "inApp.resetDisplays"),
        (
            body(#"{"type":"html","trigger":{"event":"a"},"content":{"html":"<script>1</script>"}}"#), 422,
            "inApp.content.html"
        ),
        (
            body(
                #"{"type":"modal","trigger":{"event":"a","where":{"tag":"vip"}},"content":{"title":"Hi"}}"#), 422,
            "inApp.trigger.where.tag"
        ),
        (
            body(
                #"{"type":"modal","trigger":{"event":"a","where":{"attribute":"b","op":"=="}},"#
                    + #""content":{"title":"Hi"}}"#
            ),
            400, "inApp.trigger.where.value"
        ),
        (
            body(
                #"{"type":"modal","trigger":{"event":"a"},"content":{"title":"Hi"}}"#,
                #","schedule":{"ratePerSecond":5}"#), 422, "schedule.ratePerSecond"
        ),
        (
            body(
                #"{"type":"modal","trigger":{"event":"a"},"content":{"title":"Hi"}}"#,
                #","push":{"title":"a","body":"b"}"#), 422, "push"
        ),
    ]

    @Test("ADM-3: a bad message is a 400 for its shape and a 422 for its meaning, by field, and changes nothing")
    func badMessages() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            for (body, status, target) in Self.bad {
                let response = try await server.admin(.post, Self.path, body)
                #expect(response.status.code == status, "\(body): \(response.text)")
                #expect(try response.json(ErrorBody.self).error.target == target, "\(body): \(response.text)")
                #expect(try await server.contents() == before, "\(body)")
            }
        }
    }

    @Test("IAM-12: HTML beyond its size is refused with its field and both numbers")
    func tooLarge() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            func saved(_ count: Int) async throws -> APIResponse {
                let html = String(repeating: "x", count: count)
                return try await server.admin(
                    .post, Self.path,
                    Self.body(#"{"type":"html","trigger":{"event":"a"},"content":{"html":"\#(html)"}}"#)
                )
            }
            #expect(try await saved(262_144).status == .created)
            let response = try await saved(262_145)
            try expectError(response, .unprocessableContent, "tooLong", target: "inApp.content.html")
            #expect(response.text.contains("262144") && response.text.contains("262145"))
        }
    }

    @Test("CAMP-4, CAMP-7, IAM-12: a preview has the page that devices show; a dry run says who would download it")
    func trials() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            _ = try await server.admin(.post, Self.path, Self.body())
            let previewed = try await server.admin(.post, "\(Self.path)/1/preview", "{}")
            #expect(previewed.status == .ok)
            let preview = try #require(try previewed.json(CampaignPreviewResponse.self).previews.first)
            #expect(preview.deviceId == device.id && preview.inApp?.title == "Hi" && preview.title == nil)
            let page = try #require(preview.html)
            #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("Content-Security-Policy"))
            // The page is JSON here, and nowhere a page of this server's own (SEC-4).
            #expect(previewed.header("Content-Type") == "application/json")
            let run = try await server.admin(.post, "\(Self.path)/1/dry-run").json(DryRunResponse.self)
            #expect(run.audience == 1 && run.wouldSend == 1)
            let body = #"{"deviceIds":["\#(device.id)"]}"#
            let test = try await server.admin(.post, "\(Self.path)/1/test", body).json(TestSendResponse.self)
            #expect(test.results.map(\.state) == [.pending] && test.results.map(\.deviceId) == [device.id])
        }
    }
}
