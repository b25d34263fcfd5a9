/// Decides by its bytes whether an IP address is on the public internet (SEC-5). The rule applies to endpoints as text
/// and to the addresses to which their names resolve.
///
/// Not public are the blocks of IANA's registries of special-purpose addresses (RFC 6890) that are not globally
/// reachable, and multicast. A block with some reachable addresses counts as not public as a whole: these addresses
/// belong to protocols, not to push services.
package enum PublicAddress {
    /// - Parameter bytes: four or sixteen bytes in network order; any other number is not public.
    package static func contains(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: isPublicIPv4(bytes)
        case 16: isPublicIPv6(bytes)
        default: false
        }
    }

    private static func isPublicIPv4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        // This network, private, loopback, link-local (RFC 791, RFC 1918, RFC 1122, RFC 3927).
        case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (172, 16...31, _), (192, 168, _): false
        // Carrier-grade NAT, protocols, the former 6to4 relays, benchmarks (RFC 6598, RFC 6890, RFC 7526, RFC 2544).
        case (100, 64...127, _), (192, 0, 0), (192, 88, 99), (198, 18...19, _): false
        // Documentation (RFC 5737).
        case (192, 0, 2), (198, 51, 100), (203, 0, 113): false
        // Multicast, reserved, broadcast (RFC 5771, RFC 1112, RFC 8190).
        case (224..., _, _): false
        default: true
        }
    }

    /// Public addresses begin with the bits 001 (RFC 4291 §2.4). That excludes, among others, loopback, `fe80::/10`,
    /// `fc00::/7`, `100::/64`, `5f00::/16` and `ff00::/8`. For an address that embeds an IPv4 address, that address
    /// decides.
    private static func isPublicIPv6(_ bytes: [UInt8]) -> Bool {
        let prefix = Array(bytes.prefix(12))
        if prefix == mapped || prefix == nat64 { return isPublicIPv4(Array(bytes.suffix(4))) }
        guard bytes[0] >> 5 == 0b001 else { return false }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        // Protocols: Teredo, benchmarks, ORCHID and others (RFC 2928, RFC 4380, RFC 5180, RFC 7343).
        case (0x20, 0x01, 0x00...0x01, _): return false
        // Documentation (RFC 3849, RFC 9637).
        case (0x20, 0x01, 0x0d, 0xb8), (0x3f, 0xff, 0x00...0x0f, _): return false
        // 6to4, which forwards to an IPv4 address (RFC 3056).
        case (0x20, 0x02, _, _): return false
        default: return true
        }
    }

    /// `::ffff:0:0/96` (RFC 4291 §2.5.5.2)
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
    /// `64:ff9b::/96` (RFC 6052)
    private static let nat64: [UInt8] = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]
}
