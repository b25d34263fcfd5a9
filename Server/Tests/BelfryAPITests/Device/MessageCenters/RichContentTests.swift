import BelfryModel
import BelfryPush
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Rich content")
struct RichContentTests {
    private static let html = "<!doctype html><p class=\"a\">Hello, \u{1F514}</p>\n<script>alert('x')</script>"

    private static func run(
        _ test: @Sendable (_ server: TestServer, _ device: TestDevice, _ id: String) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await server.keep(TestMessage(at: server.clock.now, html: html), for: device)
            let id = try #require(try await device.messages().first).id
            try await test(server, device, id)
        }
    }

    private static func fetch(
        _ id: String, by device: TestDevice, key: String
    ) async throws -> APIResponse {
        var device = device
        return try await device.call(.get, "/client/messages/\(id)/rich-content", headers: ["Idempotency-Key": key])
    }

    private static func say(_ method: HTTPRequest.Method, _ id: String, by device: TestDevice) async throws
        -> APIResponse
    {
        var device = device
        return try await device.call(method, "/client/messages/\(id)/rich-content/confirmation")
    }

    @Test("MC-9, WIRE-11: it is served with any key and for weeks, until the device confirms it")
    func untilConfirmed() async throws {
        try await Self.run { server, device, id in
            for key in ["key-1", "key-1", "key-2", "KEY-1"] {
                let response = try await Self.fetch(id, by: device, key: key)
                #expect(response.status == .ok && response.header("Cache-Control") == "no-store")
                #expect(try response.json(RichContentResponse.self) == RichContentResponse(id: id, html: Self.html))
            }
            server.clock.advance(by: 60 * 86_400)
            var later = device
            try await later.call(.post, "/client/contact-token", #"{"refreshToken":"\#(device.refreshToken ?? "")"}"#)
            for key in ["key-1", "key-3"] { #expect(try await Self.fetch(id, by: later, key: key).status == .ok) }
            for _ in 0..<2 {
                #expect(try await Self.say(.put, id, by: later).status == .noContent)
                for key in ["key-1", "key-4"] {
                    try expectError(
                        try await Self.fetch(id, by: later, key: key), .gone, "richContentAlreadyServed"
                    )
                }
            }
            for _ in 0..<2 {
                #expect(try await Self.say(.delete, id, by: later).status == .noContent)
                #expect(try await Self.fetch(id, by: later, key: "key-5").status == .ok)
            }
        }
    }

    @Test("WIRE-11: what is not the device's, or has no rich content, cannot be confirmed, and nothing changes")
    func foreignConfirmation() async throws {
        try await Self.run { server, device, id in
            var other = TestDevice(server)
            try await other.start(contactKey: "bert")
            var device = device
            try await server.keep(TestMessage(2, at: server.clock.now), for: device)
            let plain = try #require(try await device.messages().first { $0.id != id }).id
            let before = try await server.contents()
            for method in [HTTPRequest.Method.put, .delete] {
                for (caller, message) in [(other, id), (device, plain), (device, "x"), (device, UUID().uuidString)] {
                    let response = try await Self.say(method, message, by: caller)
                    try expectError(response, .notFound, "unknownMessage", target: "message")
                }
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("MC-15: a push received while logged out opens its message after a login, and no list shows it")
    func pushBeforeLogin() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            try await server.keep(TestMessage(at: server.clock.now, html: Self.html), for: device)
            let own = try #require(try await device.messages().first)
            let campaign = try #require(CampaignID(1 as Int64))
            let sid = MessageID.make(campaign: campaign, device: try DeviceID(device.id)).text
            func read(_ id: String) async throws -> APIResponse {
                try await device.call(.get, "/client/messages/\(id)")
            }
            #expect(try await read(sid).json(MessageCenterMessageBody.self) == own)
            server.clock.advance(by: 1)
            try await device.call(.post, "/client/contact", #"{"contactFieldValue":"anna"}"#)
            #expect(try await device.messages() == [])
            for id in [sid, own.id] { #expect(try await read(id).json(MessageCenterMessageBody.self) == own) }
            #expect(try await Self.fetch(own.id, by: device, key: "k").status == .ok)
            #expect(try await Self.say(.put, own.id, by: device).status == .noContent)
            try await device.call(.put, "/client/messages/\(own.id)/state", #"{"state":"read"}"#)
            #expect(try await read(sid).json(MessageCenterMessageBody.self).state == .read)
            var other = TestDevice(server)
            try await other.start()
            for id in [sid, own.id] {
                let response = try await other.call(.get, "/client/messages/\(id)")
                try expectError(response, .notFound, "unknownMessage", target: "message")
            }
        }
    }

    @Test("WIRE-11, WIRE-23: HEAD is a 405 without a body, and serves nothing")
    func head() async throws {
        try await Self.run { server, device, id in
            let before = try await server.contents()
            let path = "/client/messages/\(id)/rich-content"
            var device = device
            for method in [HTTPRequest.Method.head, .put] {
                let response = try await device.call(method, path, headers: ["Idempotency-Key": "head"])
                #expect(response.status == .methodNotAllowed && response.header("Allow") == "GET")
                #expect((response.body.readableBytes == 0) == (method == .head))
            }
            #expect(try await server.contents() == before)
            #expect(try await Self.fetch(id, by: device, key: "get").status == .ok)
        }
    }

    @Test("MC-9: another device of the contact is served as well, and its upper-case id is the same message")
    func devices() async throws {
        try await Self.run { server, device, id in
            #expect(try await Self.fetch(id, by: device, key: "k").status == .ok)
            var tablet = TestDevice(server)
            try await tablet.start(contactKey: "anna")
            #expect(try await Self.fetch(id.uppercased(), by: tablet, key: "other").status == .ok)
            #expect(try await Self.say(.put, id, by: tablet).status == .noContent)
            try expectError(try await Self.fetch(id, by: tablet, key: "k"), .gone, "richContentAlreadyServed")
            #expect(try await Self.fetch(id, by: device, key: "k").status == .ok)
        }
    }

    @Test("WIRE-11: without a key, or with an invalid one, it is a 400")
    func keys() async throws {
        try await Self.run { server, device, id in
            let before = try await server.contents()
            let missing = try await Self.fetch(id, by: device, key: "")
            try expectError(missing, .badRequest, "missingIdempotencyKey", target: "Idempotency-Key")
            for key in ["a b", "é", String(repeating: "k", count: 256)] {
                let response = try await Self.fetch(id, by: device, key: key)
                try expectError(response, .badRequest, "invalidIdempotencyKey", target: "Idempotency-Key")
            }
            #expect(try await server.contents() == before)
            #expect(try await Self.fetch(id, by: device, key: String(repeating: "k", count: 255)).status == .ok)
        }
    }

    @Test("WIRE-11: another contact's, an unknown, expired or deleted message is a 404, and nothing is served")
    func unknown() async throws {
        try await Self.run { server, device, id in
            var other = TestDevice(server)
            try await other.start(contactKey: "bert")
            var device = device
            try await server.keep(TestMessage(2, at: server.clock.now), for: device)
            var brief = TestMessage(3, at: server.clock.now, html: "<p>")
            brief.expiresAt = server.clock.now.addingTimeInterval(1)
            try await server.keep(brief, for: device)
            try await server.keep(TestMessage(4, at: server.clock.now, html: "<p>"), for: device)
            _ = try await server.admin(.put, "/apps/shop/message-centers/gone", "{}")
            try await server.keep(TestMessage(5, center: "gone", at: server.clock.now, html: "<p>"), for: device)
            let hidden = try #require(try await device.messages(in: "gone").first).id
            _ = try await server.admin(.delete, "/apps/shop/message-centers/gone")
            let ids = try await device.messages().map(\.id)
            try await device.call(.put, "/client/messages/\(ids[0])/state", #"{"state":"deleted"}"#)
            server.clock.advance(by: 1)
            let before = try await server.contents()
            for unknown in ids.dropLast() + [hidden, "x", UUID().uuidString, device.id] {
                let response = try await Self.fetch(unknown, by: device, key: "k")
                try expectError(response, .notFound, "unknownMessage", target: "message", "\(unknown)")
            }
            try expectError(
                try await Self.fetch(id, by: other, key: "k"), .notFound, "unknownMessage", target: "message"
            )
            #expect(try await server.contents() == before)
            #expect(try await Self.fetch(id, by: device, key: "k").status == .ok)
        }
    }

    @Test("WIRE-11: a disabled center gives no rich content, and has not served it")
    func disabled() async throws {
        try await Self.run { server, device, id in
            _ = try await server.admin(.put, "/apps/shop/message-centers/Primary", #"{"enabled":false}"#)
            try expectError(try await Self.fetch(id, by: device, key: "a"), .forbidden, "messageCenterDisabled")
            _ = try await server.admin(.put, "/apps/shop/message-centers/Primary", #"{"enabled":true}"#)
            #expect(try await Self.fetch(id, by: device, key: "b").status == .ok)
        }
    }
}
