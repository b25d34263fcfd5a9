import BelfryServices
import BelfryWire
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Calls that show nothing")
struct StrangerLimitTests {
    /// 20 calls of a device, 40 of strangers and 10 useless OpenID tokens from an address a minute.
    private static let few = RequestRates(perDevice: 20, limitsLoopback: true)

    @Test("SEC-2: who knows a device's id uses up the calls of an address, and none of the device's")
    func strangers() async throws {
        try await TestServer.run(rates: Self.few) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            // Two calls that show nothing yet.
            try await device.start()
            for _ in 0..<19 {
                var stranger = TestDevice(server)
                stranger.id = device.id
                // Anybody gets a state that vouches for no contact.
                #expect(try await stranger.call(.post, "/client", "{}").status == .noContent)
                #expect(try await stranger.track("").status == .unauthorized)
            }
            var stranger = TestDevice(server)
            stranger.id = device.id
            let refused = try await stranger.track("")
            try expectRefusal(refused, .tooManyRequests, "tooManyRequests", target: "strangers")
            for number in 0..<20 {
                #expect(try await device.track(EventTests.event("e\(number)")).status == .noContent)
            }
        }
    }

    @Test("SEC-2: a token that has ended uses up none of the owner's calls")
    func endedTokens() async throws {
        try await TestServer.run(rates: Self.few) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            var stranger = TestDevice(server)
            stranger.id = device.id
            try await stranger.call(.post, "/client/contact?anonymous=true")
            try await device.call(.post, "/client/contact?anonymous=true")
            for _ in 0..<20 { #expect(try await stranger.track("").status == .unauthorized) }
            try expectRefusal(try await stranger.track(""), .tooManyRequests, "tooManyRequests", target: "device")
            #expect(try await device.track(EventTests.event("e1")).status == .noContent)
        }
    }

    @Test("SEC-2, ID-3: OpenID tokens that prove nothing are counted by their address, and good ones are not")
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
                let answer = try await good.call(.post, "/client/contact", #"{"openIdToken":"\#(token)"}"#)
                #expect(answer.status == .ok)
            }
            var bad = TestDevice(server)
            try await bad.start()
            let forged = #"{"openIdToken":"\#(token.dropLast(4))AAAA"}"#
            for _ in 0..<10 {
                #expect(try await bad.call(.post, "/client/contact", forged).status == .forbidden)
            }
            let refused = try await bad.call(.post, "/client/contact", forged)
            try expectRefusal(refused, .tooManyRequests, "tooManyRequests", target: "openIDTokens")
        }
    }
}
