import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Campaigns over the admin API")
struct CampaignTests {
    private static func body(_ push: String = "", _ others: String = "", audience: String = #"{"everyone":true}"#)
        -> String
    {
        #"{"name":"Sale","kind":"push","audience":\#(audience),"push":{"title":"Hi","body":"There"\#(push)}\#(others)}"#
    }

    @Test("ADM-2, CAMP-2: a campaign goes from draft to cancelled, and every step may be repeated")
    func life() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/credentials/apns", try Credentials.body())
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await device.call(.put, "/client/push-token", #"{"pushToken":"\#(PushTokenTests.token)"}"#)

            let created = try await server.admin(.post, "/apps/shop/campaigns", Self.body())
            #expect(created.status == .created)
            let id = try created.json(CampaignStatusResponse.self).id
            let path = "/apps/shop/campaigns/\(id)"
            #expect(try created.json(CampaignStatusResponse.self).status == .draft)
            let updated = try await server.admin(.put, path, Self.body(#","subtitle":"Now""#))
            #expect(updated.status == .ok)

            let steps: [(String, CampaignStatus)] = [
                ("launch", .sending), ("pause", .paused), ("resume", .sending), ("cancel", .cancelled),
            ]
            for (step, status) in steps {
                for _ in 0..<2 {
                    let response = try await server.admin(.post, "\(path)/\(step)")
                    #expect(response.status == .accepted)
                    #expect(try response.json(CampaignStatusResponse.self).status == status)
                }
                if step == "launch" { while try await server.planner.planNext() {} }
            }
            let campaign = try await server.admin(.get, path).json(CampaignResponse.self)
            #expect(campaign.id == id && campaign.kind == .push && campaign.status == .cancelled)
            #expect(campaign.push?.subtitle == "Now")
            #expect(campaign.counts.audience == 1 && campaign.counts.pending == 1)
            try expectError(try await server.admin(.put, path, Self.body()), .conflict, "conflict")
            try expectError(try await server.admin(.post, "\(path)/launch"), .conflict, "conflict")

            let explained = try await server.admin(.get, "/apps/shop/explain?campaign=\(id)&device=\(device.id)")
            #expect(try explained.json(ExplainResponse.self).state == "pending")
        }
    }

    @Test("ADM-2: a launch without credentials is a conflict that says what to do")
    func withoutCredentials() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body())
            let response = try await server.admin(.post, "/apps/shop/campaigns/1/launch")
            try expectError(response, .conflict, "conflict")
            #expect(response.text.contains("credentials/apns"))
        }
    }

    @Test(
        "ADM-2: unknown fields are reported, never left out",
        arguments: [
            (body(#","badge":{"op":"set","valu":1}"#), "push.badge.valu", "value"),
            (body("", #","inapp":{}"#), "inapp", "inApp"),
            (body("", #","messageCenter":{"subjct":"s"}"#), "messageCenter.subjct", "subject"),
            (body("", #","messageCenter":{"variants":{"fr":{"badge":1}}}"#), "messageCenter.variants.fr.badge", nil),
            (body("", #","messageCenter":{"badge":{"by":1}}"#), "messageCenter.badge.by", nil),
            (body("", #","schedule":{"when":"2026-11-21T12:00:00Z"}"#), "schedule.when", nil),
            (
                body("", #","schedule":{"quietHours":{"form":"22:00","to":"08:00"}}"#), "schedule.quietHours.form",
                "from"
            ),
            (body(#","variants":{"fr":{"titel":"x"}}"#), "push.variants.fr.titel", "title"),
            (body(#","subtitel":"x""#), "push.subtitel", "subtitle"),
            (body(#","action":{"type":"openUrl","uri":"app://x"}"#), "push.action.uri", "url"),
            (body(#","buttons":[{"id":"a","text":"A"},{"id":"b","txt":"B"}]"#), "push.buttons[1].txt", "text"),
            (body(audience: #"{"event":"purchase","count":{"op":">=","valu":2}}"#), "audience.count.valu", "value"),
            (body(audience: #"{"all":[{"tag":"a","within":"P1D"}]}"#), "audience.all[0].within", nil),
            (body(audience: #"{"known":true,"op":"==","value":1}"#), "audience.op", nil),
            (body(audience: #"{"event":"a","where":{"not":{"attr":"b"}}}"#), "audience.where.not.attr", nil),
            (body(audience: #"{"all":[{"tag":"a"},{"not":{"tags":"b"}}]}"#), "audience.all[1].not.tags", "tag"),
        ] as [(String, String, String?)]
    )
    func unknownKeys(body: String, target: String, nearest: String?) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            let response = try await server.admin(.post, "/apps/shop/campaigns", body)
            try expectError(response, .unprocessableContent, "notSupported", target: target)
            let message = try response.json(ErrorBody.self).error.message
            #expect(message.contains("not supported by this version"))
            if let nearest { #expect(message.contains("Did you mean '\(nearest)'?")) }
            #expect(try await server.contents() == before)
        }
    }

    @Test("ADM-3: several unknown fields are all reported; an explicit null is not; custom keys are the app's own")
    func severalUnknownKeys() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let two = Self.body(#","alert":1,"thread":"x""#, #","inapp":{}"#)
            let response = try await server.admin(.post, "/apps/shop/campaigns", two).json(ErrorBody.self)
            let targets = [response.error.target] + (response.details ?? []).map(\.target)
            #expect(targets == ["inapp", "push.alert", "push.thread"])

            let fine = Self.body(#","badge":null,"custom":{"anything":1,"gone":null}"#, #","schedule":null"#)
            let created = try await server.admin(.post, "/apps/shop/campaigns", fine)
            #expect(created.status == .created)
            let campaign = try await server.admin(.get, "/apps/shop/campaigns/1").json(CampaignResponse.self)
            #expect(campaign.push?.custom == ["anything": 1])
        }
    }

    /// Bodies that are refused, with the status and the target. None changes anything, so one server takes them all.
    private static let bad: [(String, Int, String)] = [
        ("{}", 400, "name"), (#"{"name":"n","kind":"push","audience":{"everyone":true}}"#, 422, "push"),
        (body(audience: "{}"), 400, "audience"), (body(audience: #"{"everyone":false}"#), 400, "audience.everyone"),
        (body(audience: #"{"attribute":"city","op":"~","value":1}"#), 400, "audience.op"),
        (body(audience: #"{"device":"colour","op":"==","value":1}"#), 400, "audience.device"),
        (body(audience: #"{"attribute":"city","op":"==","value":"Paris"}"#), 422, "audience.attribute"),
        (body(#","priority":7"#), 422, "push.priority"), (body(#","ttlSeconds":1.5"#), 400, "push.ttlSeconds"),
        (body(#","action":{"type":"openUrl"}"#), 422, "push.action.url"),
        (body(#","action":{"type":"jump"}"#), 400, "push.action.type"),
        (body(#","buttons":{}"#), 400, "push.buttons"), (body(#","custom":{"a":[]}"#), 400, "push.custom.a"),
        (#"{"name":" ","kind":"push","audience":{"everyone":true},"push":{"title":"t","body":"b"}}"#, 422, "name"),
        (#"{"name":"n","kind":"inApp","audience":{"everyone":true}}"#, 422, "inApp"),
        (#"{"name":"n","kind":"push","audience":{"everyone":true},"push":{"body":"b"}}"#, 422, "push.title"),
        (body(#","custom":{"a":{"b":1}}"#), 400, "push.custom.a"),
        (body(#","interruptionLevel":"loud""#), 400, "push.interruptionLevel"),
        (body(#","relevanceScore":"high""#), 400, "push.relevanceScore"),
        (body(#","relevanceScore":1.01"#), 422, "push.relevanceScore"),
        (body(#","relevanceScore":-0.01"#), 422, "push.relevanceScore"),
        (body(#","targetContentId":"""#), 422, "push.targetContentId"),
        (body(#","androidVisibility":"hidden""#), 400, "push.androidVisibility"),
        (body(#","filterCriteria":1"#), 400, "push.filterCriteria"),
        (body(#","analyticsLabel":"winter sale""#), 422, "push.analyticsLabel"),
        (body(#","variants":{"fr":{"title":"{{x}}"}}"#), 422, "push.variants.fr.title"),
        (body("", #","schedule":{"at":"tomorrow"}"#), 400, "schedule.at"),
        (body("", #","schedule":{"localAt":"2026-12-01T09:00:00Z"}"#), 400, "schedule.localAt"),
        (body("", #","schedule":{"quietHours":{"from":"22:00","to":"8:00"}}"#), 400, "schedule.quietHours.to"),
        (
            body("", #","schedule":{"frequencyCap":{"count":1,"within":"P1M"}}"#), 400,
            "schedule.frequencyCap.within"
        ),
        (body("", #","schedule":{"ratePerSecond":0}"#), 422, "schedule.ratePerSecond"),
        (#"{"name":"n","kind":"letter","audience":{"everyone":true}}"#, 400, "kind"),
    ]

    @Test("ADM-3: a bad campaign is a 400 for its shape and a 422 for its meaning, by field")
    func badCampaigns() async throws {
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

    @Test("ADM-3: campaigns are listed newest first, page by page")
    func pages() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for _ in 0..<5 { _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body()) }
            var ids: [String] = []
            var cursor: String?
            var pages = 0
            repeat {
                let more = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await server.admin(.get, "/apps/shop/campaigns?limit=2\(more)")
                    .json(CampaignListResponse.self)
                ids += page.campaigns.map(\.id)
                cursor = page.cursor
                pages += 1
            } while cursor != nil
            #expect(ids == ["5", "4", "3", "2", "1"])
            #expect(pages == 3)
            // A full last page is the last.
            let all = try await server.admin(.get, "/apps/shop/campaigns?limit=5").json(CampaignListResponse.self)
            #expect(all.campaigns.count == 5 && all.cursor == nil)
            for (query, target) in [
                ("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"), ("limit=", "limit"),
                ("cursor=x", "cursor"),
            ] {
                let response = try await server.admin(.get, "/apps/shop/campaigns?\(query)")
                #expect(response.status == .badRequest)
                #expect(try response.json(ErrorBody.self).error.target == target)
            }
        }
    }

    @Test(
        "ADM-2: an unknown campaign, another app's, or an invalid number is a 404",
        arguments: ["9", "x", "0", "-1", "1.0"])
    func notFound(id: String) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.makeApp("other")
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body())
            for path in ["/apps/shop/campaigns/\(id)", "/apps/other/campaigns/1"] {
                try expectError(try await server.admin(.get, path), .notFound, "notFound", target: "campaign")
                let put = try await server.admin(.put, path, Self.body())
                try expectError(put, .notFound, "notFound", target: "campaign")
                for step in ["launch", "pause", "resume", "cancel"] {
                    let response = try await server.admin(.post, "\(path)/\(step)")
                    try expectError(response, .notFound, "notFound", target: "campaign")
                }
            }
        }
    }
}
