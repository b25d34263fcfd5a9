import AsyncHTTPClient
import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import NIOCore

/// The client of the admin API that the commands use.
package struct AdminClient: Sendable {
    /// The time limit for connecting, TLS included. Nothing has been done on the server at that point, so there is a
    /// second attempt.
    static let connectTimeout = TimeAmount.seconds(5)
    static let timeout = TimeAmount.seconds(30)
    static let maximumResponseBytes = 16 * 1_048_576

    let server: String
    package let key: AdminKey
    let http: HTTPClient
    /// Makes the idempotency key of a write: the server does the write once, however often it arrives (ADM-3).
    let newWriteKey: @Sendable () -> String
    /// Waits before the next check whether a write has an outcome.
    let rest: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - parts: the values for the names in braces of the route's path, in their order.
    ///   - query: without its question mark.
    package func call<Response: Decodable & Sendable>(
        _ route: AdminRoute<NoBody, Response>, _ parts: String..., query: String = ""
    ) async throws -> Response {
        try decoded(try await exchange(route, parts, query: query))
    }

    package func call(_ route: AdminRoute<NoBody, NoBody>, _ parts: String...) async throws {
        _ = try await exchange(route, parts)
    }

    package func call<Body: Encodable & Sendable, Response: Decodable & Sendable>(
        _ route: AdminRoute<Body, Response>, _ parts: String..., body: Body
    ) async throws -> Response {
        try decoded(try await exchange(route, parts, body: try JSONEncoder().encode(body)))
    }

    package func call<Body: Encodable & Sendable>(
        _ route: AdminRoute<Body, NoBody>, _ parts: String..., body: Body
    ) async throws {
        _ = try await exchange(route, parts, body: try JSONEncoder().encode(body))
    }

    /// Sends JSON exactly as the user wrote it.
    package func call<Body: Sendable, Response: Decodable & Sendable>(
        _ route: AdminRoute<Body, Response>, _ parts: String..., json: Data
    ) async throws -> Response {
        try decoded(try await exchange(route, parts, body: json))
    }

    /// Sends the request and returns the body of a successful response.
    private func exchange<Body, Response>(
        _ route: AdminRoute<Body, Response>, _ parts: [String], query: String = "", body: Data? = nil
    ) async throws -> Data {
        let address = route.address(parts.map(\.pathSegment)) + (query.isEmpty ? "" : "?\(query)")
        let isWrite = route.method != "GET"
        var request = HTTPClientRequest(url: server + address)
        request.method = .RAW(value: route.method)
        request.headers.add(name: "Authorization", value: "Bearer \(key.text)")
        // JSON lists compress so well that the library takes a compressed one for a decompression attack.
        request.headers.add(name: "Accept-Encoding", value: "identity")
        if isWrite { request.headers.add(name: HeaderNames.idempotencyKey, value: newWriteKey()) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let (status, response) = try await Self.outcome(
            server: server, isWrite: isWrite, rest: rest,
            isUnderWay: { (answer: (status: Int, body: Data)) in
                AdminClientError.isUnderWay(status: answer.status, body: answer.body)
            }
        ) { [request] in
            try await send(request)
        }
        guard (200..<300).contains(status) else {
            throw AdminClientError(
                status: status, body: try? CheckedJSON.decode(ErrorBody.self, from: response), server: server, key: key
            )
        }
        return response
    }

    private func send(_ request: HTTPClientRequest) async throws -> (status: Int, body: Data) {
        do {
            let response = try await http.exchange(
                request, upTo: Self.maximumResponseBytes, deadline: .now() + Self.timeout
            )
            return (response.status, Data(response.body.readableBytesView))
        } catch {
            // A cancelled task is not the server's failure.
            try Task.checkCancellation()
            throw NoResponse(error)
        }
    }

    private func decoded<Response: Decodable>(_ body: Data) throws -> Response {
        do {
            // A draft inside a list is nested deeper than in the request that created it.
            return try CheckedJSON.decode(
                Response.self, from: body, maximumBytes: Self.maximumResponseBytes, maximumDepth: JSONGrammar.deepest
            )
        } catch {
            throw AdminClientError.foreign(server: server, status: nil)
        }
    }
}

extension AdminClient {
    static let liveWriteKey: @Sendable () -> String = { UUID().uuidString }
    static let liveRest: @Sendable () async throws -> Void = { try await Task.sleep(for: AdminClient.restBetweenLooks) }

    /// A client of a server that this program has started itself.
    package init(server: String, key: String) {
        self.init(
            server: server, key: AdminKey(text: key, source: .program), http: .shared, newWriteKey: Self.liveWriteKey,
            rest: Self.liveRest
        )
    }
}

extension String {
    /// The text as one segment of a path or one value of a query: everything but ASCII letters, digits and `-._~`
    /// becomes `%XX` (RFC 3986 §2.3).
    var pathSegment: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for byte in utf8 {
            if Self.isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 0xf)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
