import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Schedules and trials of campaigns over the admin API")
struct CampaignTrialTests {
    private static func body(_ schedule: String) -> String {
        """
        {"name":"Sale","kind":"push","audience":{"everyone":true},"push":{"title":"Hi","body":"There"},
        "schedule":\(schedule)}
        """
    }

    @Test("ADM-2: a date without an offset is in the app's time zone, and is answered in UTC")
    func zone() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"timeZone":"Europe/Paris"}"#)
            let schedule = #"{"at":"2026-12-01T09:00:00","expiresAt":"2026-12-02T09:00:00+00:00"}"#
            let created = try await server.admin(.post, "/apps/shop/campaigns", Self.body(schedule))
            #expect(created.status == .created)
            let campaign = try await server.admin(.get, "/apps/shop/campaigns/1").json(CampaignAnswer.self)
            #expect(campaign.schedule?.at == Timestamp.date("2026-12-01T08:00:00Z"))
            #expect(campaign.schedule?.expiresAt == Timestamp.date("2026-12-02T09:00:00Z"))
            let local = try await server.admin(
                .put, "/apps/shop/campaigns/1", Self.body(#"{"localAt":"2026-12-01T09:00"}"#)
            )
            #expect(local.status == .ok)
            let answer = try await server.admin(.get, "/apps/shop/campaigns/1")
            #expect(answer.text.contains(#""schedule":{"localAt":"2026-12-01T09:00:00"}"#))
        }
    }

    @Test("ADM-3: both dates that cannot be read are named")
    func dates() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let body = Self.body(#"{"at":"2026-02-30T09:00:00","expiresAt":"soon"}"#)
            let answer = try await server.admin(.post, "/apps/shop/campaigns", body)
            #expect(answer.status == .badRequest)
            let error = try answer.json(ErrorBody.self)
            #expect(
                [error.error.target] + (error.details ?? []).map(\.target) == ["schedule.at", "schedule.expiresAt"])
        }
    }

    @Test("CAMP-7: a trial names how many devices it takes")
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
                let answer = try await server.admin(.post, "/apps/shop/campaigns/1/\(trial)", body)
                try expectRefusal(answer, .unprocessableContent, "outOfRange", target: target)
            }
        }
    }
}
