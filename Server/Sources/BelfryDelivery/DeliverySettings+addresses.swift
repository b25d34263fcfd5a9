import NIOCore

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
}
