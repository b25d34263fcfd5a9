import Foundation

/// The proxies whose `X-Forwarded-For` is trusted (SEC-2). Any other client could send that header, too.
package struct TrustedProxies: Hashable, Sendable {
    package static let none = TrustedProxies(blocks: [])
    /// The maximum number of blocks in the setting.
    static let maximumCount = 1_000

    private let blocks: [AddressBlock]

    private init(blocks: [AddressBlock]) {
        self.blocks = blocks
    }

    /// Blocks in CIDR notation or single addresses, separated by commas; nil if one of them is invalid.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ","))
            .map { Substring($0).trimmingCharacters(in: .whitespaces) }
        let blocks = parts.compactMap { AddressBlock($0) }
        guard blocks.count == parts.count, blocks.count <= Self.maximumCount else { return nil }
        self.init(blocks: blocks)
    }

    /// The caller: the peer itself or, behind trusted proxies, the last hop of `X-Forwarded-For` that is not a trusted
    /// proxy.
    ///
    /// - Parameter forwardedFor: the header's addresses, the nearest hop last.
    package func caller(peer: IPAddress, forwardedFor: String?) -> IPAddress {
        guard contains(peer), let forwardedFor else { return peer }
        var caller = peer
        // By bytes: the comma after what a proxy's client sent counts, whatever mark precedes it.
        for bytes in forwardedFor.utf8.split(separator: UInt8(ascii: ",")).reversed() {
            let hop = Substring(bytes)
            // An unreadable hop ends the trusted chain.
            guard let address = Self.address(ofHop: hop.trimmingCharacters(in: .whitespaces)) else { break }
            caller = address
            guard contains(address) else { break }
        }
        return caller
    }

    /// Whether no proxy is trusted.
    package var isEmpty: Bool { blocks.isEmpty }

    package func contains(_ address: IPAddress) -> Bool {
        blocks.contains { $0.contains(address) }
    }

    /// Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
    private static func address(ofHop text: String) -> IPAddress? {
        if let address = IPAddress(text) { return address }
        // By bytes: a bracket or a colon counts, whatever mark follows it (SEC-7).
        if text.utf8.first == UInt8(ascii: "[") {
            return IPAddress(String(Substring(text.utf8.dropFirst().prefix { $0 != UInt8(ascii: "]") })))
        }
        let parts = text.utf8.split(separator: UInt8(ascii: ":"))
        return parts.count == 2 ? IPAddress(String(Substring(parts[0]))) : nil
    }
}
