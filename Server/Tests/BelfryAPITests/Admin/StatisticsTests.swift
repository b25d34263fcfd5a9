import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Figures, the calendar and people over the admin API")
struct StatisticsTests {
    private static func campaign(_ name: String, at: String? = nil) -> String {
        let schedule = at.map { #","schedule":{"at":"\#($0)"}"# } ?? ""
        return #"""
            {"name":"\#(name)","kind":"push","audience":{"everyone":true},"push":{"title":"Hi","body":"There"}\#(schedule)}
            """#
    }

    @Test("CON-4, CON-6, CON-7: days, hours, calendar, pressure and people have what the console shows")
    func reads() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/credentials/apns", try Credentials.body())
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await device.call(.put, "/client/push-token", #"{"pushToken":"\#(PushTokenTests.token)"}"#)
            let created = try await server.admin(.post, "/apps/shop/campaigns", Self.campaign("Autumn sale"))
            let id = try created.json(CampaignStatusResponse.self).id
            _ = try await server.admin(.post, "/apps/shop/campaigns/\(id)/launch")
            while try await server.planner.planNext() {}
            let later = Timestamp.text(server.clock.now.addingTimeInterval(7_200))
            for name in ["First", "Second"] {
                let planned = try await server.admin(.post, "/apps/shop/campaigns", Self.campaign(name, at: later))
                let id = try planned.json(CampaignStatusResponse.self).id
                #expect(try await server.admin(.post, "/apps/shop/campaigns/\(id)/launch").status == .accepted)
            }

            let days = try await server.admin(.get, "/apps/shop/statistics/days?days=7")
                .json(DayStatisticsResponse.self)
            #expect(days.days.count == 7 && days.unusual.isEmpty)
            let hours = try await server.admin(.get, "/apps/shop/campaigns/\(id)/hours").json(
                CampaignHoursResponse.self)
            #expect(hours.hours.map(\.accepted) == [0])
            let day = String(later.prefix(10))
            let calendar = try await server.admin(.get, "/apps/shop/calendar?from=\(day)&days=1")
                .json(CalendarResponse.self)
            #expect(calendar.campaigns.map(\.name).suffix(2) == ["First", "Second"])
            #expect(calendar.campaigns.last?.begins == later)
            let pressure = try await server.admin(.post, "/apps/shop/calendar/pressure?from=\(day)&days=1")
                .json(PressureResponse.self)
            #expect(pressure.devices == 1 && pressure.overlaps.map(\.devices).contains(1))
            let people = try await server.admin(.get, "/apps/shop/campaigns/\(id)/recipients?state=pending")
                .json(RecipientsResponse.self)
            #expect(people.recipients.map(\.contactKey) == ["anna"] && people.cursor == nil)
            let found = try await server.admin(.get, "/apps/shop/search?q=autumn").json(SearchResponse.self)
            #expect(found.campaigns.map(\.id) == [id] && found.contacts.isEmpty)
            #expect(
                try await server.admin(.get, "/apps/shop/search?q=an").json(SearchResponse.self).contacts == ["anna"])
        }
    }

    @Test("ADM-3: days and words that are none are refused, each with its name; other apps' campaigns are not found")
    func rejections() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let other = try await server.makeApp("other")
            let created = try await server.admin(.post, "/apps/shop/campaigns", Self.campaign("Sale"))
            let id = try created.json(CampaignStatusResponse.self).id
            for (path, target) in [
                ("/statistics/days?days=0", "days"), ("/statistics/days?days=9999", "days"),
                ("/calendar?days=43", "days"), ("/calendar?from=2026-02-30", "from"), ("/calendar?from=today", "from"),
                ("/campaigns/\(id)/recipients?state=sent", "state"),
                ("/campaigns/\(id)/recipients?engagement=none", "engagement"),
                ("/campaigns/\(id)/recipients?limit=0", "limit"), ("/campaigns/\(id)/recipients?reason=%00", "reason"),
                ("/search?q=a%00", "q"),
            ] {
                let response = try await server.admin(.get, "/apps/shop\(path)")
                #expect(response.status == .badRequest && response.text.contains("\"target\":\"\(target)\""), "\(path)")
            }
            for path in ["hours", "recipients"] {
                let foreign = try await server.admin(.get, "/apps/other/campaigns/\(id)/\(path)", key: other)
                #expect(foreign.status == .notFound, "\(path)")
                let unknown = try await server.admin(.get, "/apps/shop/campaigns/999/\(path)")
                #expect(unknown.status == .notFound, "\(path)")
            }
        }
    }
}
