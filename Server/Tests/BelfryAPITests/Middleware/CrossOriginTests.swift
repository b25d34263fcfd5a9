import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Browsers")
struct CrossOriginTests {
    static let listed = "https://shop.example"

    private static func asking(
        _ method: String = "POST", from origin: String = listed, _ others: [String: String] = [:]
    ) -> [String: String] {
        ["Origin": origin, "Access-Control-Request-Method": method].merging(others) { $1 }
    }

    /// A server whose app lets pages of two origins call.
    private static func run(_ test: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.changeSettings { $0.allowedOrigins = [Self.listed, "https://m.example:8443"] }
            try await test(server)
        }
    }

    @Test(
        "WIRE-24: the preflight of a listed origin says what it may send, without a client id",
        arguments: [
            ("/v3/apps/shop/client", "POST"), ("/v3/apps/shop/client/push-token", "DELETE, PUT"),
            ("/v3/apps/shop/client/push_token", "DELETE, PUT"), ("/v3/apps/shop/client/contact?anonymous", "POST"),
            ("/v4/apps/shop/client/events", "POST"), ("/v3/apps/shop/client/registration/x", "GET, HEAD"),
        ]
    )
    func preflight(path: String, methods: String) async throws {
        try await Self.run { server in
            let response = try await server.call(
                .options, path,
                headers: Self.asking("PUT", ["Access-Control-Request-Headers": "x-client-id, x-anything"])
            )
            #expect(response.status == .noContent && response.body.readableBytes == 0)
            #expect(response.header("Access-Control-Allow-Origin") == Self.listed)
            #expect(response.header("Access-Control-Allow-Methods") == methods)
            #expect(response.header("Vary") == "Origin")
            #expect(response.header("Access-Control-Max-Age").flatMap { Int($0) } ?? 0 > 0)
            #expect(response.header("Access-Control-Allow-Credentials") == nil)
            let headers = response.header("Access-Control-Allow-Headers")?.lowercased().components(separatedBy: ", ")
            let needed = [
                "content-type", "content-encoding", "x-client-id", "x-client-state", "x-contact-token",
                "x-request-order", "x-client-time", "idempotency-key", "x-emarsys-sdk-version", "x-emarsys-sdk-mode",
            ]
            #expect(headers == needed)
        }
    }

    @Test(
        "WIRE-24: origins are compared exactly, and there is no wildcard",
        arguments: [
            "https://other.example", "http://shop.example", "https://shop.example:444", "https://shop.example/",
            "https://SHOP.example", "https://shop.example.evil.example", "https://a.shop.example", "null", "*",
            "https://m.example",
        ]
    )
    func unlisted(origin: String) async throws {
        try await Self.run { server in
            let rejected = try await server.call(.options, "/v3/apps/shop/client", headers: Self.asking(from: origin))
            try expectError(rejected, .forbidden, "originNotAllowed", target: "Origin")
            var device = TestDevice(server)
            let response = try await device.call(.post, "/client", "{}", headers: ["Origin": origin])
            #expect(response.status == .noContent)
            for response in [rejected, response] {
                for field in response.headers {
                    #expect(!field.name.canonicalName.hasPrefix("access-control"), "\(field)")
                }
            }
        }
    }

    @Test("WIRE-24: an app lists no origin at first, and lists are per app")
    func standard() async throws {
        try await Self.run { server in
            try await server.makeApp("other")
            let rejected = try await server.call(.options, "/v3/apps/other/client", headers: Self.asking())
            try expectError(rejected, .forbidden, "originNotAllowed", target: "Origin")
            // With a byte order mark it is another code, which no app has.
            let marked = try await server.call(.options, "/v3/apps/%EF%BB%BFshop/client", headers: Self.asking())
            #expect(marked.status != .noContent && marked.header("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test("WIRE-24, WIRE-20: a listed origin can read responses and errors, with the client state and Retry-After")
    func answers() async throws {
        try await Self.run { server in
            var device = TestDevice(server)
            let browser = ["Origin": "https://m.example:8443"]
            let answers = [
                try await device.call(.post, "/client", "{}", headers: browser),
                try await device.call(.post, "/client/contact?anonymous", headers: browser),
                try await device.call(.post, "/client", "{", headers: browser),
                try await device.call(.post, "/client", "{}", headers: browser.merging(["X-Client-Id": ""]) { $1 }),
                try await device.call(.patch, "/client", "{}", headers: browser),
            ]
            #expect(answers.map(\.status.code) == [204, 200, 400, 400, 405])
            for response in answers {
                #expect(response.header("Access-Control-Allow-Origin") == "https://m.example:8443")
                #expect(response.header("Access-Control-Expose-Headers") == "X-Client-State, Retry-After, Date")
                #expect(response.header("Vary") == "Origin")
                #expect(response.header("Access-Control-Allow-Credentials") == nil)
            }
            let native = try await device.call(.post, "/client", "{}")
            #expect(native.header("Vary") == nil && native.header("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test("WIRE-24: a page of a listed origin may make every call of the device API, and a page of no other")
    func everyCall() async throws {
        let own = [
            "content-type", "content-encoding", "x-client-id", "x-client-state", "x-contact-token", "x-request-order",
            "x-client-time", "idempotency-key",
        ]
        try await CallStage.run { stage in
            let list = #"{"allowedOrigins":["\#(Self.listed)"]}"#
            #expect(try await stage.server.admin(.put, "/apps/shop/settings", list).status == .ok)
            let operations = stage.deviceOperations
            #expect(operations.count > 20)
            for operation in operations {
                let call = try stage.call(operation)
                let others = ["Access-Control-Request-Headers": own.joined(separator: ",")]
                let asking = Self.asking(operation.method, others)
                let response = try await stage.server.call(.options, call.address, headers: asking)
                #expect(response.status == .noContent, "\(operation.id)")
                let methods = response.header("Access-Control-Allow-Methods")?.components(separatedBy: ", ") ?? []
                #expect(methods.contains(operation.method), "\(operation.id)")
                let headers = response.header("Access-Control-Allow-Headers")?.lowercased().components(
                    separatedBy: ", ")
                #expect(Set(own).isSubset(of: headers ?? []), "\(operation.id)")
                let elsewhere = Self.asking(operation.method, from: "https://other.example", others)
                let rejected = try await stage.server.call(.options, call.address, headers: elsewhere)
                #expect(rejected.status == .forbidden, "\(operation.id)")
                #expect(rejected.header("Access-Control-Allow-Methods") == nil, "\(operation.id)")
            }
        }
    }

    @Test("WIRE-24: a change of the list applies to the next call")
    func change() async throws {
        try await Self.run { server in
            #expect(
                try await server.call(.options, "/v3/apps/shop/client", headers: Self.asking()).status == .noContent)
            let list = #"{"allowedOrigins":["https://new.example"]}"#
            #expect(try await server.admin(.put, "/apps/shop/settings", list).status == .ok)
            let former = try await server.call(.options, "/v3/apps/shop/client", headers: Self.asking())
            #expect(former.status == .forbidden)
            let new = Self.asking(from: "https://new.example")
            #expect(try await server.call(.options, "/v3/apps/shop/client", headers: new).status == .noContent)
        }
    }

    @Test("WIRE-24, WIRE-22: an unknown app is a 400, an unknown address a 404, and a plain OPTIONS a 405")
    func others() async throws {
        try await Self.run { server in
            let unknown = try await server.call(.options, "/v3/apps/nobody/client", headers: Self.asking())
            try expectError(unknown, .badRequest, "unknownApp", target: "appCode")
            for path in ["/v3/apps/shop/nothing", "/v3/apps/shop", "/nothing", "/v4/apps/shop/client"] {
                try expectError(
                    try await server.call(.options, path, headers: Self.asking()), .notFound, "notFound", "\(path)"
                )
            }
            let plain = [["Origin": Self.listed], ["Access-Control-Request-Method": "POST"], [:]]
            for headers in plain {
                let response = try await server.call(.options, "/v3/apps/shop/client", headers: headers)
                try expectError(response, .methodNotAllowed, "methodNotAllowed")
                #expect(response.header("Allow") == "POST")
            }
        }
    }

    @Test("WIRE-24: the admin API and the rest are not for pages of other origins")
    func adminAPI() async throws {
        try await Self.run { server in
            for path in ["/api/v1/apps", "/healthz", "/metrics"] {
                let preflight = try await server.call(.options, path, headers: Self.asking("GET"))
                #expect(preflight.status == .methodNotAllowed)
                let headers = ["Origin": Self.listed, "Authorization": "Bearer \(TestServer.rootKey)"]
                let response = try await server.call(.get, path, headers: headers)
                #expect(response.status == .ok)
                #expect(response.header("Access-Control-Allow-Origin") == nil)
                #expect(preflight.header("Access-Control-Allow-Origin") == nil)
            }
        }
    }
}
