import Belfry
import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct URLSessionTransportTests {
    @Test("WIRE-20: a redirect is not followed: no token reaches another origin, no POST becomes a GET")
    func redirect() async throws {
        let server = try LoopbackServer()
        let address = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let request = TransportRequest(method: "POST", path: "/v3", headers: [:], body: Data("{}".utf8))
        server.answerInBackground([
            "302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", LoopbackServer.empty,
        ])
        let response = try await URLSessionTransport(serverURL: address).send(request)
        #expect(response.status == 302)
        #expect(response.header("Location") == "/elsewhere")
    }

    @Test("SEC-2: a response is read completely, and one without end is not accepted")
    func bounded() async throws {
        let server = try LoopbackServer()
        let address = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let request = TransportRequest(method: "GET", path: "/v3", headers: [:], body: nil)
        let body = String(repeating: "x", count: 300_000)
        let endless = String(repeating: "x", count: URLSessionTransport.maximumResponseBytes + 1)
        server.answerInBackground([
            "200 OK\r\nContent-Length: \(body.utf8.count)\r\nX-Test: one\r\n\r\n\(body)", "200 OK\r\n\r\n\(endless)",
        ])
        let transport = URLSessionTransport(serverURL: address)
        let response = try await transport.send(request)
        #expect(response.status == 200)
        #expect(response.header("x-test") == "one")
        #expect(response.body == Data(body.utf8))
        await #expect(throws: URLSessionTransport.Failure.answerTooLarge) { try await transport.send(request) }
    }

    @Test("SEC-2: a request that no caller waits for ends at once")
    func cancelled() async throws {
        let server = try LoopbackServer()
        let address = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let transport = URLSessionTransport(serverURL: address)
        let request = TransportRequest(method: "GET", path: "/v3", headers: [:], body: nil)
        // No server responds.
        let sending = Task { try await transport.send(request) }
        sending.cancel()
        let outcome = await sending.result
        #expect(throws: (any Error).self) { try outcome.get() }
    }
}

/// Answers its requests one after the other, on a port of the loopback interface.
private final class LoopbackServer: Sendable {
    static let empty = "200 OK\r\nContent-Length: 0\r\n\r\n"

    struct Failure: Error {
        let code: Int32
    }

    let port: UInt16
    private let listener: Int32

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
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(listener)
    }

    /// - Parameter answers: each from its status on.
    func answerInBackground(_ answers: [String]) {
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
                var buffer = [UInt8](repeating: 0, count: 4_096)
                _ = recv(connection, &buffer, buffer.count, 0)
                let text = Array("HTTP/1.1 \(Self.closing(answer))".utf8)
                var sent = 0
                while sent < text.count {
                    let part = text[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, noSignal) }
                    // The other end may have had enough.
                    guard part > 0 else { break }
                    sent += part
                }
                close(connection)
            }
        }
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
