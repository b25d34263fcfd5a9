import Foundation

/// HTTP/1.1 over one TCP connection that is kept alive, as bytes: no HTTP library of the server's side has a part in it.
package actor TCPWire: V3Wire {
    private let host: String
    private let port: UInt16
    private var idle: TCPSocket?

    /// - Parameter host: an IPv4 address, such as 127.0.0.1.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package func answer(to request: V3Request) async throws -> V3Response {
        // A server ends a connection that is idle for long.
        if let former = idle, former.isEnded {
            former.end()
            idle = nil
        }
        let socket = try idle ?? TCPSocket(host: host, port: port)
        idle = nil
        do {
            let answer = try await Self.exchange(request.bytes, over: socket)
            if answer.isLast {
                socket.end()
            } else {
                idle = socket
            }
            return answer
        } catch {
            socket.end()
            throw error
        }
    }

    package func close() {
        idle?.end()
        idle = nil
    }

    /// The system's calls block, so they have a thread of their own.
    private static func exchange(_ request: [UInt8], over socket: TCPSocket) async throws -> V3Response {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<V3Response, any Error>) in
            Thread.detachNewThread {
                do {
                    continuation.resume(returning: try socket.answer(to: request))
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
