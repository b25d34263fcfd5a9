import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Contact tokens")
struct TokenTests {
    static let push = #"{"pushToken":"abcdef"}"#

    @Test(
        "WIRE-4, ID-6: an expired token is a 401, and the refreshed one works",
        arguments: ["/client/contact-token", "/client/contact_token"]
    )
    func refresh(path: String) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            server.clock.advance(by: ContactToken.lifetime + 1)
            let rejected = try await device.call(.put, "/client/push-token", Self.push)
            try expectError(rejected, .unauthorized, "contactTokenExpired", target: "X-Contact-Token")

            // The iOS client sends the OpenID token along, and no contact token.
            let body = #"{"refreshToken":"\#(device.refreshToken ?? "")","openIdToken":"x"}"#
            let response = try await device.call(.post, path, body, headers: ["X-Contact-Token": ""])
            #expect(response.status == .ok)
            #expect(response.header("X-Client-State") != nil)
            #expect(try await device.call(.put, "/client/push-token", Self.push).status == .noContent)
        }
    }

    @Test("WIRE-4, ID-6: a refresh token that is unknown, another device's or another app's is a 1101")
    func unknownRefreshToken() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.makeApp("other")
            var owner = TestDevice(server)
            try await owner.start()
            let token = try #require(owner.refreshToken)
            var other = TestDevice(server)
            try await other.start()
            var elsewhere = TestDevice(server, app: "other")
            elsewhere.id = owner.id
            let before = try await server.contents()
            for (text, caller) in [("", owner), ("unknown", owner), (token, other), (token, elsewhere)] {
                var caller = caller
                let response = try await caller.call(.post, "/client/contact-token", #"{"refreshToken":"\#(text)"}"#)
                try expectError(response, .badRequest, "1101", target: "refreshToken")
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("WIRE-25: a refresh may be repeated; the refresh token does not expire")
    func refreshAgain() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let body = #"{"refreshToken":"\#(device.refreshToken ?? "")"}"#
            for _ in 0..<3 {
                server.clock.advance(by: 400 * 86_400)
                #expect(try await device.call(.post, "/client/contact-token", body).status == .ok)
                #expect(try await device.call(.put, "/client/push-token", Self.push).status == .noContent)
            }
        }
    }

    @Test("WIRE-20: a lost response locks nobody out: the old pair ends only once the new one was used")
    func lostAnswer() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let old = device

            // The response to this link is lost: the client continues with what it has.
            var renewed = device
            try await renewed.call(.post, "/client/contact", #"{"contactFieldValue":"anna"}"#)
            var client = old
            #expect(try await client.call(.put, "/client/push-token", Self.push).status == .noContent)
            let refresh = #"{"refreshToken":"\#(old.refreshToken ?? "")"}"#
            #expect(try await client.call(.post, "/client/contact-token", refresh).status == .ok)

            // Now the new pair arrives after all and is used; that ends the old one.
            #expect(try await renewed.call(.put, "/client/push-token", Self.push).status == .noContent)
            var late = old
            let rejected = try await late.call(.put, "/client/push-token", Self.push)
            try expectError(rejected, .unauthorized, "contactTokenInvalid", target: "X-Contact-Token")
            let gone = try await late.call(.post, "/client/contact-token", refresh)
            try expectError(gone, .badRequest, "1101", target: "refreshToken")
        }
    }

    @Test("WIRE-20: using the new refresh token ends the old pair as well")
    func refreshConfirms() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            var old = device
            try await device.call(.post, "/client/contact", #"{"contactFieldValue":"anna"}"#)
            let body = #"{"refreshToken":"\#(device.refreshToken ?? "")"}"#
            #expect(try await device.call(.post, "/client/contact-token", body).status == .ok)
            #expect(try await old.call(.put, "/client/push-token", Self.push).status == .unauthorized)
        }
    }

    @Test("WIRE-22: without its own valid token a device may only register, link and refresh")
    func rejections() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.makeApp("other")
            var device = TestDevice(server)
            try await device.start()
            var other = TestDevice(server)
            try await other.start()
            var elsewhere = TestDevice(server, app: "other")
            elsewhere.id = device.id
            try await elsewhere.start()
            let token = try #require(device.contactToken)
            let tampered = String(token.dropLast(2)) + (token.hasSuffix("AA") ? "BB" : "AA")
            let cases = [
                ("", "contactTokenMissing"), ("rotten", "contactTokenInvalid"), (tampered, "contactTokenInvalid"),
                (try #require(other.contactToken), "contactTokenInvalid"),
                (try #require(elsewhere.contactToken), "contactTokenInvalid"),
            ]
            let before = try await server.contents()
            let calls: [(HTTPRequest.Method, String, String?)] = [
                (.put, "/client/push-token", Self.push), (.delete, "/client/push-token", nil),
                (.post, "/client/events", #"{"events":[]}"#),
                (.post, "/client/registration", device.snapshot(revision: 1)),
                (.get, "/client/registration/\(UUID().uuidString)", nil),
            ]
            for (method, path, body) in calls {
                for (token, code) in cases {
                    let response = try await device.call(method, path, body, headers: ["X-Contact-Token": token])
                    try expectError(response, .unauthorized, code, target: "X-Contact-Token", "\(method) \(path)")
                    #expect(response.header("WWW-Authenticate") == nil)
                }
            }
            #expect(try await server.contents() == before)
        }
    }
}
