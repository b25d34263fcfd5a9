import BelfryAPI
import BelfryModel
import BelfryPush
import BelfryServices
import BelfryTestSupport
import Crypto
import Foundation
import Hummingbird
import Testing

@Suite("The key to subscribe with")
struct WebPushKeyTests {
    private static let path = "/client/web-push-key"

    /// The public half of the key of ``Credentials``.
    private static func publicKey() throws -> String {
        text(of: try P256.Signing.PrivateKey(rawRepresentation: Data(1...32)).publicKey)
    }

    /// As browsers take it: base64url without padding.
    private static func text(of key: P256.Signing.PublicKey) -> String {
        base64URL(key.x963Representation)
    }

    @Test("WIRE-16: a browser without a contact reads the app's key, and the newest after a change")
    func read() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            var device = TestDevice(server)
            let before = try await server.contents()
            let first = try await device.call(.get, Self.path)
            #expect(first.status == .ok)
            #expect(try first.json(WebPushKeyResponse.self).publicKey == Self.publicKey())
            // Nothing is known of a device that only asks.
            #expect(try await server.contents() == before)
            let other = P256.Signing.PrivateKey()
            let body = try Credentials.webPush(["privateKey": other.pemRepresentation])
            #expect(try await server.admin(.put, "/apps/shop/credentials/webpush", body).status == .ok)
            let second = try await device.call(.get, Self.path)
            #expect(try second.json(WebPushKeyResponse.self).publicKey == Self.text(of: other.publicKey))
        }
    }

    @Test("WIRE-16: an app without a key pair says so, and an unknown app is one everywhere")
    func missing() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try expectError(
                try await device.call(.get, Self.path), .notFound, "webPushNotConfigured", target: "credentials")
            let headers = ["X-Client-Id": device.id]
            try expectError(
                try await server.call(.get, "/v3/apps/other\(Self.path)", headers: headers), .badRequest, "unknownApp",
                target: "appCode")
            try expectError(
                try await server.call(.get, "/v3/apps/shop\(Self.path)"), .badRequest, "missing",
                target: "X-Client-Id")
        }
    }

    @Test("WIRE-16, SEC-2: whoever asks too often is told when to ask again, by address")
    func limit() async throws {
        try await TestServer.run(rates: RequestRates(perDevice: 20, limitsLoopback: true)) { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            var statuses: [Int] = []
            while statuses.last != 429, statuses.count < 1_000 {
                // Another id does not help.
                var device = TestDevice(server)
                let response = try await device.call(.get, Self.path)
                statuses.append(response.status.code)
                if response.status == .tooManyRequests { #expect(response.header("Retry-After") != nil) }
            }
            #expect(statuses.count > 1 && statuses.last == 429)
            #expect(Set(statuses.dropLast()) == [200])
        }
    }

    @Test("WIRE-16, WIRE-24: a page of a listed origin reads it, and of no other")
    func origins() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            let list = #"{"allowedOrigins":["https://shop.example"]}"#
            #expect(try await server.admin(.put, "/apps/shop/settings", list).status == .ok)
            for (origin, isListed) in [("https://shop.example", true), ("https://other.example", false)] {
                let asking = [
                    "Origin": origin, "Access-Control-Request-Method": "GET",
                    "Access-Control-Request-Headers": "x-client-id",
                ]
                let preflight = try await server.call(.options, "/v3/apps/shop\(Self.path)", headers: asking)
                #expect(preflight.status == (isListed ? .noContent : .forbidden))
                var device = TestDevice(server)
                let response = try await device.call(.get, Self.path, headers: ["Origin": origin])
                #expect(response.header("Access-Control-Allow-Origin") == (isListed ? origin : nil))
            }
        }
    }
}
