import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

/// The bytes of a response, unchanged.
private final class Written: ResponseBodyWriter {
    private(set) var buffers: [ByteBuffer] = []

    func write(_ buffer: ByteBuffer) { buffers.append(buffer) }
    func finish(_ trailingHeaders: HTTPFields?) {}
}

@Suite("Compressed responses")
struct ResponseCompressionTests {
    /// A server whose list of attributes is longer than a kilobyte.
    private static func run(_ test: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for number in 0..<60 {
                _ = try await server.admin(.put, "/apps/shop/attributes/attribute-\(number)", #"{"type":"string"}"#)
            }
            try await test(server)
        }
    }

    private static func list(
        _ server: TestServer, _ method: HTTPRequest.Method = .get, accepting: String
    ) async throws -> APIResponse {
        try await server.call(
            method, "/api/v1/apps/shop/attributes",
            headers: ["Authorization": "Bearer \(TestServer.rootKey)", "Accept-Encoding": accepting]
        )
    }

    @Test("WIRE-27: a long response is compressed for clients that accept it")
    func packed() async throws {
        try await Self.run { server in
            let plain = try await Self.list(server, accepting: "")
            let packed = try await Self.list(server, accepting: "gzip, deflate, br")
            #expect(packed.status == .ok)
            #expect(packed.header("Content-Encoding") == "gzip")
            #expect(packed.header("Content-Type") == "application/json")
            #expect(packed.header("Content-Length") == String(packed.body.readableBytes))
            #expect(packed.body.readableBytes < plain.body.readableBytes / 2)
            let bytes = Array(packed.body.readableBytesView)
            let unpacked = try Inflation(coding: .gzip, limit: 1_000_000).unpacked(bytes)
            #expect(unpacked == Array(plain.body.readableBytesView))
            #expect(plain.header("Content-Encoding") == nil)
            #expect(plain.header("Content-Length") == String(plain.body.readableBytes))
            for answer in [plain, packed] {
                #expect(answer.header("Vary") == "Accept-Encoding")
                #expect(answer.header("Cache-Control") == "no-store")
            }
        }
    }

    @Test("SEC-2, WIRE-27, WIRE-28: the description is compressed once, and every caller gets the same bytes")
    func description() async throws {
        let bytes = APIRoutes.description.document.bytes
        let body = PackedBody(bytes)
        let packed = try await Self.bytes(of: body, accepting: "gzip")
        #expect(try Inflation(coding: .gzip, limit: 10_000_000).unpacked(packed.readable) == bytes)
        #expect(packed.readable.count < bytes.count / 4)
        // The buffer that was made at first, and no copy of it.
        #expect(try await Self.bytes(of: body, accepting: "gzip").address == packed.address)
        #expect(try await Self.bytes(of: body, accepting: "").readable == bytes)
        try await TestServer.run { server in
            for method in [HTTPRequest.Method.get, .head] {
                let answer = try await server.call(method, "/openapi.json", headers: ["Accept-Encoding": "gzip"])
                #expect(answer.header("Content-Encoding") == "gzip" && answer.header("Vary") == "Accept-Encoding")
                #expect(answer.header("Content-Length") == String(packed.readable.count))
                let plain = try await server.call(method, "/openapi.json", headers: ["Accept-Encoding": "identity"])
                #expect(plain.header("Content-Encoding") == nil && plain.header("Vary") == "Accept-Encoding")
                #expect(plain.header("Content-Length") == String(bytes.count))
            }
        }
    }

    /// The content of the response, and its location.
    private static func bytes(
        of body: PackedBody, accepting: String
    ) async throws -> (readable: [UInt8], address: Int) {
        let request = Request(
            head: HTTPRequest(
                method: .get, scheme: nil, authority: nil, path: "/openapi.json",
                headerFields: [.acceptEncoding: accepting]
            ),
            body: RequestBody(buffer: ByteBuffer())
        )
        let written = Written()
        try await body.response(to: request, type: "application/json").body.write(written)
        let buffer = try #require(written.buffers.first)
        #expect(written.buffers.count == 1)
        return (Array(buffer.readableBytesView), buffer.withUnsafeReadableBytes { Int(bitPattern: $0.baseAddress) })
    }

    @Test("WIRE-27: without gzip in Accept-Encoding nothing is compressed", arguments: ["identity", "gzip;q=0", "br"])
    func plain(accepting: String) async throws {
        try await Self.run { server in
            let answer = try await Self.list(server, accepting: accepting)
            #expect(answer.header("Content-Encoding") == nil)
            #expect(try answer.json(AttributeListResponse.self).attributes.count == 60)
        }
    }

    @Test("WIRE-27: HEAD has the headers of the compressed response to GET")
    func head() async throws {
        try await Self.run { server in
            for accepting in ["", "gzip"] {
                let get = try await Self.list(server, accepting: accepting)
                let head = try await Self.list(server, .head, accepting: accepting)
                #expect(head.body.readableBytes == 0)
                for name in ["Content-Length", "Content-Encoding", "Content-Type", "Vary"] {
                    #expect(head.header(name) == get.header(name), "\(name) for '\(accepting)'")
                }
            }
        }
    }

    @Test("WIRE-27: short responses, errors and empty ones are not compressed")
    func short() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            let responses = [
                try await device.call(.post, "/client", "{}", headers: ["Accept-Encoding": "gzip"]),
                try await device.call(.post, "/client", "{", headers: ["Accept-Encoding": "gzip"]),
                try await server.call(.get, "/healthz", headers: ["Accept-Encoding": "gzip"]),
            ]
            #expect(responses.map(\.status.code) == [204, 400, 200])
            for answer in responses {
                #expect(answer.header("Content-Encoding") == nil && answer.header("Vary") == nil)
            }
        }
    }

    @Test("WIRE-27: a strong ETag becomes weak, and a compressed body stays as it is")
    func tags() async throws {
        func response(_ headers: HTTPFields) async throws -> Response {
            let body = ResponseBody(byteBuffer: ByteBuffer(repeating: 0x61, count: Response.smallestCompressed))
            var response = Response(status: .ok, headers: headers, body: body)
            let request = Request(
                head: HTTPRequest(
                    method: .get, scheme: nil, authority: nil, path: "/", headerFields: [.acceptEncoding: "gzip"]
                ),
                body: RequestBody(buffer: ByteBuffer())
            )
            try await response.compress(for: request)
            return response
        }
        #expect(try await response([.eTag: #""abc""#]).headers[.eTag] == #"W/"abc""#)
        #expect(try await response([.eTag: #"W/"abc""#]).headers[.eTag] == #"W/"abc""#)
        #expect(try await response([.vary: "Origin"]).headers[.vary] == "Origin, Accept-Encoding")
        let packed = try await response([.contentEncoding: "br"])
        #expect(packed.headers[.contentEncoding] == "br")
        #expect(packed.body.contentLength == Response.smallestCompressed)
    }
}
