import BelfryModel

/// How the console is served.
package struct ConsoleSettings: Sendable {
    /// The origin under which browsers reach the server, such as `https://belfry.example.com`; nil: whatever host the
    /// request names.
    package var publicURL: String?
    /// Whether the server itself speaks TLS.
    package var servesTLS: Bool
    package var version: String
    /// An address that signs in once, of the demonstration alone.
    package var invitation: SignInInvitation?

    package init(
        publicURL: String? = nil, servesTLS: Bool, version: String, invitation: SignInInvitation? = nil
    ) {
        self.publicURL = publicURL
        self.servesTLS = servesTLS
        self.version = version
        self.invitation = invitation
    }

    /// Whether a request may name this host. A demonstration is reached at this machine's own names alone: a page of
    /// another site, which has its name lead here, is none of its pages (CON-3).
    func admits(host: String?) -> Bool {
        guard let invitation, invitation.isMade else { return true }
        let name = (host ?? "").utf8.prefix { $0 != UInt8(ascii: ":") }
        return name.elementsEqual("127.0.0.1".utf8) || name.elementsEqual("localhost".utf8)
    }

    /// Under which address devices reach the server, for lines to copy: its public one; without one, that of the call.
    ///
    /// - Parameter host: as the call has named it. What is none leads to an example.
    func serverAddress(host: String?) -> String {
        if let publicURL { return publicURL }
        let host = (host ?? "").utf8.prefix(256)
        guard (1...255).contains(host.count), host.allSatisfy(Self.isOfHost) else {
            return "https://belfry.example.com"
        }
        return "\(servesTLS ? "https" : "http")://\(Substring(host))"
    }

    /// Of a name, an address or a port (RFC 3986 §3.2).
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    /// Whether browsers reach the console by TLS; cookies are sent by it alone then.
    var isSecure: Bool { servesTLS || publicURL?.utf8.starts(with: "https://".utf8) == true }

    /// The name of the session's cookie. The prefix binds it to this host and to TLS (RFC 6265bis §4.1.3.2).
    var cookieName: String { isSecure ? "__Host-belfry-session" : "belfry-session" }

    /// Of a sign-in by a provider that is under way.
    var attemptCookieName: String { isSecure ? "__Host-belfry-sign-in" : "belfry-sign-in" }
}
