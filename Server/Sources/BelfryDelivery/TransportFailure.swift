import NIOCore
import NIOPosix
import NIOSSL

/// The reason why there is no connection, or no longer one.
enum TransportFailure: Equatable, Sendable {
    case connectFailed
    case connectTimeout
    case privateAddress
    case certificateRejected
    case wrongHostname
    case handshakeFailed
    case http2NotSpoken
    case outOfMemory
    case connectionLost
    case protocolBroken
    /// The peer sent much more than responses.
    case flooded
    case pingTimeout
    /// The last stream ended after a GOAWAY, or the stream ids are exhausted.
    case usedUp
    case shutDown

    /// A failure to open the TCP connection.
    init(connecting error: any Error) {
        if case .connectTimeout? = error as? ChannelError {
            self = .connectTimeout
        } else if case .privateAddress? = (error as? NIOConnectionError)?.dnsAError as? HostLookupError {
            self = .privateAddress
        } else {
            self = .connectFailed
        }
    }

    /// A failure on the open channel, below HTTP/2.
    init(onChannel error: any Error, isSecured: Bool) {
        if let extra = error as? NIOSSLExtraError, extra == .failedToValidateHostname {
            self = .wrongHostname
        } else if case .handshakeFailed(let cause)? = error as? NIOSSLError {
            self = Self.blamesCertificate(cause) ? .certificateRejected : .handshakeFailed
        } else {
            self = isSecured ? .connectionLost : .handshakeFailed
        }
    }

    private static func blamesCertificate(_ cause: BoringSSLError) -> Bool {
        switch cause {
        case .sslError(let stack), .unknownError(let stack):
            stack.contains { $0.description.contains("CERTIFICATE_VERIFY_FAILED") }
        default:
            false
        }
    }

    /// Static text for readers of the ledger.
    var reason: String {
        switch self {
        case .connectFailed: "no connection: the host is unknown, unreachable or refuses connections"
        case .connectTimeout: "no connection in time"
        case .privateAddress: "the endpoint is on a private address"
        case .certificateRejected: "the server's certificate is not trusted"
        case .wrongHostname: "the server's certificate is for another name"
        case .handshakeFailed: "the TLS handshake failed"
        case .http2NotSpoken: "the server does not offer HTTP/2"
        case .outOfMemory: "out of memory"
        case .connectionLost: "connection lost"
        case .protocolBroken: "the server broke the HTTP/2 protocol"
        case .flooded: "the server sent much more than its responses"
        case .pingTimeout: "the connection is dead: no response to PING"
        case .usedUp: "the connection was closed"
        case .shutDown: "the server is shutting down"
        }
    }
}
