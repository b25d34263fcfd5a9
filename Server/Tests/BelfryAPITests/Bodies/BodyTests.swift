import BelfryServerTestSupport
import BelfryWire
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

@Suite("Bodies")
struct BodyTests {
    private static func nested(_ depth: Int) -> String {
        #"{"x":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }

    private static func send(_ bytes: [UInt8], to path: String = "client", headers: [String: String] = [:]) async throws
        -> APIResponse
    {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            var all = ["X-Client-Id": device.id, "X-Contact-Token": device.contactToken ?? ""]
            all.merge(headers) { $1 }
            return try await server.call(.post, "/v3/apps/shop/\(path)", bytes: bytes, headers: all)
        }
    }

    @Test("WIRE-23: JSON is 32 levels deep at most, on every call", arguments: ["client", "client/events"])
    func depth(path: String) async throws {
        let deepest = path == "client" ? HTTPResponse.Status.noContent : .badRequest
        let allowed = try await Self.send(Array(Self.nested(32).utf8), to: path)
        #expect(allowed.status == deepest)
        #expect(!allowed.text.contains("deeper"))
        for depth in [33, 1_000, 500_000] {
            let response = try await Self.send(Array(Self.nested(depth).utf8), to: path)
            try expectError(response, .badRequest, "invalidBody")
            #expect(response.text.contains("32"))
        }
    }

    @Test("WIRE-23: a body has at most 1 MiB, even if it is not read")
    func size() async throws {
        let spaces = [UInt8](repeating: 0x20, count: WireLimits.maximumBodyBytes - 2)
        #expect(try await Self.send(Array("{}".utf8) + spaces).status == .noContent)
        for path in ["client", "client/events", "client/registration", "client/contact?anonymous"] {
            let response = try await Self.send(Array("{}".utf8) + spaces + [0x20], to: path)
            try expectError(response, .contentTooLarge, "bodyTooLarge")
        }
    }

    @Test("WIRE-23: a body without an announced length is limited as well")
    func chunked() async throws {
        func request(_ chunks: Int) -> Request {
            let (stream, source) = AsyncStream<ByteBuffer>.makeStream()
            for _ in 0..<chunks { source.yield(ByteBuffer(repeating: 0x20, count: 262_144)) }
            source.finish()
            return Request(
                head: HTTPRequest(
                    method: .post, scheme: nil, authority: nil, path: "/",
                    headerFields: [.contentType: "application/json"]
                ),
                body: RequestBody(asyncSequence: stream)
            )
        }
        #expect(try await request(4).bodyBytes().count == WireLimits.maximumBodyBytes)
        await #expect(throws: APIError.bodyTooLarge) { try await request(5).bodyBytes() }
    }

    @Test(
        "WIRE-23: the content type is JSON, whatever its parameters and case",
        arguments: [
            ("application/json", 204), ("Application/JSON; charset=utf-8", 204), ("application/vnd.api+json", 204),
            ("application/json;", 204), ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("json", 415),
            ("application/jsonp", 415), ("", 415),
        ]
    )
    func contentTypes(type: String, status: Int) async throws {
        let response = try await Self.send(Array("{}".utf8), headers: ["Content-Type": type])
        #expect(response.status.code == status)
        if status == 415 {
            try expectError(response, .unsupportedMediaType, "unsupportedMediaType", target: "Content-Type")
        }
    }

    @Test(
        "WIRE-23: what is not JSON in UTF-8 is refused",
        arguments: [
            Array("{\"a\":1,}".utf8), Array("{'a':1}".utf8), Array("{\"a\":01}".utf8), Array("{\"a\":NaN}".utf8),
            Array("{} {}".utf8), Array("{\"a\":\"\u{1}\"}".utf8), Array("{\"a\":\"\\x\"}".utf8), Array("nope".utf8),
            [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d], [0xfe, 0xff, 0x00, 0x7b, 0x00, 0x7d],
            [0x7b, 0x00, 0x7d, 0x00], [0xc0, 0x80], Array(repeating: 0x20, count: 40), [0],
        ] as [[UInt8]]
    )
    func notJSON(bytes: [UInt8]) async throws {
        try expectError(try await Self.send(bytes), .badRequest, "invalidBody")
        try expectError(try await Self.send(bytes, to: "client/events"), .badRequest, "invalidBody")
    }

    @Test("WIRE-23: repeated keys, unknown fields and nulls are no errors")
    func lenient() async throws {
        let body = #"{"platform":"x","platform":"ios","unknown":{"a":[1,2.5e3,null]},"osVersion":null}"#
        #expect(try await Self.send(Array(body.utf8)).status == .noContent)
    }

    @Test("WIRE-23: an unknown address is a 404; a known one with another method a 405 with the allowed ones")
    func routes() async throws {
        try await TestServer.run { server in
            for path in ["/", "/nothing", "/v3", "/v3/apps/shop", "/v4/apps/shop/client", "/api/v1", "/healthz/x"] {
                try expectError(try await server.call(.get, path), .notFound, "notFound")
            }
            let cases: [(HTTPRequest.Method, String, String)] = [
                (.post, "/healthz", "GET, HEAD"), (.delete, "/metrics", "GET, HEAD"),
                (.get, "/v3/apps/shop/client", "POST"), (.post, "/v3/apps/shop/client/push-token", "DELETE, PUT"),
                (.put, "/api/v1/apps", "GET, HEAD, POST"),
                (.patch, "/api/v1/apps/shop/campaigns/1", "DELETE, GET, HEAD, PUT"),
                (.options, "/v4/apps/shop/client/events", "POST"),
            ]
            for (method, path, allowed) in cases {
                let response = try await server.call(method, path)
                try expectError(response, .methodNotAllowed, "methodNotAllowed", "\(method) \(path)")
                #expect(response.header("Allow") == allowed)
                #expect(response.header("X-Content-Type-Options") == "nosniff")
            }
        }
    }

    @Test("WIRE-23: an error of the server is a 500 without details, which are in the log")
    func internalError() async throws {
        try await TestServer.run(changesTables: true) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna@example.com")
            _ = try await server.database.write { try $0.execute("DROP TABLE events") }
            let response = try await device.track(EventTests.event("e1"))
            try expectError(response, .internalServerError, "internal")
            #expect(!response.text.contains("events"))
            let entry = try #require(server.log.entries.first { $0.level == .error })
            #expect("\(entry.metadata)".contains(Engine.ofThisRun == .sqlite ? "no such table" : "does not exist"))
            #expect(!"\(entry.metadata)".contains("anna@example.com"))
        }
    }
}
