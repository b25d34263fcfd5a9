import BelfryInAppRenderer
import BelfryModel

@testable import BelfryCampaigns
@testable import BelfryPostgres
@testable import BelfryPush
@testable import BelfryServerModel
@testable import BelfryServices

/// Addresses of every kind: of callers, push services, browsers, links and databases.
enum AddressTarget {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        try callers(text)
        try pushServices(text)
        try links(text)
        _ = try? PostgresAddress(text).summary
        _ = try? PostgresAddress("postgres://\(text)").summary
    }

    private static func callers(_ text: String) throws {
        if let address = IPAddress(text) {
            try expect(TrustedProxies.none.caller(peer: address, forwardedFor: text) == address, "nobody is trusted")
            try expect(AddressBlock(text)?.contains(address) == true, "an address is a block of itself: \(text)")
        }
        _ = AddressBlock(text)?.contains(.loopback)
        guard let proxies = TrustedProxies("127.0.0.0/8, ::1, 10.0.0.0/8") else { return }
        _ = proxies.caller(peer: .loopback, forwardedFor: text)
        _ = TrustedProxies(text)?.caller(peer: .loopback, forwardedFor: text)
    }

    private static func pushServices(_ text: String) throws {
        if let endpoint = try? PushEndpoint(text) {
            let again = try? PushEndpoint(endpoint.description)
            try expect(again == endpoint, "an endpoint reads back as itself: \(endpoint)")
            try expect(
                endpoint.authority.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a header can hold the authority")
        }
        if let address = try? WebAddress(text) {
            try expect(address.path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash: \(address.path)")
            try expect(address.path.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a request line can hold the path")
        }
        if let uri = try? TokenURI(text) {
            try expect(uri.isSecure || isThisMachine(uri.host), "a secret leaves this machine in clear text: \(uri)")
        }
        if let origin = try? WebOrigin(text) {
            try expect((try? WebOrigin(origin.rawValue)) == origin, "an origin reads back as itself: \(origin)")
        }
    }

    private static func isThisMachine(_ host: String) -> Bool {
        if host.utf8.reversed().starts(with: "localhost".utf8.reversed()) { return true }
        guard let address = IPAddress(host) else { return false }
        return address == .loopback || AddressBlock("127.0.0.0/8")?.contains(address) == true
            || AddressBlock("::1/128")?.contains(address) == true
    }

    private static func links(_ text: String) throws {
        let decoded = WireURL.decoded(WireURL.encoded(text))
        try expect(
            decoded.map { $0.utf8.elementsEqual(text.utf8) } == true, "an address on the wire reads back as itself")
        _ = WireURL.decoded(text)
        for rule in [LinkRule.link, .secure] where rule.error(of: text) == nil {
            try expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a link is visible ASCII: \(text)")
            let front = text.prefix { $0 != ":" }.lowercased()
            try expect(!["javascript", "data", "file", "vbscript"].contains(front), "a link runs nothing: \(text)")
        }
        if InAppLinks.permits(text, schemes: InAppLinks.standardSchemes) {
            try expect(!InAppLinks.refuses(text), "what is permitted is not refused: \(text)")
        }
    }
}
