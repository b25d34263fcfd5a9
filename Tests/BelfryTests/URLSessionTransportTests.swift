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
        let server = try RedirectingServer()
        let address = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let request = TransportRequest(method: "POST", path: "/v3", headers: [:], body: Data("{}".utf8))
        server.answerInBackground()
        let response = try await URLSessionTransport(serverURL: address).send(request)
        #expect(response.status == 302)
        #expect(response.header("Location") == "/elsewhere")
    }
}

/// Answers its first request by a redirect to itself, any further one by 200, on a port of the loopback interface.
private final class RedirectingServer: Sendable {
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

    func answerInBackground() {
        Thread.detachNewThread { [listener] in
            for answer in ["302 Found\r\nLocation: /elsewhere", "200 OK"] {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var buffer = [UInt8](repeating: 0, count: 4_096)
                _ = recv(connection, &buffer, buffer.count, 0)
                let text = Array("HTTP/1.1 \(answer)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
                _ = send(connection, text, text.count, 0)
                close(connection)
            }
        }
    }
}
