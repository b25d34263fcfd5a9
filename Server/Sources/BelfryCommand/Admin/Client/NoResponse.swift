import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Why a call got no answer, in words for people.
enum NoResponse: Error {
    /// Nobody was reached, so nothing was done.
    case notConnected(reason: String)
    /// The connection ended between the question and the answer.
    case lost(reason: String)
    case tooLate

    init(_ error: any Error) {
        switch error {
        case let error as HTTPClientError: self = Self.kind(of: error)
        // By name it is the one, by number the other.
        case is NIOConnectionError: self = .notConnected(reason: Self.words(error))
        case let error as IOError where Self.unreached.contains(error.errnoCode):
            self = .notConnected(reason: Self.words(error))
        case is NIOSSLExtraError, NIOSSLError.handshakeFailed(_):
            self = .notConnected(reason: "the TLS handshake failed, or the certificate is not trusted")
        default: self = .lost(reason: Self.words(error))
        }
    }

    /// What the system says when no connection came about.
    private static let unreached: Set<CInt> = [
        ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL,
    ]

    /// Whether the server may have done what it was asked.
    var mayBeDone: Bool {
        if case .notConnected = self { false } else { true }
    }

    private static func kind(of error: HTTPClientError) -> NoResponse {
        switch error {
        case .deadlineExceeded, .readTimeout: .tooLate
        case .connectTimeout, .tlsHandshakeTimeout: .notConnected(reason: error.shortDescription)
        default: .lost(reason: error.shortDescription)
        }
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
