import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Odd methods")
struct OddMethodTests {
    @Test(
        "SEC-2, WIRE-23: a method that an address does not support is a 405 with the supported ones",
        arguments: ["TRACE", "CONNECT", "FOO", "PATCH", "OPTIONS", "PROPFIND", "get", "A-VERY-LONG-METHOD-INDEED"]
    )
    func methods(name: String) async throws {
        let method = try #require(HTTPRequest.Method(name))
        try await TestServer.run { server in
            try await server.makeApp()
            for (path, allowed) in [
                ("/healthz", "GET, HEAD"), ("/v3/apps/shop/client", "POST"), ("/v3/apps/nobody/client", "POST"),
                ("/v3/apps/shop/client/push-token", "DELETE, PUT"), ("/api/v1/apps", "GET, HEAD, POST"),
                ("/api/v1/apps/shop", "PUT"),
            ] {
                let response = try await server.call(method, path)
                try expectError(response, .methodNotAllowed, "methodNotAllowed", "\(path)")
                #expect(response.header("Allow") == allowed)
                #expect(response.text.count < 400)
            }
            for path in ["/", "/nothing", "/v3/apps/shop", "/api/v1"] {
                try expectError(try await server.call(method, path), .notFound, "notFound", "\(path)")
            }
        }
    }

    @Test("WIRE-23: an error about an address needs no app, no client and no key")
    func unauthenticated() async throws {
        try await TestServer.run { server in
            let response = try await server.call(.delete, "/api/v1/apps", headers: ["Authorization": "Bearer x"])
            try expectError(response, .methodNotAllowed, "methodNotAllowed")
            try expectError(try await server.call(.get, "/v3/apps/x/client"), .methodNotAllowed, "methodNotAllowed")
        }
    }

    @Test(
        "SEC-12: an address has one spelling: none with an empty segment gets around a proxy's rule for its path",
        arguments: [
            "//metrics", "/metrics/", "///metrics", "//healthz", "/api//v1/apps", "//api/v1/apps", "/api/v1/apps/",
            "//v3/apps/shop/client/message-centers", "/v3/apps/shop/client/",
        ]
    )
    func spellings(path: String) async throws {
        try await TestServer.run { server in
            let key = try await server.makeApp()
            for method in [HTTPRequest.Method.get, .post] {
                let response = try await server.call(method, path, headers: ["Authorization": "Bearer \(key)"])
                try expectError(response, .notFound, "notFound", "\(path)")
            }
        }
    }
}
