import BelfryModel
import BelfryStore
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Badges")
struct BadgeTests {
    private static func put(_ body: String, _ device: TestDevice) async throws -> APIResponse {
        var device = device
        return try await device.call(.put, "/client/badge", body)
    }

    @Test("WIRE-12, BADGE-1: a badge is set, up to the app's maximum, and each change increases its revision by one")
    func set() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"maxBadgeCount":20}"#)
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            #expect(try await device.badge() == Badge.none)
            let steps = [
                ("3", 3), ("20", 20), ("21", 20), ("9223372036854775807", 20), ("9223372036854775808", 20), ("0", 0),
                ("1e30", 20), ("1234567890123456789012345678901234567890", 20),
            ]
            for (index, step) in steps.enumerated() {
                let response = try await Self.put(#"{"count":\#(step.0)}"#, device)
                #expect(response.status == .ok && response.header("X-Client-State") != nil)
                let badge = Badge(count: step.1, revision: Int64(index + 1))
                #expect(try response.json(Badge.self) == badge)
                #expect(try await device.badge() == badge)
                #expect(try await server.device(device.id).badge == badge)
            }
        }
    }

    @Test("WIRE-12: a value below 0, or not a number, is a 400 that changes nothing")
    func rejections() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            try await device.call(.put, "/client/badge", #"{"count":3}"#)
            let before = try await server.contents()
            let cases = [
                (#"{"count":-1}"#, "invalidBadge", "count"),
                (#"{"count":1,"revision":-1}"#, "invalidBadge", "revision"),
                (#"{"count":-9223372036854775809}"#, "invalidBadge", "count"),
                (#"{"count":-1e30}"#, "invalidBadge", "count"),
                (#"{"count":1.5}"#, "invalidBody", "count"), (#"{"count":"1"}"#, "invalidBody", "count"),
                ("{}", "invalidBody", "count"), (#"{"revision":1}"#, "invalidBody", "count"),
            ]
            for (body, code, target) in cases {
                try expectError(try await Self.put(body, device), .badRequest, code, target: target, "\(body)")
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("BADGE-1: when the maximum is lowered, a greater number is reported as the maximum everywhere")
    func loweredMaximum() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let set = #"{"count":50,"revision":0}"#
            #expect(try await Self.put(set, device).json(Badge.self) == Badge(count: 50, revision: 1))
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"maxBadgeCount":20}"#)
            let lowered = Badge(count: 20, revision: 1)
            #expect(try await device.badge() == lowered)
            let fetched = try await device.call(.get, "/client/message-centers").json(MessageCentersResponse.self)
            #expect(fetched.badge == lowered)
            #expect(try await server.device(device.id).badge == lowered)
            // The response to a repetition, too.
            #expect(try await Self.put(set, device).json(Badge.self) == lowered)
        }
    }

    @Test("BADGE-5, WIRE-25: a repeated call after a lost response does not undo a campaign's change")
    func lostAnswer() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let cleared = #"{"count":0,"revision":0}"#
            #expect(try await Self.put(cleared, device).json(Badge.self) == Badge(count: 0, revision: 1))
            try await Self.increment(device)
            #expect(try await device.badge() == Badge(count: 1, revision: 2))
            #expect(try await Self.put(cleared, device).json(Badge.self) == Badge(count: 1, revision: 2))
            // Sent again, about the present badge, it counts.
            let again = try await Self.put(#"{"count":0,"revision":2}"#, device).json(Badge.self)
            #expect(again == Badge(count: 0, revision: 3))
        }
    }

    /// As a campaign does.
    private static func increment(_ device: TestDevice) async throws {
        let client = try DeviceID(device.id)
        let campaign = try #require(CampaignID(1))
        try await device.server.database.write { connection in
            let app = try #require(try connection.apps.find(try AppCode("shop")))
            let row = try #require(try connection.devices.find(app: app.id, client: client))
            try connection.execute(
                """
                INSERT INTO deliveries (campaign_id, device_id, contact_id, state, attempts, updated_at)
                VALUES (?, ?, ?, 'pending', 0, 0)
                """,
                [.integer(campaign.number), .integer(row.id), .optional(row.contact)]
            )
            _ = try connection.badges.apply(
                BadgeChange(op: .increment), devices: [row.id], campaign: campaign, maximum: 99
            )
        }
    }

    @Test("ID-4: another person on the device begins without a badge, and each device has its own")
    func persons() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await device.call(.put, "/client/badge", #"{"count":7}"#)
            var tablet = TestDevice(server)
            try await tablet.start(contactKey: "anna")
            #expect(try await tablet.badge() == Badge.none)
            server.clock.advance(by: 1)
            try await device.call(.post, "/client/contact", #"{"contactFieldValue":"bert"}"#)
            #expect(try await device.badge() == Badge(count: 0, revision: 2))
        }
    }
}
