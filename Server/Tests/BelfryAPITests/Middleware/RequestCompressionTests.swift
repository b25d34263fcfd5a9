import BelfryWire
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

@Suite("Compressed bodies")
struct RequestCompressionTests {
    /// `{"platform":"ios","osVersion":"18.0"}`, packed by another program.
    static let packed = [
        "gzip": "H4sIAAAAAAACA6tWKshJLEnLL8pVslLKzC9W0lHKLw5LLSrOzM8Dihha6Bko1QIAdoM+siUAAAA=",
        "deflate": "eJyrVirISSxJyy/KVbJSyswvVtJRyi8OSy0qzszPA4oYWugZKNUCAPHRC+g=",
        "raw": "q1YqyEksScsvylWyUsrML1bSUcovDkstKs7MzwOKGFroGSjVAgA=",
        "two members": "H4sIAAAAAAACA6tWKshJLEnLL8oFAJ6zVB0KAAAAH4sIAAAAAAACA1OyUsrML1bSUcovDkstKs7Mz1OyUjK00DNQ"
            + "qgUApHNw1BsAAAA=",
    ]

    static func bytes(_ name: String) throws -> [UInt8] {
        let text = try #require(packed[name])
        return Array(try #require(Data(base64Encoded: text)))
    }

    /// Sends device properties packed; returns the response and what is stored of them.
    private static func send(
        _ bytes: [UInt8], _ encoding: String, path: String = "/client"
    ) async throws -> (answer: APIResponse, version: String?) {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let answer = try await server.call(
                .post, "/v3/apps/shop\(path)", bytes: bytes,
                headers: [
                    "X-Client-Id": device.id, "X-Contact-Token": device.contactToken ?? "",
                    "Content-Encoding": encoding,
                ]
            )
            return (answer, try await server.device(device.id).system.osVersion)
        }
    }

    @Test(
        "WIRE-27: a body in gzip or deflate is read inflated",
        arguments: [
            ("gzip", "gzip"), ("gzip", "GZIP"), ("gzip", "x-gzip"), ("gzip", "gzip, identity"), ("deflate", "deflate"),
            ("two members", "gzip"),
        ]
    )
    func reads(name: String, encoding: String) async throws {
        let (answer, version) = try await Self.send(try Self.bytes(name), encoding)
        #expect(answer.status == .noContent)
        #expect(version == "18.0")
    }

    @Test("WIRE-27: identity means no coding", arguments: ["identity", "Identity", "identity, identity", ","])
    func identity(encoding: String) async throws {
        let (answer, version) = try await Self.send(Array(#"{"osVersion":"18.0"}"#.utf8), encoding)
        #expect(answer.status == .noContent && version == "18.0")
    }

    @Test(
        "WIRE-27, WIRE-23: another coding is a 415 that lists the accepted ones",
        arguments: ["br", "zstd", "compress", "gzip, gzip", "gzip;q=1", "deflate, gzip", "aes128gcm"]
    )
    func unknown(encoding: String) async throws {
        let (answer, version) = try await Self.send(try Self.bytes("gzip"), encoding)
        try expectError(answer, .unsupportedMediaType, "unsupportedMediaType", target: "Content-Encoding")
        #expect(answer.header("Accept-Encoding") == "gzip, deflate")
        #expect(version == nil)
    }

    @Test(
        "WIRE-27, WIRE-23: a broken or foreign stream, or one with data after its end, is a 400",
        arguments: [
            ("deflate", "gzip"), ("gzip", "deflate"), ("raw", "deflate"), ("raw", "gzip"), ("two members", "deflate"),
        ]
    )
    func wrongKind(name: String, encoding: String) async throws {
        let (answer, version) = try await Self.send(try Self.bytes(name), encoding)
        try expectError(answer, .badRequest, "invalidBody", target: "Content-Encoding")
        #expect(version == nil)
    }

    @Test(
        "WIRE-27, SEC-2: the limit of a body applies to its inflated size, on every call", arguments: ["", "/events"])
    func bombs(path: String) async throws {
        let largest = [UInt8](repeating: 0x20, count: WireLimits.maximumBodyBytes - 2)
        let allowed = try #require(Deflation.gzip(Array("{}".utf8) + largest))
        let expected: HTTPResponse.Status = path.isEmpty ? .noContent : .badRequest
        #expect(try await Self.send(allowed, "gzip", path: "/client\(path)").answer.status == expected)
        for extra in [1, 32 * 1_048_576] {
            let bomb = Array("{}".utf8) + largest + [UInt8](repeating: 0x20, count: extra)
            let packed = try #require(Deflation.gzip(bomb))
            #expect(packed.count < 65_536)
            let (answer, _) = try await Self.send(packed, "gzip", path: "/client\(path)")
            try expectError(answer, .contentTooLarge, "bodyTooLarge")
        }
    }

    @Test("WIRE-27: an empty body counts as absent in any coding, even if it is empty only after decompression")
    func empty() async throws {
        for bytes: [UInt8] in [[], try #require(Deflation.gzip([]))] {
            let (answer, _) = try await Self.send(bytes, "gzip")
            try expectError(answer, .badRequest, "invalidBody")
        }
    }

    @Test("WIRE-27: events and registrations may be compressed")
    func everywhere() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let headers = [
                "X-Client-Id": device.id, "X-Contact-Token": device.contactToken ?? "", "Content-Encoding": "gzip",
            ]
            let event = #"{"events":[\#(EventTests.event("e1"))]}"#
            for (path, body) in [("events", event), ("registration", device.snapshot(revision: 1))] {
                let bytes = try #require(Deflation.gzip(Array(body.utf8)))
                let answer = try await server.call(
                    .post, "/v3/apps/shop/client/\(path)", bytes: bytes, headers: headers
                )
                #expect(answer.status.kind == .successful)
            }
            #expect(try await device.events().map(\.id) == ["e1"])
        }
    }
}
