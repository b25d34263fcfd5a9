import BelfryModel
import BelfryPush

/// The hosts to which operators may point the server (SEC-5).
package enum EndpointPolicy: Hashable, Sendable {
    /// Only names and public addresses.
    case publicOnly
    /// This machine, too: for a server that itself listens on loopback only.
    case loopback
    /// Private addresses, too.
    case anywhere

    /// The error for a host that the field may not name. Nil when it may.
    func error(ofHost host: String, field: String) -> FieldError? {
        guard !allows(host) else { return nil }
        let message = "'\(host)' is a private address. Start the server with --allow-private-endpoints to allow it."
        return FieldError(field: field, error: ValueError(code: "privateAddress", message: message))
    }

    /// The policy for endpoints that devices send. Operators may be allowed to name this machine; devices never are
    /// (SEC-5).
    package var forDevices: EndpointPolicy { self == .loopback ? .publicOnly : self }

    /// Whether a device may name this port. No push service uses another port than the default one, and other ports
    /// would let devices probe services there.
    func allows(port: Int) -> Bool {
        self != .publicOnly || port == PushEndpoint.standardPort
    }

    /// The policy of a server that listens on this host, unless the operator sets another one.
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

    /// Names and addresses of this machine, in the spellings that all resolvers read alike.
    static func isLoopback(_ host: String) -> Bool {
        let host = withoutRoot(host)
        return host == "localhost" || ends(host, with: ".localhost") || IPAddress(host)?.isLoopback == true
    }

    static func isPrivate(_ host: String) -> Bool {
        let host = withoutRoot(host)
        if host.utf8.contains(UInt8(ascii: ":")) || endsInNumber(host) { return !isPublicAddress(host) }
        return host == "localhost" || [".localhost", ".local", ".internal"].contains { ends(host, with: $0) }
    }

    /// The host without a dot at the end, which is the root domain: `localhost.` is `localhost`.
    private static func withoutRoot(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") ? String(Substring(host.utf8.dropLast())) : host
    }

    private static func ends(_ host: String, with domain: String) -> Bool {
        host.utf8.reversed().starts(with: domain.utf8.reversed())
    }

    /// Accepts plain spellings only. No push service uses the others (one number, hexadecimal, octal by a leading
    /// zero), and resolvers interpret them differently.
    private static func isPublicAddress(_ host: String) -> Bool {
        IPAddress(host).map { PublicAddress.contains($0.bytes) } ?? false
    }

    /// Whether resolvers take it for an IPv4 address: no top-level domain is a number (WHATWG URL, "ends in a number").
    private static func endsInNumber(_ host: String) -> Bool {
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last.map({ Substring($0) }) else { return false }
        return last.allSatisfy(\.isNumber) || (last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit))
    }
}
