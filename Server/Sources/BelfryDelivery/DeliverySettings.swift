import BelfryPush
import NIOCore

/// Limits and timeouts of a ``PushConnectionPool``.
package struct DeliverySettings: Sendable {
    /// The maximum number of connections. Connections that end after a GOAWAY do not count, up to the same number.
    package var connections = 2
    /// The maximum number of streams in flight on a connection, even if the peer allows more.
    package var streamsPerConnection = 1_000
    /// The maximum number of requests that wait for a free stream; more are answered `notProcessed`.
    package var waitingRequests = 20_000
    /// Whether connections to private, loopback and other addresses that are not public are allowed (SEC-5).
    package var allowsPrivateAddresses = false
    /// Whether connections to this machine are allowed, in addition to public addresses.
    package var allowsLoopbackAddresses = false
    /// Whether the machine's certificate authorities are trusted in addition to an app's own trust roots.
    package var trustsSystemToo = false
    /// The time from the first packet to the peer's SETTINGS.
    package var connectTimeout = TimeAmount.seconds(10)
    /// The time from `send` to a free stream, and again from there to the response, for calls without a deadline.
    package var requestTimeout = TimeAmount.seconds(30)
    /// The interval at which deadlines are checked: a time-out is reported up to this much late.
    package var sweepInterval = TimeAmount.milliseconds(250)
    /// How long the peer may be silent before a PING asks for a sign of life.
    package var pingAfterSilence = TimeAmount.seconds(30)
    /// How long the peer may be silent after that PING before the connection is closed.
    package var pingTimeout = TimeAmount.seconds(10)
    /// The delay after the first connection without a response; it doubles with each further one.
    package var reconnectDelay = TimeAmount.milliseconds(100)
    package var maximumReconnectDelay = TimeAmount.seconds(30)
    /// How long `shutdown` waits for the responses to requests in flight.
    package var shutdownGrace = TimeAmount.seconds(10)

    package init() {}
}

extension DeliverySettings {
    /// Whether a connection may go to this address (SEC-5). An unknown address could be anywhere.
    package func allows(_ address: SocketAddress?) -> Bool {
        guard let address, !allowsPrivateAddresses else { return allowsPrivateAddresses }
        return address.isPublic || (allowsLoopbackAddresses && address.isLoopback)
    }
}

extension SocketAddress {
    /// Whether the address is on this machine (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3), also as an IPv4 address inside
    /// IPv6.
    package var isLoopback: Bool {
        switch self {
        case .v4(let address):
            return withUnsafeBytes(of: address.address.sin_addr) { $0[0] == 127 }
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            let (prefix, rest) = (bytes.prefix(10), bytes.suffix(6))
            guard prefix.allSatisfy({ $0 == 0 }) else { return false }
            return Array(rest) == [0, 0, 0, 0, 0, 1] || rest.starts(with: [0xff, 0xff, 127])
        case .unixDomainSocket:
            return false
        }
    }

    /// Whether the address is on the public internet (``PublicAddress``). A Unix socket is not.
    var isPublic: Bool {
        switch self {
        case .v4(let address):
            PublicAddress.contains(withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
        case .v6(let address):
            PublicAddress.contains(withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
        case .unixDomainSocket:
            false
        }
    }
}
