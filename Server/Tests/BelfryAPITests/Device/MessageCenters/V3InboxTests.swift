import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("The inbox of version 3")
struct V3InboxTests {
    @Test("WIRE-13: the newest 25 over all enabled centers, newest first, with the ids that the centers have")
    func newest() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for name in ["news", "hidden"] {
                _ = try await server.admin(.put, "/apps/shop/message-centers/\(name)", "{}")
            }
            _ = try await server.admin(.put, "/apps/shop/message-centers/hidden", #"{"enabled":false}"#)
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            // One center has almost all of the newest messages.
            for number in 1...40 {
                let center = number % 10 == 0 ? "hidden" : number % 7 == 0 ? "news" : "Primary"
                let at = server.clock.now.addingTimeInterval(Double(number))
                try await server.keep(TestMessage(Int64(number), center: center, at: at), for: device)
            }
            let response = try await device.call(.get, "/inbox")
            let inbox = try response.json(InboxResponse.self)
            let newest = (1...40).reversed().filter { $0 % 10 != 0 }.prefix(25)
            #expect(inbox.count == 25 && inbox.messages.map(\.campaignId) == newest.map { "\($0)" })
            let shown = try await device.messages() + device.messages(in: "news")
            let ids = Dictionary(shown.map { ($0.message, $0.id) }) { first, _ in first }
            // It contains one message of Primary more than the center shows.
            #expect(inbox.messages.filter { ids[$0.body] != $0.id }.map(\.campaignId) == ["13"])
        }
    }

    @Test("WIRE-13: a message has the format of v3: seconds, texts, plain addresses, actions and tags")
    func message() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            #expect(try await device.call(.get, "/inbox").text == #"{"count":0,"messages":[]}"#)
            var message = TestMessage(7, at: server.clock.now.addingTimeInterval(0.9))
            message.deeplinkURL = "app://cart/1?a=b c"
            message.iconURL = "https://example.com/i.png"
            message.expiresAt = server.clock.now.addingTimeInterval(60)
            message.custom = ["sku": "42", "price": 9.5, "count": 3, "new": true]
            try await server.keep(message, for: device)
            let id = try #require(try await device.messages().first).id
            let at = Int64(server.clock.now.timeIntervalSince1970)
            var expected = InboxResponse.Message(
                id: id, campaignId: "7", title: "Hello", body: "Message 7", imageUrl: "https://example.com/i.png",
                receivedAt: at, updatedAt: at, expiresAt: at + 60, tags: [],
                properties: ["sku": "42", "price": "9.5", "count": "3", "new": "true"],
                ems: .init(actions: [.init(id: "deeplink", title: "Hello", url: "app://cart/1?a=b c")])
            )
            #expect(try await device.call(.get, "/inbox").json(InboxResponse.self).messages == [expected])
            try await device.call(.put, "/client/messages/\(id)/state", #"{"state":"read"}"#)
            expected.tags = ["read", "seen", "opened"]
            #expect(try await device.call(.get, "/inbox").json(InboxResponse.self).messages == [expected])
            try await device.call(.put, "/client/messages/\(id)/state", #"{"state":"deleted"}"#)
            #expect(try await device.call(.get, "/inbox").json(InboxResponse.self).messages == [])
        }
    }

    @Test(
        "WIRE-29, MC-14: a tag makes its message read or deleted on all devices, an app's own changes nothing",
        arguments: ["read", "seen", "opened", "SEEN", "deleted", "pinned", "", "unread"], ["v3", "v4"]
    )
    func tags(tag: String, version: String) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var (device, other) = (TestDevice(server), TestDevice(server))
            try await device.start(contactKey: "anna")
            try await other.start(contactKey: "anna")
            for number in 1...2 { try await server.keep(TestMessage(Int64(number), at: server.clock.now), for: device) }
            let id = try #require(try await device.messages().first { $0.message == "Message 2" }).id
            try await device.track(Self.tag("add", tag, id), version: version)
            let states = try await other.messages().map { "\($0.message) \($0.state.rawValue)" }
            let rest: [String] =
                switch tag.lowercased() {
                case "read", "seen", "opened": ["Message 2 read"]
                case "deleted": []
                default: ["Message 2 unread"]
                }
            #expect(Set(states) == Set(rest + ["Message 1 unread"]))
            // Nothing that was read becomes unread, and nothing that was deleted comes back.
            try await device.track(Self.tag("remove", tag, id), version: version)
            try await device.track(Self.tag("add", "read", id), version: version)
            let shown = try await other.messages().filter { $0.message == "Message 2" }.map(\.state)
            #expect(shown == (tag == "deleted" ? [] : [.read]))
        }
    }

    @Test("WIRE-29, MC-14: a tag on a message that is not the contact's changes nothing, and is no error")
    func foreignTags() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var (device, other) = (TestDevice(server), TestDevice(server))
            try await device.start(contactKey: "anna")
            try await other.start(contactKey: "mallory")
            try await server.keep(TestMessage(1, at: server.clock.now), for: device)
            let id = try #require(try await device.messages().first).id
            for message in [id, "", "no-id", UUID().uuidString, id.uppercased()] {
                #expect(try await other.track(Self.tag("add", "deleted", message)).status == .noContent)
            }
            #expect(
                try await device.track(
                    #"{"type":"custom","name":"inbox:tag:add","timestamp":"2026-11-21T12:00:00.000Z","attributes":{"messageId":"\#(id)","tag":"deleted"}}"#
                ).status == .noContent)
            #expect(try await device.messages().map(\.state) == [.unread])
        }
    }

    private static func tag(_ change: String, _ tag: String, _ message: String) -> String {
        """
        {"type":"internal","name":"inbox:tag:\(change)","timestamp":"2026-11-21T12:00:00.000Z",\
        "attributes":{"messageId":"\(message)","tag":"\(tag)"}}
        """
    }
}
