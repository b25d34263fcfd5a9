@testable import Belfry
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What sends the requests on this system, and `URLSession`, which does on Apple's.
private struct Way: Sendable {
    let send: @Sendable (TransportRequest) async throws -> TransportResponse

    static let all: [@Sendable (URL) -> Way] = [
        { address in
            let transport = HTTPTransport(serverURL: address)
            return Way { try await transport.send($0) }
        },
        { address in
            let connection = URLSessionConnection(limits: HTTPTransport.limits)
            return Way { request in
                let url = try #require(URL(string: request.path, relativeTo: address))
                return try await connection.response(to: request, at: url)
            }
        },
    ]
}

struct HTTPTransportTests {
    private static let empty = TransportRequest(method: "GET", path: "/v3", headers: [:], body: nil)

    @Test(
        "WIRE-20: a redirect is not followed: no token reaches another origin, no POST becomes a GET", arguments: 0..<2
    )
    func redirect(way: Int) async throws {
        let server = try LoopbackServer()
        let request = TransportRequest(method: "POST", path: "/v3", headers: [:], body: Data("{}".utf8))
        server.answerInBackground([
            "302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", LoopbackServer.empty,
        ])
        let response = try await Way.all[way](server.address).send(request)
        #expect(response.status == 302)
        #expect(response.header("Location") == "/elsewhere")
    }

    @Test("SEC-2: a response is read completely, and one without end is not accepted", arguments: 0..<2)
    func bounded(way: Int) async throws {
        let server = try LoopbackServer()
        let body = String(repeating: "x", count: 300_000)
        let endless = String(repeating: "x", count: HTTPTransport.maximumResponseBytes + 1)
        server.answerInBackground([
            "200 OK\r\nContent-Length: \(body.utf8.count)\r\nX-Test: one\r\n\r\n\(body)", "200 OK\r\n\r\n\(endless)",
        ])
        let way = Way.all[way](server.address)
        let response = try await way.send(Self.empty)
        #expect(response.status == 200)
        #expect(response.header("x-test") == "one")
        #expect(response.body == Data(body.utf8))
        await #expect(throws: HTTPTransport.Failure.responseTooLarge) { try await way.send(Self.empty) }
    }

    #if os(Linux)
        @Test("SEC-2: a response whose headers have no end is not accepted")
        func boundedHeaders() async throws {
            let server = try LoopbackServer()
            let line = "X-Test: \(String(repeating: "x", count: 1_000))\r\n"
            server.answerInBackground(
                [30, 70].map { "200 OK\r\n\(String(repeating: line, count: $0))Content-Length: 0\r\n\r\n" }
            )
            let transport = HTTPTransport(serverURL: server.address)
            let response = try await transport.send(Self.empty)
            let (bytes, expected) = (response.header("X-Test")?.utf8.count, 30_058)
            #expect(bytes == expected, "30 lines of 1,000 bytes, and a comma and a blank between them")
            await #expect(throws: HTTPTransport.Failure.responseTooLarge) { try await transport.send(Self.empty) }
        }
    #endif

    @Test("SEC-2: a request that no caller waits for ends at once", arguments: 0..<2)
    func cancelled(way: Int) async throws {
        // It does not answer.
        let server = try LoopbackServer()
        let way = Way.all[way](server.address)
        let early = Task { try await way.send(Self.empty) }
        early.cancel()
        let outcome = await early.result
        #expect(throws: (any Error).self) { try outcome.get() }

        server.answerInBackground([], thenHoldsOne: true)
        let late = Task { try await way.send(Self.empty) }
        await server.holdsOne()
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test("WIRE-1: methods, headers and bodies arrive as they are, and nothing is added to a body", arguments: 0..<2)
    func requests(way: Int) async throws {
        let server = try LoopbackServer()
        server.answerInBackground(Array(repeating: LoopbackServer.empty, count: 4))
        let way = Way.all[way](server.address)
        for (method, body) in [("GET", nil), ("PUT", "{}"), ("DELETE", nil), ("POST", "")] as [(String, String?)] {
            let headers = ["X-Name": "a: b", "Content-Type": "application/json"]
            let path = "/v3/apps/shop?\(method)=1"
            _ = try await way.send(
                TransportRequest(method: method, path: path, headers: headers, body: body.map { Data($0.utf8) }))
        }
        let heads = server.received
        try #require(heads.count == 4)
        for (head, line) in zip(heads, ["GET", "PUT", "DELETE", "POST"]) {
            #expect(head.hasPrefix("\(line) /v3/apps/shop?\(line)=1 HTTP/1.1\r\n"))
            #expect(head.contains("\r\nX-Name: a: b\r\n"))
            #expect(head.lowercased().contains("\r\ncontent-type: application/json\r\n"))
            #expect(!head.lowercased().contains("expect:"))
        }
        #expect(heads[1].lowercased().contains("\r\ncontent-length: 2\r\n"))
        #expect(heads[3].lowercased().contains("\r\ncontent-length: 0\r\n"))
    }

    @Test("REG-14: what went wrong has the names of Foundation")
    func failures() async throws {
        let server = try LoopbackServer()
        server.answerInBackground(["", "200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
        let nobody = try #require(URL(string: "http://127.0.0.1:1"))
        let nowhere = try #require(URL(string: "http://belfry.invalid"))
        for (address, code) in [
            (server.address, .networkConnectionLost), (server.address, .networkConnectionLost),
            (nobody, .cannotConnectToHost), (nowhere, .cannotFindHost),
        ] as [(URL, URLError.Code)] {
            let transport = HTTPTransport(serverURL: address)
            let error = await #expect(throws: URLError.self) { try await transport.send(Self.empty) }
            #expect(error?.code == code)
        }
    }

    @Test("SEC-7: a header that would be two is not sent")
    func splitHeader() async throws {
        let server = try LoopbackServer()
        let transport = HTTPTransport(serverURL: server.address)
        for headers in [["X-Name": "a\r\nX-Other: b"], ["X\nY": "a"], ["X-Name": "\u{0}"]] {
            let request = TransportRequest(method: "GET", path: "/v3", headers: headers, body: nil)
            await #expect(throws: HTTPTransport.Failure.invalidHeader) { try await transport.send(request) }
        }
    }
}

/// Answers its requests one after the other, on a port of the loopback interface.
private final class LoopbackServer: Sendable {
    static let empty = "200 OK\r\nContent-Length: 0\r\n\r\n"

    struct Failure: Error {
        let code: Int32
    }

    let address: URL
    private let listener: Int32
    private let heads = Locked<[String]>([])
    private let held = AsyncStream<Void>.makeStream()

    /// The requests that were answered, from their first byte on.
    var received: [String] { heads.withLock { $0 } }

    init() throws {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 4) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isBound else { throw Failure(code: errno) }
        self.listener = listener
        self.address = try #require(URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"))
    }

    deinit {
        close(listener)
    }

    /// A request came that nobody answers.
    func holdsOne() async {
        for await _ in held.stream { return }
    }

    /// - Parameter answers: each from its status on; nothing at all for an empty one.
    func answerInBackground(_ answers: [String], thenHoldsOne: Bool = false) {
        // The thread keeps the server: otherwise the number of its socket could be another's by then.
        Thread.detachNewThread { [self] in
            for answer in answers {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                #if canImport(Darwin)
                    var isQuiet: Int32 = 1
                    setsockopt(
                        connection, SOL_SOCKET, SO_NOSIGPIPE, &isQuiet, socklen_t(MemoryLayout<Int32>.size))
                #endif
                let request = Self.request(from: connection)
                heads.withLock { $0.append(request) }
                let text = Array((answer.isEmpty ? "" : "HTTP/1.1 \(Self.closing(answer))").utf8)
                var sent = 0
                while sent < text.count {
                    let part = text[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, noSignal) }
                    // The other end may have had enough.
                    guard part > 0 else { break }
                    sent += part
                }
                close(connection)
            }
            guard thenHoldsOne else { return }
            let connection = accept(listener, nil, nil)
            _ = Self.request(from: connection)
            held.continuation.yield()
            // Until the other end has gone.
            _ = Self.request(from: connection)
            close(connection)
        }
    }

    /// The whole request, in however many pieces it comes; or what came of it before the other end had gone. To close a
    /// connection with unread bytes would take the answer away, too.
    private static func request(from connection: Int32) -> String {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !isWhole(request) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            request += buffer.prefix(count)
        }
        return String(decoding: request, as: UTF8.self)
    }

    private static func isWhole(_ request: [UInt8]) -> Bool {
        let parts = String(decoding: request, as: UTF8.self).components(separatedBy: "\r\n\r\n")
        guard parts.count > 1 else { return false }
        let lengths = parts[0].lowercased().components(separatedBy: "\r\n").compactMap { field in
            field.hasPrefix("content-length: ") ? Int(field.dropFirst(16)) : nil
        }
        return parts[1].utf8.count >= lengths.first ?? 0
    }

    /// The head of a response with the header that says so.
    private static func closing(_ answer: String) -> String {
        answer.replacing("\r\n", with: "\r\nConnection: close\r\n", maxReplacements: 1)
    }
}

/// A peer that has gone is an error, and not the end of the process.
#if canImport(Darwin)
    private let noSignal: Int32 = 0
#else
    private let noSignal = Int32(MSG_NOSIGNAL)
#endif
