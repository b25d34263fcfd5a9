import BelfryPush
import NIOCore

/// Limits and times of one ``PushConnectionPool``.
package struct DeliverySettings: Sendable {
    /// Connections at most. Those that a GOAWAY is ending do not count, up to as many again.
    package var connections = 2
    /// Streams in flight on one connection at most, however many more the peer allows.
    package var streamsPerConnection = 1_000
    /// Requests that may wait for a free stream; those beyond are answered `notProcessed`.
    package var waitingRequests = 20_000
    /// Whether connections may go to private, loopback and other addresses that are not public (SEC-5).
    package var allowsPrivateAddresses = false
    /// Whether they may go to this very machine, beside those that are public.
    package var allowsLoopbackAddresses = false
    /// Whether the certificate authorities of the machine are trusted beside an app's own trust roots.
    package var trustsSystemToo = false
    /// From the first packet to the peer's SETTINGS.
    package var connectTimeout = TimeAmount.seconds(10)
    /// From `send` to a free stream, and once more from there to the answer, for those who give no deadline.
    package var requestTimeout = TimeAmount.seconds(30)
    /// How often deadlines are looked at: a time-out is told late by so much at most.
    package var sweepInterval = TimeAmount.milliseconds(250)
    /// Silence of the peer after which a PING asks whether it is still there.
    package var pingAfterSilence = TimeAmount.seconds(30)
    /// Silence after that PING which ends the connection.
    package var pingTimeout = TimeAmount.seconds(10)
    /// The wait after a first connection that brought no answer; it doubles with each that follows.
    package var reconnectDelay = TimeAmount.milliseconds(100)
    package var maximumReconnectDelay = TimeAmount.seconds(30)
    /// How long `shutdown` waits for the answers to what is in flight.
    package var shutdownGrace = TimeAmount.seconds(10)

    package init() {}
}

extension DeliverySettings {
    /// Whether a connection may go to this address (SEC-5); one whose address is not known may be anywhere.
    package func allows(_ address: SocketAddress?) -> Bool {
        guard let address, !allowsPrivateAddresses else { return allowsPrivateAddresses }
        return address.isPublic || (allowsLoopbackAddresses && address.isLoopback)
    }
}

extension SocketAddress {
    /// Whether it is this machine (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3), also as an IPv4 address inside IPv6.
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

    /// Whether it is on the public internet (``PublicAddress``); a file of this machine is not.
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
