import BelfryWire
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@testable import BelfryAPI

@Suite("Compressed answers")
struct AnswerCompressionTests {
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
    ) async throws -> TestResponse {
        try await server.call(
            method, "/api/v1/apps/shop/attributes",
            headers: ["Authorization": "Bearer \(TestServer.rootKey)", "Accept-Encoding": accepting]
        )
    }

    @Test("WIRE-27: a long answer is packed for who takes it so, and says the same")
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

    @Test("WIRE-27: who does not take gzip gets the answer as it is", arguments: ["identity", "gzip;q=0", "br"])
    func plain(accepting: String) async throws {
        try await Self.run { server in
            let answer = try await Self.list(server, accepting: accepting)
            #expect(answer.header("Content-Encoding") == nil)
            #expect(try answer.json(AttributeListAnswer.self).attributes.count == 60)
        }
    }

    @Test("WIRE-27: HEAD says of the packed answer what GET would")
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

    @Test("WIRE-27: short answers, errors and empty ones are not packed")
    func short() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            let answers = [
                try await device.call(.post, "/client", "{}", headers: ["Accept-Encoding": "gzip"]),
                try await device.call(.post, "/client", "{", headers: ["Accept-Encoding": "gzip"]),
                try await server.call(.get, "/healthz", headers: ["Accept-Encoding": "gzip"]),
            ]
            #expect(answers.map(\.status.code) == [204, 400, 200])
            for answer in answers {
                #expect(answer.header("Content-Encoding") == nil && answer.header("Vary") == nil)
            }
        }
    }

    @Test("WIRE-27: a tag of the exact bytes becomes one of the content, and what is packed stays so")
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
