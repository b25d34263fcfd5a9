import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

/// The calls of the real clients of Mobile Engage v3: their headers in their case, their bodies as they print them,
/// a content type on calls without a body, and an old contact token where they send one.
@Suite("A client of Mobile Engage v3")
struct V3ClientStoryTests {
    private static func headers(_ server: TestServer, _ id: String, _ others: [String: String?]) -> [String: String] {
        var headers = [
            "Content-Type": "application/json", "X-EMARSYS-SDK-VERSION": "3.10.2", "X-EMARSYS-SDK-MODE": "production",
            "X-CLIENT-ID": id, "X-REQUEST-ORDER": String(server.clock.now.milliseconds), "X-MERCHANT-ID": "m1",
            "Authorization": "Basic c2hvcDo=",
        ]
        for (name, value) in others { headers[name] = value }
        return headers
    }

    @Test("WIRE-1 to WIRE-6, WIRE-20, ID-1, ID-6: an iOS client starts, logs in, is refreshed and logs out")
    func ios() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let id = UUID().uuidString
            let base = "/v3/apps/shop/client"
            func call(
                _ method: HTTPRequest.Method, _ path: String, _ body: String?, _ others: [String: String?] = [:]
            ) async throws -> APIResponse {
                server.clock.advance(by: 1)
                return try await server.call(method, path, body, headers: Self.headers(server, id, others))
            }

            let registered = try await call(.post, base, ClientTests.ios)
            #expect(registered.status == .noContent)
            var state = try #require(registered.header("X-Client-State"))

            let anonymous = try await call(.post, "\(base)/contact?anonymous=true", "{\n}", ["X-CLIENT-STATE": state])
            let first = try anonymous.json(ContactLinkResponse.self)
            state = try #require(anonymous.header("x-client-state"))
            var signed = ["X-CLIENT-STATE": state, "X-CONTACT-TOKEN": first.contactToken]
            let token = "{\n  \"pushToken\" : \"\(PushTokenTests.token)\"\n}"
            #expect(try await call(.put, "\(base)/push-token", token, signed).status == .noContent)

            // Log-in carries no contact token; events go to version 4.
            let login = "{\n  \"contactFieldId\" : 3,\n  \"contactFieldValue\" : \"user-4711\"\n}"
            let known = try await call(.post, "\(base)/contact", login, ["X-CLIENT-STATE": state])
            let second = try known.json(ContactLinkResponse.self)
            signed = [
                "X-CLIENT-STATE": try #require(known.header("X-Client-State")), "X-CONTACT-TOKEN": second.contactToken,
            ]
            let events = """
                {
                  "clicks" : [ ], "viewedMessages" : [ ],
                  "events" : [ { "type" : "internal", "name" : "session:start", "sessionId" : "8F1C",
                                 "timestamp" : "2026-11-21T12:00:01.123Z" } ]
                }
                """
            #expect(try await call(.post, "/v4/apps/shop/client/events", events, signed).status == .noContent)

            // Nine hours later the token has expired: 401, one refresh, the same call again.
            server.clock.advance(by: 9 * 3_600)
            #expect(try await call(.post, "/v4/apps/shop/client/events", events, signed).status == .unauthorized)
            let refresh = "{\n  \"refreshToken\" : \"\(second.refreshToken)\"\n}"
            let state2 = signed["X-CLIENT-STATE"]
            let renewed = try await call(.post, "\(base)/contact-token", refresh, ["X-CLIENT-STATE": state2])
            signed["X-CONTACT-TOKEN"] = try renewed.json(ContactTokenResponse.self).contactToken
            #expect(try await call(.post, "/v4/apps/shop/client/events", events, signed).status == .noContent)

            // Log-out keeps sending the token of the former contact.
            let left = try await call(.post, "\(base)/contact?anonymous=true", "{\n}", signed)
            #expect(left.status == .ok)
            let third = try left.json(ContactLinkResponse.self)
            signed["X-CONTACT-TOKEN"] = third.contactToken
            #expect(try await call(.delete, "\(base)/push-token", "{\n}", signed).status == .noContent)

            let device = try await server.device(id)
            #expect(device.contactKey?.hasPrefix("anonymous:") == true)
            #expect(device.push.reason == "optedOut:user")
            let stored = try await server.admin(.get, "/apps/shop/devices/\(id)/events").json(DeviceEventsResponse.self)
            #expect(stored.events.map(\.name) == ["session:start"])
        }
    }

    @Test("WIRE-3, WIRE-4, WIRE-5: an Android client sends no body where none is needed")
    func android() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            let properties = """
                {"platform":"android","applicationVersion":"unknown","deviceModel":"Pixel 7","osVersion":"14",
                "sdkVersion":"3.11.0","language":"en-US","timezone":"+0200","pushSettings":{"areNotificationsEnabled":true,
                "importance":-1000,"channelSettings":[{"channelId":"news","importance":3,"canShowBadge":true}]}}
                """
            #expect(try await device.call(.post, "/client", properties).status == .noContent)
            let json = ["Content-Type": "application/json"]
            #expect(try await device.call(.post, "/client/contact?anonymous=true", headers: json).status == .ok)
            #expect(
                try await device.call(.put, "/client/push-token", #"{"pushToken":"fcm:APA91"}"#).status == .noContent)
            #expect(try await server.device(device.id).pushProvider == .fcm)
            #expect(try await device.call(.delete, "/client/push-token", headers: json).status == .noContent)
            // Without a refresh token it asks all the same.
            let refresh = try await device.call(.post, "/client/contact-token", "{}")
            try expectError(refresh, .badRequest, "invalidBody", target: "refreshToken")
        }
    }
}
