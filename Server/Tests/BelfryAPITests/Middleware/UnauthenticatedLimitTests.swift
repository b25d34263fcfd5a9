import BelfryServices
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Unauthenticated calls")
struct UnauthenticatedLimitTests {
    /// A minute's limits: 20 calls of a device; from an address, 40 unauthenticated calls and 10 invalid OpenID tokens.
    private static let few = RequestRates(perDevice: 20, limitsLoopback: true)

    @Test("SEC-2: calls by a known client id alone count for their address, not for the device")
    func unauthenticated() async throws {
        try await TestServer.run(rates: Self.few) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            // Two calls that show nothing yet.
            try await device.start()
            for _ in 0..<19 {
                var impostor = TestDevice(server)
                impostor.id = device.id
                // Anybody gets a state that vouches for no contact.
                #expect(try await impostor.call(.post, "/client", "{}").status == .noContent)
                #expect(try await impostor.track("").status == .unauthorized)
            }
            var impostor = TestDevice(server)
            impostor.id = device.id
            let rejected = try await impostor.track("")
            try expectError(rejected, .tooManyRequests, "tooManyRequests", target: "strangers")
            for number in 0..<20 {
                #expect(try await device.track(EventTests.event("e\(number)")).status == .noContent)
            }
        }
    }

    @Test("SEC-2: the description counts for the address; health does not")
    func service() async throws {
        try await TestServer.run(rates: Self.few) { server in
            for _ in 0..<40 { #expect(try await server.call(.get, "/openapi.json").status == .ok) }
            let rejected = try await server.call(.get, "/openapi.json")
            try expectError(rejected, .tooManyRequests, "tooManyRequests", target: "strangers")
            #expect(rejected.header("Retry-After") != nil)
            for path in ["/healthz", "/readyz", "/metrics"] {
                for _ in 0..<50 { #expect(try await server.call(.get, path).status == .ok) }
            }
        }
    }

    @Test("SEC-2: an ended token uses up none of the owner's calls")
    func endedTokens() async throws {
        try await TestServer.run(rates: Self.few) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            var impostor = TestDevice(server)
            impostor.id = device.id
            try await impostor.call(.post, "/client/contact?anonymous=true")
            // A revocation ends all installations under the id; the owner links again.
            let revoked = try await server.admin(.post, "/apps/shop/devices/\(device.id)/revoke")
            #expect(revoked.status == .noContent)
            try await device.call(.post, "/client/contact?anonymous=true")
            for _ in 0..<20 { #expect(try await impostor.track("").status == .unauthorized) }
            try expectError(try await impostor.track(""), .tooManyRequests, "tooManyRequests", target: "device")
            #expect(try await device.track(EventTests.event("e1")).status == .noContent)
        }
    }

    @Test("SEC-2, ID-3: invalid OpenID tokens count for their address, valid ones do not")
    func openIDTokens() async throws {
        try await TestServer.run(rates: Self.few) { server in
            try await server.makeApp()
            let provider = try IdentityProvider()
            let settings = #"{"openID":\#(provider.settings())}"#
            #expect(try await server.admin(.put, "/apps/shop/settings", settings).status == .ok)
            let token = try provider.token(for: "anna", now: server.clock.now)
            var good = TestDevice(server)
            try await good.start()
            for _ in 0..<12 {
                let response = try await good.call(.post, "/client/contact", #"{"openIdToken":"\#(token)"}"#)
                #expect(response.status == .ok)
            }
            var bad = TestDevice(server)
            try await bad.start()
            let forged = #"{"openIdToken":"\#(token.dropLast(4))AAAA"}"#
            for _ in 0..<10 {
                #expect(try await bad.call(.post, "/client/contact", forged).status == .forbidden)
            }
            let rejected = try await bad.call(.post, "/client/contact", forged)
            try expectError(rejected, .tooManyRequests, "tooManyRequests", target: "openIDTokens")
        }
    }
}
