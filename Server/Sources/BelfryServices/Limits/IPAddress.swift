import BelfryModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IPv4 or IPv6 address. An IPv4 address in IPv6 notation (`::ffff:192.0.2.1`) counts as the IPv4 address.
package struct IPAddress: Hashable, Sendable {
    package static let loopback = IPAddress(bytes: [127, 0, 0, 1])

    /// Four or sixteen bytes, in network order.
    let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The longest notation of an address: IPv6 with an IPv4 address at its end.
    private static let maximumLength = 45

    /// Nil if the text is not an address.
    package init?(_ text: String) {
        // The system's parser reads only up to the first null byte, so other bytes are rejected before.
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy(Self.mayStand) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            let all = withUnsafeBytes(of: six) { Array($0) }
            bytes = all.starts(with: Self.mappedPrefix) ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    /// The address in the system's notation.
    package var text: String {
        var text = [CChar](repeating: 0, count: Self.maximumLength + 1)
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == Self.loopbackIPv6
    }

    /// Whether it is `0.0.0.0` or `::`. For a listener this means all addresses of the machine, for a client the
    /// machine itself.
    package var isUnspecified: Bool {
        bytes.allSatisfy { $0 == 0 }
    }

    /// The network that counts as one caller: an IPv6 network of 64 bits belongs to one caller and has practically
    /// unlimited addresses.
    package var network: IPAddress {
        bytes.count == 4 ? self : IPAddress(bytes: Array(bytes.prefix(8)) + [UInt8](repeating: 0, count: 8))
    }

    /// The network of 48 bits that contains an IPv6 address: what one customer may have (RFC 6177). Nil for IPv4.
    package var site: IPAddress? {
        bytes.count == 4 ? nil : IPAddress(bytes: Array(bytes.prefix(6)) + [UInt8](repeating: 0, count: 10))
    }

    private static func mayStand(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default:
            false
        }
    }

    private static let loopbackIPv6 = [UInt8](repeating: 0, count: 15) + [1]
    /// `::ffff:0:0/96`
    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
}

/// A block of addresses in an operator's notation: `10.0.0.0/8`, `fd00::/8`, or a single address.
struct AddressBlock: Hashable, Sendable {
    private let first: IPAddress
    /// The number of leading bits that all its addresses share.
    private let length: Int

    /// Nil if the text is not a block.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false).map {
            Substring($0)
        }
        guard let address = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
        let bits = address.bytes.count * 8
        guard let length = parts.count == 1 ? bits : WholeNumber.read(parts[1]), (0...bits).contains(length) else {
            return nil
        }
        first = address
        self.length = length
    }

    func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        let whole = length / 8
        guard address.bytes.prefix(whole) == first.bytes.prefix(whole) else { return false }
        let rest = length % 8
        return rest == 0 || (address.bytes[whole] ^ first.bytes[whole]) >> (8 - rest) == 0
    }
}
