import Foundation

/// The proxies whose word on who called is taken (SEC-2). Anybody can send `X-Forwarded-For`; theirs is true.
package struct TrustedProxies: Hashable, Sendable {
    package static let none = TrustedProxies(blocks: [])
    /// Blocks of one setting.
    static let maximumCount = 1_000

    private let blocks: [AddressBlock]

    private init(blocks: [AddressBlock]) {
        self.blocks = blocks
    }

    /// Blocks in CIDR notation or single addresses, separated by commas; nil when one of them cannot be read.
    package init?(_ text: String) {
        let parts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let blocks = parts.compactMap { AddressBlock($0) }
        guard blocks.count == parts.count, blocks.count <= Self.maximumCount else { return nil }
        self.init(blocks: blocks)
    }

    /// Who called: the peer itself, or behind trusted proxies the last hop of `X-Forwarded-For` that is none of them.
    ///
    /// - Parameter forwardedFor: the header's addresses, the nearest hop last.
    package func caller(peer: IPAddress, forwardedFor: String?) -> IPAddress {
        guard contains(peer), let forwardedFor else { return peer }
        var caller = peer
        // By bytes: the comma that a proxy puts behind what its caller sent is one, whatever mark that ended with.
        for bytes in forwardedFor.utf8.split(separator: UInt8(ascii: ",")).reversed() {
            let hop = Substring(bytes)
            // What cannot be read ends the chain of those who can be believed.
            guard let address = Self.address(ofHop: hop.trimmingCharacters(in: .whitespaces)) else { break }
            caller = address
            guard contains(address) else { break }
        }
        return caller
    }

    /// Whether nobody is trusted.
    package var isEmpty: Bool { blocks.isEmpty }

    package func contains(_ address: IPAddress) -> Bool {
        blocks.contains { $0.contains(address) }
    }

    /// Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
    private static func address(ofHop text: String) -> IPAddress? {
        if let address = IPAddress(text) { return address }
        if text.hasPrefix("[") { return IPAddress(String(text.dropFirst().prefix { $0 != "]" })) }
        let parts = text.split(separator: ":")
        return parts.count == 2 ? IPAddress(String(parts[0])) : nil
    }
}
