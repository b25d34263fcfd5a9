import BelfryAPI
import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Schedules and trials of campaigns over the admin API")
struct CampaignPreviewTests {
    private static func body(_ schedule: String) -> String {
        """
        {"name":"Sale","kind":"push","audience":{"everyone":true},"push":{"title":"Hi","body":"There"},
        "schedule":\(schedule)}
        """
    }

    @Test("ADM-2: a date without an offset is in the app's time zone, and is returned in UTC")
    func zone() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"timeZone":"Europe/Paris"}"#)
            let schedule = #"{"at":"2026-12-01T09:00:00","expiresAt":"2026-12-02T09:00:00+00:00"}"#
            let created = try await server.admin(.post, "/apps/shop/campaigns", Self.body(schedule))
            #expect(created.status == .created)
            let campaign = try await server.admin(.get, "/apps/shop/campaigns/1").json(CampaignResponse.self)
            #expect(campaign.schedule?.at == Timestamp.date("2026-12-01T08:00:00Z"))
            #expect(campaign.schedule?.expiresAt == Timestamp.date("2026-12-02T09:00:00Z"))
            let local = try await server.admin(
                .put, "/apps/shop/campaigns/1", Self.body(#"{"localAt":"2026-12-01T09:00"}"#)
            )
            #expect(local.status == .ok)
            let response = try await server.admin(.get, "/apps/shop/campaigns/1")
            #expect(response.text.contains(#""schedule":{"localAt":"2026-12-01T09:00:00"}"#))
        }
    }

    @Test("ADM-3: both unreadable dates are reported")
    func dates() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let body = Self.body(#"{"at":"2026-02-30T09:00:00","expiresAt":"soon"}"#)
            let response = try await server.admin(.post, "/apps/shop/campaigns", body)
            #expect(response.status == .badRequest)
            let error = try response.json(ErrorBody.self)
            #expect(
                [error.error.target] + (error.details ?? []).map(\.target) == ["schedule.at", "schedule.expiresAt"])
        }
    }

    @Test("CAMP-7: an error says how many devices a preview or a test send may have")
    func bounds() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body("{}"))
            let many = (0...20).map { #""\#($0)""# }.joined(separator: ",")
            let cases = [
                ("preview", #"{"limit":0}"#, "limit"), ("preview", #"{"limit":21}"#, "limit"),
                ("preview", #"{"deviceIds":[]}"#, "deviceIds"), ("preview", #"{"deviceIds":[\#(many)]}"#, "deviceIds"),
                ("test", #"{"deviceIds":[]}"#, "deviceIds"), ("test", #"{"deviceIds":[\#(many)]}"#, "deviceIds"),
            ]
            for (trial, body, target) in cases {
                let response = try await server.admin(.post, "/apps/shop/campaigns/1/\(trial)", body)
                try expectError(response, .unprocessableContent, "outOfRange", target: target)
            }
        }
    }

    @Test("CAMP-7: a device that is not there is refused by its place in the list")
    func unknownDevice() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body("{}"))
            let message = #"{"subject":"s","message":"m"}"#
            let center =
                #"{"name":"N","kind":"messageCenter","audience":{"everyone":true},"messageCenter":\#(message)}"#
            _ = try await server.admin(.post, "/apps/shop/campaigns", center)
            for path in ["1/preview", "1/test", "2/test"] {
                for (devices, place) in [(#""nobody""#, 0), (#""\#(device.id)","nobody""#, 1)] {
                    let body = #"{"deviceIds":[\#(devices)]}"#
                    let response = try await server.admin(.post, "/apps/shop/campaigns/\(path)", body)
                    try expectError(response, .notFound, "notFound", target: "deviceIds[\(place)]")
                }
            }
            // Each test was told of before it was tried (ADM-1).
            let lines = try await server.services.access.log.list(
                matching: AuditLog.Search(), before: nil, limit: 50
            ).entries
            let tests = lines.reversed().map(\.action).filter { $0.hasPrefix("campaign.test") }
            #expect(tests == (1...4).flatMap { _ in ["campaign.test.begin", "campaign.test.fail"] })
        }
    }

    @Test("CAMP-7: an unknown device whose id begins another one's is refused by its own place, and so is a long id")
    func unknownBeginning() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            device.id = "abc1"
            try await device.start(contactKey: "anna")
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body("{}"))
            for id in ["abc", String(repeating: "x", count: 100)] {
                let body = #"{"deviceIds":["abc1","\#(id)"]}"#
                let response = try await server.admin(.post, "/apps/shop/campaigns/1/preview", body)
                try expectError(response, .notFound, "notFound", target: "deviceIds[1]")
            }
        }
    }

    @Test("CAMP-4, SEC-2: a preview's response has at most 4 MiB; a recipient beyond it is named and left out")
    func longPreview() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for number in 0..<20 {
                var device = TestDevice(server)
                try await device.start(contactKey: "person\(number)")
            }
            let html = String(repeating: "a", count: 262_000)
            let campaign = """
                {"name":"Long","kind":"messageCenter","audience":{"everyone":true},"messageCenter":\
                {"subject":"s","message":"m","richHtml":"\(html)"}}
                """
            #expect(try await server.admin(.post, "/apps/shop/campaigns", campaign).status == .created)
            let path = "/apps/shop/campaigns/1/preview"
            let response = try await server.admin(.post, path, #"{"limit":20}"#)
            #expect(response.status == .ok && response.text.utf8.count <= 4 * 1_048_576)
            let previews = try response.json(CampaignPreviewResponse.self).previews
            #expect(previews.count == 20 && Set(previews.map(\.deviceId)).count == 20)
            let whole = previews.prefix { $0.problem == nil }
            #expect(whole.count == 15 && whole.allSatisfy { $0.messageCenter?.richHtml == html })
            let others = previews.dropFirst(whole.count)
            #expect(others.allSatisfy { $0.messageCenter == nil && $0.problem?.contains("left out") == true })
            let last = try #require(others.last?.deviceId)
            let alone = try await server.admin(.post, path, #"{"deviceIds":["\#(last)"]}"#)
            #expect(try alone.json(CampaignPreviewResponse.self).previews.first?.messageCenter?.richHtml == html)
        }
    }

    @Test("SEC-2, CON-5: a draft's preview has at most 4 MiB, however many pairs and however long values it has")
    func longDraft() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let reader = try await server.makeKey(["read"])
            func shown(_ pairs: Int, _ value: String) async throws -> DraftPreviewResponse {
                let custom = (0..<pairs).map { #""\#($0)":"a{{device.locale}}""# }.joined(separator: ",")
                let body = """
                    {"campaign":{"name":"N","kind":"push","audience":{"everyone":true},"push":{"title":"t","body":"b",\
                    "custom":{\(custom)}}},"values":{"device.locale":"\(value)"}}
                    """
                let response = try await server.admin(.post, "/apps/shop/preview", body, key: reader)
                #expect(response.status == .ok && response.text.utf8.count <= 4 * 1_048_576)
                return try response.json(DraftPreviewResponse.self)
            }
            let many = try await shown(32_000, String(repeating: "x", count: 1_000))
            #expect(many.push?.custom?["0"] == "a{{device.locale}}" && many.problem?.contains("4096 bytes") == true)
            let long = try await shown(800, String(repeating: "x", count: 60_000))
            #expect(long.push?.custom?["0"] == "a{{device.locale}}" && long.problem?.contains("together") == true)
            // Each quote is two bytes of JSON.
            let quotes = try await shown(100, String(repeating: #"\""#, count: 30_000))
            #expect(quotes.push == nil && quotes.problem?.contains("left out") == true)
            let few = try await shown(100, "de")
            #expect(few.push?.custom?["99"] == "ade" && few.problem == nil)
        }
    }

    /// The responses to the calls of one limiter, and to those of the other one.
    private static func answers(
        _ server: TestServer, areTests: Bool, key: String
    ) async throws -> (own: [APIResponse], others: [APIResponse]) {
        let previews = [
            try await server.admin(.post, "/apps/shop/campaigns/1/preview", "{}", key: key),
            try await server.admin(.post, "/apps/shop/campaigns/1/dry-run", key: key),
            try await server.admin(.post, "/apps/shop/audience", #"{"audience":{"everyone":true}}"#, key: key),
            try await server.admin(.get, "/apps/shop/campaigns/1/versions/1/differences", key: key),
        ]
        let tests = [
            try await server.admin(.post, "/apps/shop/campaigns/1/test", #"{"deviceIds":["x"]}"#, key: key)
        ]
        return areTests ? (tests, previews) : (previews, tests)
    }

    @Test(
        "SEC-2: a key runs four previews or counts at once, all keys eight, and as many test messages",
        arguments: [false, true])
    func atOnce(areTests: Bool) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body("{}"))
            let other = try await server.makeKey(["read", "campaign"])
            let gate = areTests ? server.services.testSends : server.services.previews
            let root = try await server.services.access.principal(bearer: TestServer.rootKey)
            let third = try await server.services.access.principal(bearer: try await server.makeKey(["read"]))
            func expect(isRejected: Bool, _ key: String) async throws {
                let answers = try await Self.answers(server, areTests: areTests, key: key)
                #expect(answers.others.allSatisfy { $0.status != .tooManyRequests })
                guard isRejected else {
                    #expect(answers.own.allSatisfy { $0.status != .tooManyRequests })
                    return
                }
                for response in answers.own {
                    try expectError(response, .tooManyRequests, "tooManyRequests", target: "trials")
                    #expect(response.header("Retry-After") == "1")
                    let message = try response.json(ErrorBody.self).error.message
                    #expect(message.contains(areTests ? "test sends" : "counts, searches and comparisons"))
                }
            }
            try await Self.hold(4, gate, root) {
                try await expect(isRejected: true, TestServer.rootKey)
                try await expect(isRejected: false, other)
                try await Self.hold(4, gate, third) { try await expect(isRejected: true, other) }
            }
            try await expect(isRejected: false, TestServer.rootKey)
        }
    }

    @Test("SEC-2: a body is read only once its call has a place")
    func bodies() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body("{}"))
            let root = try await server.services.access.principal(bearer: TestServer.rootKey)
            let many = Array(repeating: "{}", count: 20_000).joined(separator: ",")
            let bodies = [
                ("/audience", #"{"audience":{"all":[\#(many)]}}"#), ("/campaigns/1/preview", #"{"limit":"1"}"#),
                ("/campaigns/1/test", #"{"deviceIds":1}"#),
            ]
            try await Self.hold(4, server.services.previews, root) {
                try await Self.hold(4, server.services.testSends, root) {
                    for (path, body) in bodies {
                        let response = try await server.admin(.post, "/apps/shop\(path)", body)
                        try expectError(response, .tooManyRequests, "tooManyRequests", target: "trials")
                    }
                }
            }
            let answers = [
                try await server.admin(.post, "/apps/shop\(bodies[0].0)", bodies[0].1),
                try await server.admin(.post, "/apps/shop\(bodies[1].0)", bodies[1].1),
                try await server.admin(.post, "/apps/shop\(bodies[2].0)", bodies[2].1),
            ]
            try expectError(answers[0], .unprocessableContent, "tooComplex", target: nil)
            try expectError(answers[1], .badRequest, "invalidBody", target: "limit")
            try expectError(answers[2], .badRequest, "invalidBody", target: "deviceIds")
        }
    }

    /// Runs a test while so many trials of a principal are being made.
    private static func hold(
        _ count: Int, _ gate: PreviewLimiter, _ principal: AdminPrincipal, _ test: () async throws -> Void
    ) async throws {
        guard count > 0 else { return try await test() }
        try await gate.pass(principal) { try await hold(count - 1, gate, principal, test) }
    }
}
