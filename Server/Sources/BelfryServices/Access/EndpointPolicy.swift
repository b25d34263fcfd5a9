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

    /// Why the field may not name this host; nil when it may.
    func error(ofHost host: String, field: String) -> FieldError? {
        guard !allows(host) else { return nil }
        let message = "'\(host)' is a private address. Start the server with --allow-private-endpoints to allow it."
        return FieldError(field: field, error: ValueError(code: "privateAddress", message: message))
    }

    /// Where devices may point the server: what operators may name on this machine, devices may not (SEC-5).
    package var forDevices: EndpointPolicy { self == .loopback ? .publicOnly : self }

    /// Which ports a device may name: any but the usual one is nobody's push service, and would let strangers knock at
    /// whatever answers there.
    func allows(port: Int) -> Bool {
        self != .publicOnly || port == PushEndpoint.standardPort
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
        if host.contains(":") || endsInNumber(host) { return !isPublicAddress(host) }
        return host == "localhost" || [".localhost", ".local", ".internal"].contains { host.hasSuffix($0) }
    }

    /// Plain spellings only. Others (one number, hexadecimal, octal by a zero in front) are nobody's push service, and
    /// resolvers differ about them.
    private static func isPublicAddress(_ host: String) -> Bool {
        IPAddress(host).map { PublicAddress.contains($0.bytes) } ?? false
    }

    /// Whether resolvers take it for an IPv4 address: no top-level domain is a number (WHATWG URL, "ends in a number").
    private static func endsInNumber(_ host: String) -> Bool {
        guard let last = host.split(separator: ".", omittingEmptySubsequences: false).last else { return false }
        return last.allSatisfy(\.isNumber) || (last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit))
    }
}
