import NIOCore

extension SocketAddress {
    /// Whether it is on the public internet: not private, loopback, link-local, shared by a carrier (RFC 6598),
    /// multicast, unspecified or reserved, nor an IPv6 address that stands for such an IPv4 address.
    var isPublic: Bool {
        switch self {
        case .v4(let address):
            withUnsafeBytes(of: address.address.sin_addr) { Self.isPublicIPv4(Array($0)) }
        case .v6(let address):
            withUnsafeBytes(of: address.address.sin6_addr) { Self.isPublicIPv6(Array($0)) }
        case .unixDomainSocket:
            false
        }
    }

    /// - Parameter bytes: four, in network order.
    private static func isPublicIPv4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (172, 16...31, _), (192, 168, _): false
        case (100, 64...127, _), (192, 0, 0), (198, 18...19, _), (224..., _, _): false
        default: true
        }
    }

    /// Public ones begin with the bits 001 (RFC 4291 §2.4), but for those that are sent on to an IPv4 address (6to4,
    /// Teredo). IPv4-mapped ones and those of NAT64 (RFC 6052) are what their IPv4 address is.
    ///
    /// - Parameter bytes: sixteen, in network order.
    private static func isPublicIPv6(_ bytes: [UInt8]) -> Bool {
        let prefix = Array(bytes.prefix(12))
        if prefix == mapped || prefix == nat64 { return isPublicIPv4(Array(bytes.suffix(4))) }
        if prefix.starts(with: [0x20, 0x02]) || prefix.starts(with: [0x20, 0x01, 0, 0]) { return false }
        return bytes[0] >> 5 == 0b001
    }

    /// `::ffff:0:0/96`
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
    /// `64:ff9b::/96`
    private static let nat64: [UInt8] = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]
}
