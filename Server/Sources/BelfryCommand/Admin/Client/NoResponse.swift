import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Why a call got no response, in words for people.
enum NoResponse: Error, Hashable {
    /// There was no connection to the server, so nothing was done.
    case notConnected(reason: String)
    /// There was no connection in time, so nothing was done. The server may only have been busy.
    case connectedTooLate(reason: String)
    /// The connection ended between request and response.
    case lost(reason: String)
    case tooLate

    init(_ error: any Error) {
        switch error {
        case let error as HTTPClientError: self = Self.kind(of: error)
        case let error as NIOConnectionError where error.connectionErrors.contains(where: Self.ranOutOfTime):
            self = .connectedTooLate(reason: HTTPClientError.connectTimeout.shortDescription)
        // For a host name the library throws the first error, for an IP address the second.
        case is NIOConnectionError: self = .notConnected(reason: Self.words(error))
        case let error as IOError where Self.unreached.contains(error.errnoCode):
            self = .notConnected(reason: Self.words(error))
        case is NIOSSLExtraError, NIOSSLError.handshakeFailed(_):
            self = .notConnected(reason: "the TLS handshake failed, or the certificate is not trusted")
        default: self = .lost(reason: Self.words(error))
        }
    }

    /// The system's error codes that mean that no connection was made.
    private static let unreached: Set<CInt> = [
        ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL,
    ]

    /// Whether the server may have done what was asked.
    var mayBeDone: Bool {
        switch self {
        case .notConnected, .connectedTooLate: false
        case .lost, .tooLate: true
        }
    }

    /// Whether a second attempt may succeed. A server that refuses the connection, or whose certificate is not trusted,
    /// does so again.
    var mayPass: Bool {
        if case .notConnected = self { false } else { true }
    }

    /// Whether the time ran out, which says nothing about the server.
    var isTimeout: Bool {
        switch self {
        case .connectedTooLate, .tooLate: true
        case .notConnected, .lost: false
        }
    }

    private static func kind(of error: HTTPClientError) -> NoResponse {
        switch error {
        case .deadlineExceeded, .readTimeout: .tooLate
        // The library throws the last one after waiting for a connection that is still being made.
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            .connectedTooLate(reason: error.shortDescription)
        default: .lost(reason: error.shortDescription)
        }
    }

    private static func ranOutOfTime(_ failure: SingleConnectionFailure) -> Bool {
        if case .connectTimeout? = failure.error as? ChannelError { true } else { false }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { words($0.error) } ?? "the host name cannot be resolved"
        default: "\(error)"
        }
    }
}
