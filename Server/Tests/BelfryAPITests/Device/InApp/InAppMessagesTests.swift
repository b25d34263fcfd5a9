import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("In-app messages")
struct InAppMessagesTests {
    /// Makes the campaign of a modal and launches it; returns its number.
    private static func publish(_ server: TestServer, _ others: String = "") async throws -> String {
        let message = #"""
            {"type":"modal","trigger":{"event":"purchase","where":{"attribute":"total","op":">","value":10}},
             "content":{"title":"Sale","buttons":[{"id":"go","text":"Go","action":{"type":"close"}}]}\#(others)}
            """#
        let body = #"{"name":"Sale","kind":"inApp","audience":{"everyone":true},"inApp":\#(message)}"#
        let id = try await server.admin(.post, "/apps/shop/campaigns", body).json(CampaignStatusResponse.self).id
        let response = try await server.admin(.post, "/apps/shop/campaigns/\(id)/launch")
        #expect(response.status == .accepted)
        return id
    }

    private static func sync(_ device: inout TestDevice, since: String? = nil) async throws -> InAppSyncResponse {
        let query = since.map { "?since=\($0)" } ?? ""
        let response = try await device.call(.get, "/client/in-app-messages\(query)")
        #expect(response.status == .ok && response.header("X-Client-State") != nil)
        #expect(response.header("Content-Type") == "application/json")
        return try response.json(InAppSyncResponse.self)
    }

    @Test("WIRE-9: messages are sent once, in the format of the API; then only a cursor")
    func story() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let id = try await Self.publish(server, #","displayLimit":2,"endsAt":"2030-01-01T00:00:00Z""#)
            let first = try await Self.sync(&device)
            let message = try #require(first.messages.first)
            #expect(first.messages.count == 1 && first.recalled.isEmpty)
            #expect(message.campaignId == id && message.version == 1 && message.type == .modal)
            #expect(message.priority == 999 && message.displayLimit == 2 && message.delaySeconds == 0)
            #expect(message.endsAt == "2030-01-01T00:00:00.000Z" && message.startsAt == nil)
            #expect(message.displayCount == nil && message.displayEpoch == nil)
            #expect(message.trigger?.filter == .attribute("total", .greater(10)))
            #expect(message.content.title == "Sale" && message.content.buttons?.first?.id == "go")
            let second = try await Self.sync(&device, since: first.cursor)
            #expect(second.messages.isEmpty && second.recalled.isEmpty)
            _ = try await server.admin(.post, "/apps/shop/campaigns/\(id)/recall")
            #expect(try await Self.sync(&device, since: second.cursor).recalled == [message.id])
        }
    }

    @Test("WIRE-9: an invalid cursor gets all messages, and no error")
    func cursors() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            _ = try await Self.publish(server)
            for cursor in ["", "x", "%00", "%F0%9F%98%80", "AQ", String(repeating: "A", count: 9_000), "1&since=2"] {
                #expect(try await Self.sync(&device, since: cursor).messages.count == 1, "\(cursor.prefix(20))")
            }
        }
    }

    @Test("WIRE-22: without a valid token there are no messages")
    func unauthorized() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let response = try await device.call(.get, "/client/in-app-messages", headers: ["X-Contact-Token": ""])
            try expectError(response, .unauthorized, "contactTokenMissing", target: "X-Contact-Token")
        }
    }

    @Test("IAM-9, LED-3: the device's reports are in the campaign's response, and in explain")
    func figures() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let id = try await Self.publish(server)
            let message = try #require(try await Self.sync(&device).messages.first)
            let named = #""campaignId":"\#(id)","messageId":"\#(message.id)""#
            let events = [
                ("inapp:viewed", #""version":1"#), ("inapp:click", #""buttonId":"go""#),
                ("inapp:dismiss", #""seconds":2.5,"how":"button""#),
                ("inapp:notShown", #""reason":"anotherShown","sentence":"another message was shown 12 s ago""#),
            ]
            for (index, (name, attributes)) in events.enumerated() {
                let event = #"""
                    {"id":"e\#(index)","type":"internal","name":"\#(name)","timestamp":"2026-11-21T12:00:00.000Z",
                     "attributes":{\#(named),\#(attributes)}}
                    """#
                #expect(try await device.track(event).status == .noContent)
            }
            let campaign = try await server.admin(.get, "/apps/shop/campaigns/\(id)").json(CampaignResponse.self)
            let counts = InAppCounts(
                downloaded: 1, displays: 1, displayedBy: 1, clicks: 1, clickedBy: 1, dismissals: 1,
                clicksByButton: ["go": 1], notShown: ["anotherShown": 1]
            )
            #expect(campaign.inAppCounts == counts)
            let path = "/apps/shop/explain?campaign=\(id)&device=\(device.id)"
            let explained = try await server.admin(.get, path).json(ExplainResponse.self)
            #expect(explained.state == "accepted")
            #expect(
                explained.sentence
                    == "It was downloaded, and was shown once, clicked once, closed once, 3 s on screen in all; it has "
                    + "reached its display limit."
            )
            #expect(try await server.device(device.id).inApp.eligible)
        }
    }
}
