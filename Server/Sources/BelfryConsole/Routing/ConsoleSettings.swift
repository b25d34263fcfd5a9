import BelfryModel

/// The settings of the console.
package struct ConsoleSettings: Sendable {
    /// The origin under which browsers reach the server, such as `https://belfry.example.com`; nil: the host that a
    /// request names.
    package var publicURL: String?
    /// Whether the server itself serves TLS.
    package var servesTLS: Bool
    package var version: String
    /// The address that signs in once; only a demonstration has one.
    package var invitation: SignInInvitation?

    package init(
        publicURL: String? = nil, servesTLS: Bool, version: String, invitation: SignInInvitation? = nil
    ) {
        self.publicURL = publicURL
        self.servesTLS = servesTLS
        self.version = version
        self.invitation = invitation
    }

    /// Whether a request may name this host. A demonstration accepts only this machine's own names. Otherwise another
    /// site could point its own host name at this machine, and its pages would count as pages of the console (CON-3).
    func admits(host: String?) -> Bool {
        guard let invitation, invitation.isMade else { return true }
        let name = (host ?? "").utf8.prefix { $0 != UInt8(ascii: ":") }
        return name.elementsEqual("127.0.0.1".utf8) || name.elementsEqual("localhost".utf8)
    }

    /// The address under which devices reach the server, for texts to copy: the public URL, or else the host of the
    /// call.
    ///
    /// - Parameter host: the host that the call names. One that is missing or malformed gives an example address.
    func serverAddress(host: String?) -> String {
        if let publicURL { return publicURL }
        let host = (host ?? "").utf8.prefix(256)
        guard (1...255).contains(host.count), host.allSatisfy(Self.isOfHost) else {
            return "https://belfry.example.com"
        }
        return "\(servesTLS ? "https" : "http")://\(Substring(host))"
    }

    /// Whether a byte can be part of a host with port (RFC 3986 §3.2).
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    /// Whether browsers reach the console over TLS. Then cookies are sent only over TLS.
    var isSecure: Bool { servesTLS || publicURL?.utf8.starts(with: "https://".utf8) == true }

    /// The name of the session's cookie. The prefix binds it to this host and to TLS (RFC 6265bis §4.1.3.2).
    var cookieName: String { isSecure ? "__Host-belfry-session" : "belfry-session" }

    /// The name of the cookie of a sign-in by an identity provider that has not finished.
    var attemptCookieName: String { isSecure ? "__Host-belfry-sign-in" : "belfry-sign-in" }
}
