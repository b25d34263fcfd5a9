import BelfryModel
import BelfryPush

/// Where operators may point the server (SEC-5).
package enum EndpointPolicy: Hashable, Sendable {
    /// Only names and public addresses.
    case publicOnly
    /// This machine as well: a server that itself listens on loopback only.
    case loopback
    /// Private addresses as well.
    case anywhere

    /// Why the field may not hold this endpoint; nil when it may.
    func fault(of endpoint: PushEndpoint, field: String) -> FieldRefusal? {
        guard !allows(endpoint.host) else { return nil }
        let message =
            "'\(endpoint.host)' is a private address; start the server with --allow-private-endpoints to permit it."
        return FieldRefusal(field: field, refusal: Refusal(code: "privateAddress", message: message))
    }

    /// What a server that listens there permits when nobody says anything else.
    package static func standard(listeningOn host: String) -> EndpointPolicy {
        isLoopback(host) ? .loopback : .publicOnly
    }

    func allows(_ host: String) -> Bool {
        switch self {
        case .publicOnly: !Self.isPrivate(host)
        case .loopback: !Self.isPrivate(host) || Self.isLoopback(host)
        case .anywhere: true
        }
    }

    /// Names and addresses of this machine, in the spellings that everybody reads alike.
    static func isLoopback(_ host: String) -> Bool {
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        return host == "localhost" || host.hasSuffix(".localhost") || IPAddress(host)?.isLoopback == true
    }

    static func isPrivate(_ host: String) -> Bool {
        // A dot at the end is the root of all names: `localhost.` is `localhost`.
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        if host.contains(":") { return isPrivateIPv6(host) }
        if endsInNumber(host) { return isPrivateIPv4(host) }
        return host == "localhost" || [".localhost", ".local", ".internal"].contains { host.hasSuffix($0) }
    }

    /// Whether resolvers take it for an IPv4 address: no top-level domain is a number (WHATWG URL, "ends in a number").
    private static func endsInNumber(_ host: String) -> Bool {
        guard let last = host.split(separator: ".", omittingEmptySubsequences: false).last else { return false }
        return last.allSatisfy(\.isNumber) || (last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit))
    }

    private static func isPrivateIPv4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // Four plain numbers; other spellings (one number, hexadecimal, octal by a zero in front) are nobody's
        // push service, and resolvers differ about them.
        let bytes = parts.compactMap { $0.count > 1 && $0.hasPrefix("0") ? nil : UInt8($0) }
        guard parts.count == 4, bytes.count == 4 else { return true }
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168): return true
        case (172, 16...31), (100, 64...127), (198, 18...19): return true
        case (224..., _): return true
        default: return false
        }
    }

    /// Public ones begin with the bits 001 (RFC 4291 §2.4), but for those that carry an IPv4 address to be sent on to
    /// (6to4, Teredo).
    private static func isPrivateIPv6(_ text: String) -> Bool {
        guard let first = group(text, 0) else { return true }
        return first >> 13 != 0b001 || first == 0x2002 || (first == 0x2001 && group(text, 1) ?? 0 == 0)
    }

    /// One of the first groups of an IPv6 address; nil when `::` stands before it: then it is zero.
    private static func group(_ text: String, _ index: Int) -> UInt16? {
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        guard index < groups.count else { return nil }
        return UInt16(groups[index], radix: 16)
    }
}
