import BelfryAPI
import BelfryServerModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Hummingbird
import Testing

/// What a campaign's answer says makes the same campaign again (CLI-7).
@Suite("Campaigns that are read and written again")
struct CampaignRoundTripTests {
    private static let path = "/apps/shop/campaigns"

    /// One of each kind, with a value in every field that the kind may have.
    private static let campaigns = [
        """
        {"name":"Sale","kind":"push","audience":{"any":[{"tag":"a"},{"not":{"attribute":"city","op":"in",
        "value":["Paris","Oslo"]}},{"event":"purchase","count":{"op":">=","value":2},"within":"P30D"}]},
        "push":{"title":"Hi {{city}}","subtitle":"Now","body":"There","imageUrl":"https://example.com/a.png",
        "sound":"default","action":{"type":"openUrl","url":"app://x"},"buttons":[{"id":"a","text":"A"}],
        "collapseId":"sale","ttlSeconds":60,"priority":5,"custom":{"sku":"42","n":1.5,"b":true},"category":"offers",
        "threadId":"sale","interruptionLevel":"active","androidChannel":"news","androidVisibility":"secret",
        "badge":{"op":"increment","value":1},"defaults":{"city":"you"},"variants":{"fr":{"title":"Salut"}}},
        "schedule":{"at":"2026-11-30T09:00:00","quietHours":{"from":"22:00","to":"08:00","then":"suppress"},
        "frequencyCap":{"count":3,"within":"P7D"},"expiresAt":"2027-01-01T00:00:00","ratePerSecond":1000}}
        """,
        """
        {"name":"Kept","kind":"pushAndMessageCenter","audience":{"everyone":true},
        "push":{"title":"Hi","body":"There","badge":{"op":"set","value":3},"variants":{"fr":{"title":"Salut"}}},
        "messageCenter":{"center":"Primary","iconUrl":"https://example.com/a.png","richHtml":"<p>Hi</p>",
        "expiresAt":"2027-01-01T00:00:00","custom":{"sku":"42"},"variants":{"fr":{"subject":"Là"}}},
        "schedule":{"localAt":"2026-12-01T09:00"}}
        """,
        """
        {"name":"Quiet","kind":"messageCenter","audience":{"contactKeys":["a","é"]},
        "messageCenter":{"subject":"Hi","message":"There","deeplinkUrl":"app://x","badge":{"op":"clear"},
        "defaults":{"city":"you"}}}
        """,
        CallStage.inAppCampaign,
        #"{"name":"Wake","kind":"silent","audience":{"known":true},"push":{"custom":{"refresh":"all"}}}"#,
    ]

    /// As `belfry campaign show --json` prints it.
    private static func shown(_ id: String, _ server: TestServer) async throws -> (
        text: String, answer: CampaignResponse
    ) {
        let answer = try await server.admin(.get, "\(path)/\(id)").json(CampaignResponse.self)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (String(decoding: try encoder.encode(answer), as: UTF8.self), answer)
    }

    private static func create(_ body: String, _ server: TestServer) async throws -> String? {
        let response = try await server.admin(.post, path, body)
        guard response.status == .created else { return nil }
        return try response.json(CampaignStatusResponse.self).id
    }

    private static func expectSame(_ one: CampaignResponse, _ other: CampaignResponse) {
        #expect(one.name == other.name && one.kind == other.kind && one.audience == other.audience)
        #expect(one.push == other.push && one.messageCenter == other.messageCenter)
        #expect(one.inApp == other.inApp && one.schedule == other.schedule)
    }

    @Test(
        "CLI-7: for every kind, what is shown of a campaign is taken as it is, and makes the same campaign",
        arguments: Endurance.seeds(20, brief: 4)
    )
    func roundTrip(seed: UInt64) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"timeZone":"Europe/Paris"}"#)
            var generator = SeededGenerator(seed: seed)
            var kinds: Set<CampaignKind> = []
            for text in Self.campaigns {
                // Whole first, then without some of its parts, as far as it is still a campaign.
                for round in 0..<6 {
                    let whole = try JSONValue(json: text)
                    let body = round == 0 ? whole : whole.thinned(&generator)
                    guard let id = try await Self.create(body.text, server) else {
                        #expect(round > 0, "\(text.prefix(80))")
                        continue
                    }
                    let (shown, answer) = try await Self.shown(id, server)
                    kinds.insert(answer.kind)
                    let again = try #require(try await Self.create(shown, server), "seed \(seed): \(shown)")
                    Self.expectSame(answer, try await Self.shown(again, server).answer)
                    let update = try await server.admin(.put, "\(Self.path)/\(again)", shown)
                    #expect(update.status == .ok, "seed \(seed): \(update.text)")
                    Self.expectSame(answer, try await Self.shown(again, server).answer)
                    #expect(try await Self.shown(again, server).answer.id == again)
                }
            }
            #expect(kinds == Set(CampaignKind.allCases))
        }
    }

    @Test("CLI-7, IAM-4: what is shown of a launched in-app message publishes it anew; its figures are not taken over")
    func launched() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            let id = try #require(try await Self.create(CallStage.inAppCampaign, server))
            #expect(try await server.admin(.post, "\(Self.path)/\(id)/launch").status == .accepted)
            var body = try JSONValue(json: try await Self.shown(id, server).text)
            #expect(body["launchedAt"] != nil && body["inAppCounts"] != nil)
            body["counts"]?["audience"] = .number(99)
            body["status"] = .string("completed")
            body["id"] = .string("77")
            #expect(try await server.admin(.put, "\(Self.path)/\(id)", body.text).status == .ok)
            let after = try await Self.shown(id, server).answer
            #expect(after.status == .active && after.counts.audience == 0)
        }
    }

    @Test("ADM-3: a key that no answer has is refused by its name as before")
    func unknown() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var body = try JSONValue(json: Self.campaigns[4])
            body["launchedAd"] = .string("2026-11-21T12:00:00Z")
            let response = try await server.admin(.post, Self.path, body.text)
            try expectError(response, .unprocessableContent, "notSupported", target: "launchedAd")
            #expect(response.text.contains("launchedAt"))
        }
    }
}

extension JSONValue {
    /// Without some of its members, at any depth.
    fileprivate func thinned(_ generator: inout SeededGenerator) -> JSONValue {
        guard case .object(let members) = self else { return self }
        var result: [String: JSONValue] = [:]
        for (key, value) in members.sorted(by: { $0.key < $1.key }) where Int.random(in: 0..<8, using: &generator) > 0 {
            result[key] = value.thinned(&generator)
        }
        return .object(result)
    }
}
