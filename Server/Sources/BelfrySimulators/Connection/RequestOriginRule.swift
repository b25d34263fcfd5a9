/// The rule for requests to a port that requires no credential: programs and the port's own pages may call it. A page
/// of another site must not call it through its visitor's browser, neither across origins nor with its own host name
/// that resolves to this machine (DNS rebinding).
struct RequestOriginRule: Sendable {
    /// The header fields with which browsers describe the caller.
    struct Caller: Sendable {
        /// `Host`.
        var host: String?
        /// `Origin`.
        var origin: String?
        /// `Sec-Fetch-Site`.
        var site: String?
    }

    /// What is wrong with a request.
    struct Rejection: Error, Equatable {
        /// The header.
        let field: String
        /// What happened and what is allowed.
        let message: String
    }

    /// The names that `Host` may have, as bytes in lower case, with addresses in the form of a URL.
    private let names: Set<[UInt8]>
    /// Whether the port listens on all addresses of the machine, so that a caller may have used any address.
    private let takesAddresses: Bool

    /// - Parameters:
    ///   - host: the address or name on which the port listens.
    ///   - publicHost: another name of the port.
    init(host: String, publicHost: String? = nil) {
        let own = [host, publicHost].compactMap { $0 }.map { $0.utf8.contains(Self.colon) ? "[\($0)]" : $0 }
        names = Set((["localhost", "127.0.0.1", "[::1]"] + own).map { Self.lowercased($0.utf8) })
        takesAddresses = host == "0.0.0.0" || host == "::"
    }

    /// Throws if the request names another host, or if a page of another origin has caused it.
    func check(_ caller: Caller) throws(Rejection) {
        guard let host = caller.host, takes(host) else {
            throw Rejection(
                field: "Host",
                message: "must be localhost, 127.0.0.1, [::1] or the address that this port listens on"
            )
        }
        guard isOwn(caller.origin, host), Self.ownSites.contains(caller.site) else {
            throw Rejection(field: "Origin", message: "is another site's: its pages may not call this port")
        }
    }

    private static let colon = UInt8(ascii: ":")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    /// The values of programs, of a browser's own requests and of pages of this port (W3C Fetch Metadata §2.3).
    private static let ownSites: Set<String?> = [nil, "none", "same-origin"]

    private func takes(_ host: String) -> Bool {
        let host = Self.lowercased(host.utf8)
        let name: ArraySlice<UInt8>
        if host.first == UInt8(ascii: "["), let end = host.firstIndex(of: UInt8(ascii: "]")) {
            name = host[...end]
        } else {
            name = host.prefix { $0 != Self.colon }
        }
        let port = host[name.endIndex...]
        let isPort = port.first == Self.colon && port.dropFirst().allSatisfy { Self.digits.contains($0) }
        guard port.isEmpty || isPort else { return false }
        return names.contains(Array(name)) || (takesAddresses && Self.isAddress(name))
    }

    /// Whether the host is an IP address. No DNS name is one, so only a page that this port served can use it.
    private static func isAddress(_ name: ArraySlice<UInt8>) -> Bool {
        if name.first == UInt8(ascii: "[") { return true }
        return !name.isEmpty && name.allSatisfy { digits.contains($0) || $0 == UInt8(ascii: ".") }
    }

    /// Whether the origin is this port. Firefox opens its push connection with the address in its preference, which has
    /// a path.
    private func isOwn(_ origin: String?, _ host: String) -> Bool {
        guard let origin = origin?.utf8 else { return true }
        return ["http://", "ws://"].contains { scheme in
            let own = (scheme + host).utf8
            guard origin.starts(with: own) else { return false }
            let rest = origin.dropFirst(own.count)
            return rest.isEmpty || rest.first == UInt8(ascii: "/")
        }
    }

    private static func lowercased(_ bytes: String.UTF8View) -> [UInt8] {
        bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}
